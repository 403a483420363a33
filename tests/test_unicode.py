"""What is known of characters: names, categories, scripts, blocks, look-alikes, and normal forms."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tokenizers.data import characters_of_the_declaration
from tokenizers.text import (
    FORMS,
    UNICODE_VERSION,
    code_point,
    count_assigned,
    looks_like,
    normal_form,
)
from tokenizers.text.scripts import LOOK_ALIKES_FILE

# number, name, category: UnicodeData.txt (controls: NameAliases.txt); script: Scripts.txt; block: Blocks.txt
KNOWN = """
0000 Cc Common|NUL|Basic Latin
0009 Cc Common|TAB|Basic Latin
0041 Lu Latin|LATIN CAPITAL LETTER A|Basic Latin
007F Cc Common|DEL|Basic Latin
0085 Cc Common|NEL|Latin-1 Supplement
009F Cc Common|(control)|Latin-1 Supplement
00BD No Common|VULGAR FRACTION ONE HALF|Latin-1 Supplement
00E9 Ll Latin|LATIN SMALL LETTER E WITH ACUTE|Latin-1 Supplement
01C5 Lt Latin|LATIN CAPITAL LETTER D WITH SMALL LETTER Z WITH CARON|Latin Extended-B
0301 Mn Inherited|COMBINING ACUTE ACCENT|Combining Diacritical Marks
0430 Ll Cyrillic|CYRILLIC SMALL LETTER A|Cyrillic
05D0 Lo Hebrew|HEBREW LETTER ALEF|Hebrew
0903 Mc Devanagari|DEVANAGARI SIGN VISARGA|Devanagari
1112 Lo Hangul|HANGUL CHOSEONG HIEUH|Hangul Jamo
200D Cf Inherited|ZERO WIDTH JOINER|General Punctuation
202E Cf Common|RIGHT-TO-LEFT OVERRIDE|General Punctuation
2028 Zl Common|LINE SEPARATOR|General Punctuation
2160 Nl Latin|ROMAN NUMERAL ONE|Number Forms
4E00 Lo Han|CJK UNIFIED IDEOGRAPH-4E00|CJK Unified Ideographs
D55C Lo Hangul|HANGUL SYLLABLE HAN|Hangul Syllables
F900 Lo Han|CJK COMPATIBILITY IDEOGRAPH-F900|CJK Compatibility Ideographs
E000 Co Unknown|(private use)|Private Use Area
FB01 Ll Latin|LATIN SMALL LIGATURE FI|Alphabetic Presentation Forms
FEFF Cf Common|ZERO WIDTH NO-BREAK SPACE|Arabic Presentation Forms-B
FF21 Lu Latin|FULLWIDTH LATIN CAPITAL LETTER A|Halfwidth and Fullwidth Forms
FFFF Cn Unknown|(unassigned)|Specials
1F1F0 So Common|REGIONAL INDICATOR SYMBOL LETTER K|Enclosed Alphanumeric Supplement
1F469 So Common|WOMAN|Miscellaneous Symbols and Pictographs
1F600 So Common|GRINNING FACE|Emoticons
E0041 Cf Common|TAG LATIN CAPITAL LETTER A|Tags
""".strip().splitlines()


@pytest.mark.parametrize("line", KNOWN)
def test_a_known_character(line: str) -> None:
    head, name, block = line.split("|")
    number, category, script = head.split()
    fact = code_point(chr(int(number, 16)))
    assert (fact.number, fact.name, fact.category) == (f"U+{number}", name, category)
    assert (fact.script, fact.block) == (script, block)


def test_a_character_that_is_newer_than_python() -> None:
    newer = code_point("\U000323ff")
    assert newer.category == "Cn" and newer.name == "(unassigned)"


@pytest.mark.skipif(UNICODE_VERSION != "14.0.0", reason="another Unicode has more characters")
def test_as_many_characters_as_unicode_says() -> None:
    assert count_assigned() == 144_697 + 65  # graphic and format characters, and controls


# Look-alikes


def test_look_alikes_are_those_of_unicode() -> None:
    assert [looks_like(char) for char in "аеорсху"] == [*"aeopcxy"]
    assert "l" in looks_like("І") and looks_like("ο") == "o" and looks_like("ж") == ""
    readme = (LOOK_ALIKES_FILE.parent / "README.md").read_text("utf-8")
    assert hashlib.sha256(LOOK_ALIKES_FILE.read_bytes()).hexdigest() in readme


# Normal forms

# NormalizationTest.txt: source; NFC; NFD; NFKC; NFKD


JOINING = (
    "ae\xe9\u0301\u0323\u0344\u0f73\u0f71\u1100\u1161\u11a8\uac00\u09c7\u09be\u1b05\u1b35\u3131"
    "\ufb01\xbd\ufb1f\U0001d15e\U000110a5\U000110ba\uff76\uff9e \n\ufdfa"
)


@examples(400)
@given(st.one_of(st.text(JOINING, max_size=12), st.text(st.characters(codec="utf-8"), max_size=12)))
def test_the_changes_are_all_there_is(text: str) -> None:
    """What is counted as changed, in place of what it was, is the text in the form."""
    for form in FORMS:
        normal = normal_form(text, form)
        assert normal.text == unicodedata.normalize(form, text)
        assert bool(normal.changes) == (normal.text != text)
        trained = sum(change.count * (len(change.new) - len(change.old)) for change in normal.changes)
        assert len(normal.text) - len(text) == trained
        for change in normal.changes:
            assert text.startswith(change.old, change.first)
            assert unicodedata.normalize(form, change.old) == change.new


# What is used


@pytest.mark.slow
def test_most_of_unicode_is_never_used() -> None:
    use = characters_of_the_declaration()
    assert use.n_texts == 532 and use.n_assigned <= len(use.counts) < count_assigned() / 10
    assert use.share_of_first(len(use.counts)) == 1.0
