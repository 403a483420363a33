"""Texts on which tokenizers often differ, made by rules: the same ones in every run.

They hold what split patterns, normalisers and decoders treat in different ways: scripts, white space, digits,
letter case, emoji, normal forms, control characters, code, and the names of special tokens. Random mixtures
are added, since many differences only show where two of these meet.
"""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections.abc import Iterable

from ..text.rewriting import FORMS
from .udhr import list_languages

_BLANKS = (" ", "\n", "\t", "\r\n", "\r", "\u00a0", "\u3000", "\u2028", "\u200b", "\x0b")
_DIGITS = ("1234567890", "٣٤٥٦٧٨٩", "१२३४५६७", "１２３４５", "½⅓Ⅷ²③")
_WORDS = """
don't DON'T it’s we'LL I'VE they'd O'Neill 'tis rock'n'roll HelloWorld fooBar HTTPServer ǅ ß ẞ İstanbul ΑΣ ŉ
e-mail well—being co\u00adoperate user@example.org https://a.b/c?d=e&f=%20#g def f(x): x**2 a!=b {'k': [1,
2.5e-3]} <b>&amp;</b> <!-- ``` $E=mc^2$ \\alpha !!! ??? ... --- ___ /// _x \u0301 日本語のテキスト、한국어
中文 ไทย देवनागरी עברית العربية e\u0301 A\u030a o\u0302\u0323 ﬁ ｶﾞ \u1112\u1161\u11ab 각 \u212b का \u0e33 ſ … ™
😀 👩‍🚀 👨‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ❤️ ❤ ☃ ✅ 🫠
"""
_MIXTURES = 1_500
_MOST_SPECIAL = 50


def hard_texts(special_names: Iterable[str] = ()) -> list[str]:
    """Some thousands of short texts, each once.

    Args:
        special_names: special tokens that the texts should spell, too; of many, some.

    >>> texts = hard_texts(["<|endoftext|>"])
    >>> 4_000 < len(texts) < 5_000, "a<|endoftext|>b" in texts, texts == hard_texts(["<|endoftext|>"])
    (True, True, True)
    """
    rng = random.Random(0)
    special = list(dict.fromkeys(special_names))
    special = rng.sample(special, min(len(special), _MOST_SPECIAL))
    texts = ["", "=" * 77, "a" * 300, "." * 9, "e" + "\u0301" * 40, "日" * 40]
    for language, form in zip(list_languages(), itertools.cycle(FORMS), strict=False):
        middle = len(language.text) // 5  # in the preamble
        texts.append(language.text[middle : middle + 60])
        texts.append(unicodedata.normalize(form, language.text[-40:]))
    for characters, length in itertools.product((*_BLANKS, *_DIGITS), (1, 2, 3, 4, 7, 10, 17)):
        run = (characters * length)[:length]
        texts += [run, f" {run}", f"a{run}b", f"a{run}1", f"-{run}.{run}", f"a {run}\nb"]
    controls = [*range(0x21), *range(0x7F, 0xA1), 0x200D, 0x202E, 0xFEFF, 0xFFFD, 0xFFFF, 0x10FFFF]
    blocks = (code for code in range(0x141, 0x32000, 0x100) if not 0xD800 <= code < 0xE000)
    texts += [f"a{chr(code)}b" for code in (*controls, *blocks)]
    for word in (*_WORDS.split(), *special):
        texts += [word, f" {word}", f"a{word}b", f"{word}{word}\n", word.upper(), word.lower(), word.title()]
        texts += [unicodedata.normalize(form, word) for form in FORMS]
    fragments = [*_WORDS.split(), *_DIGITS, *_BLANKS, *_BLANKS, *special]
    texts += ["".join(rng.choices(fragments, k=rng.randint(2, 6))) for _ in range(_MIXTURES)]
    return list(dict.fromkeys(texts))
