"""Lessons: what ships holds, and what a teacher gets wrong is one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import tokenizers as tk
from pages.session.formulas import FUNCTIONS, MAX_LEARNED_TEXT, Value, check_formula, evaluate, in_words
from pages.session.lessons import (
    FOLDER,
    MAX_BYTES,
    MAX_CHOICES,
    MAX_CUT_TEXT,
    MAX_STEPS,
    MAX_TEXT,
    MAX_WORDS,
    PAGES,
    Lesson,
    list_lessons,
    read_lesson,
    read_lessons,
    work_out,
)
from pages.session.links import unpack_state
from tests.browser import ROOT
from tokenizers.data.udhr import get_language
from tokenizers.text import TextMap

FILES = sorted(FOLDER.glob("*.toml"))
FIRST_ANSWERS = {
    "token": "10 tokens: more than the 7 words, and far fewer than the 35 characters. ",
    "learning": "“in” appears 5 times, more often than any other pair. This first merge turns 25 tokens ",
    "spelling": "6 tokens, and the word that matters is a single one. ",
    "reversing": "2 tokens, “under” and “standing”. The model gets two numbers for 13 letters.",
    "digits": "GPT-4 takes three digits at a time, from the left: 123 | 456 | 7. ",
    "spaces": "6 tokens: each word’s token includes one space in front of the word. ",
    "indentation": "GPT-2 makes 14 tokens: almost every space is one. GPT-4 makes 6 of the same text: ",
    "languages": "88, or 6.8 times as many, though the Korean sentence has fewer characters. 84 of these ",
    "emoji": "6. The computer stores 2 characters, a thumb and a colour, in 8 bytes, and ",
    "glitch": "Nowhere! All 18 characters are one token of GPT-2, number 43453; for GPT-4 it is 5 tokens, ",
    "injection": "7 ordinary tokens. ",
    "formats": '9 tokens for 23 characters: {" | name | ":" | Ada | "," | age | ": | 36 | }. ',
    "ripple": "I | ·defin | ately | ·agree | ·with | ·you: the word with the typo falls apart. ",
    "ways": "now | here: an encoding does not know that the word is made of “no” and “where”. ",
    "why": "7 tokens. Common words stay whole, ",
}
"""How what each lesson reveals first begins, in their order."""

# What ships


def test_all_fifteen_are_there_in_order_and_numbered() -> None:
    slugs = [lesson.slug for lesson in list_lessons()]
    assert slugs == list(FIRST_ANSWERS)
    assert [path.stem for path in FILES] == [f"{n:02}-{slug}" for n, slug in enumerate(slugs, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("lesson", list_lessons(), ids=lambda lesson: lesson.slug)
def test_what_a_lesson_says_holds(lesson: Lesson) -> None:
    """Fails when a claim no longer holds, an answer is no longer right, or a number is off its slider."""
    drawn = work_out(lesson, tk.get_encoding)
    assert drawn["steps"][0]["reveals"].startswith(FIRST_ANSWERS[lesson.slug])
    assert all(shown["tokens"] for step in drawn["steps"] for shown in step.get("shows", []))
    assert json.dumps(drawn, allow_nan=False), "as the page sends it"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_lesson_is_of_a_size_to_teach(path: Path) -> None:
    lesson = read_lesson(path.read_bytes(), path.stem)
    kinds = [step.kind for step in lesson.steps]
    assert 3 <= len(kinds) <= 6
    assert len(lesson.quiz) == 3 and len(lesson.claims) >= 3
    assert len({*kinds} - {"say"}) >= 2, "it asks in more than one way"
    assert kinds[0] != "say" and kinds[-1] == "say", "predict first; what is said comes last"
    for step in lesson.steps:
        assert step.reveals or step.kind == "say"
        assert len(re.findall(r"[.!?](?=\s|$)", step.reveals)) <= 2, "two sentences at a time"
        if step.kind == "cuts" and step.text is not None:
            assert 5 <= TextMap(lesson.texts[step.text]).n_graphemes <= 45
    words = [f"{step.asks} {step.reveals}" for step in lesson.steps]
    words += [choice.says for step in lesson.steps for choice in step.choices]
    formulas = [*lesson.figures.values(), *lesson.claims]
    formulas += [formula for step in lesson.steps for formula in step.formulas]
    used = {name for line in formulas for name in re.findall(r"\w+", line)}
    used |= {name for line in words for name in re.findall(r"{(\w+)}", line)}
    assert not {*lesson.figures, *lesson.texts} - used - {step.text for step in lesson.steps}


def test_the_sentence_of_each_language_is_from_the_declaration() -> None:
    lesson = next(lesson for lesson in list_lessons() if lesson.slug == "languages")
    for code, name in (("eng", "english"), ("kor", "korean"), ("hin", "hindi")):
        assert lesson.texts[name].rstrip("।. ") in get_language(code).text
    assert lesson.texts["korean"].startswith(lesson.texts["phrase"])


def link_of(lines: str) -> str | None:
    head = 'title = "It"\nquestion = "It?"\nminutes = 1\n[texts]\nit = "a b"\n'
    step = f'{head}[[step]]\nkind = "say"\nasks = "x"\n{lines}'
    drawn = work_out(read_lesson(step.encode(), "it"), tk.get_encoding)
    link: str | None = drawn["steps"][0]["link"]
    return link


def test_a_step_leads_to_a_live_page_with_its_text() -> None:
    assert link_of("") is None
    playground = link_of('text = "it"\nencodings = ["gpt2"]')
    assert playground is not None and playground.startswith("./?s=")
    assert unpack_state(playground.partition("=")[2]) == {"text": "a b", "encodings": ["gpt2"]}
    assert link_of('text = "it"\npage = "by_hand"') == "./by_hand?text=a+b"
    assert link_of('text = "it"\npage = "unicode"') == "./unicode?text=a+b"
    assert link_of('page = "by_hand"') == "./by_hand"
    assert link_of('text = "it"\npage = "languages"') == "./languages"


@pytest.mark.parametrize("lesson", list_lessons(), ids=lambda lesson: lesson.slug)
def test_each_step_leads_to_a_page_that_shows_it_or_names_its_source(lesson: Lesson) -> None:
    for step in lesson.steps:
        assert step.text is not None or step.page != "playground" or step.sources, step.asks
        assert all(source.says for source in step.sources)


def test_the_pages_to_go_on_are_in_the_menu() -> None:
    menu = (ROOT / "pages" / "main.py").read_text("utf-8")
    for address, name in PAGES.items():
        section, _, title = name.partition(" · ")
        assert f'title="{title}", url_path="{address}"' in menu and f'"{section}"' in menu


# What a teacher may get wrong

GOOD = """
title = "A word"
question = "Is a word one token?"
minutes = 1
claims = ["whole == 1"]
[texts]
word = "hello"
[figures]
whole = "tokens(word, 'gpt2')"
[[quiz]]
kind = "choice"
asks = "Is it one?"
choices = [{ says = "Yes", right = true }, { says = "No" }]
[[step]]
kind = "cuts"
asks = "Where is it cut?"
text = "word"
encodings = ["gpt2"]
reveals = "Nowhere: it is {whole} token."
sources = [{ says = "Somebody 2024", address = "https://a.org/b?c#d" }]
[[step]]
kind = "number"
asks = "How many tokens?"
figure = "whole"
low = 1
high = 9
"""


def broken(old: str, new: str) -> bytes:
    assert old in GOOD
    return GOOD.replace(old, new).encode()


def one_sentence(problem: ValueError) -> str:
    sentence = str(problem)
    assert sentence and "\n" not in sentence and len(sentence) < 800
    assert "Traceback" not in sentence
    return sentence


def test_the_good_one_is_good() -> None:
    drawn = work_out(read_lesson(GOOD.encode(), "word"), tk.get_encoding)
    assert drawn["steps"][0]["reveals"] == "Nowhere: it is 1 token."
    assert drawn["steps"][0]["shows"][0]["tokens"] == [
        {"id": 31373, "text": "hello", "hex": "68 65 6c 6c 6f", "part": False}
    ]
    assert drawn["steps"][0]["sources"] == [
        {"says": "Somebody 2024", "address": "https://a.org/b?c#d", "site": "a.org"}
    ]
    assert drawn["steps"][1]["value"] == 1 and drawn["quiz"][0]["right"] == 0


UNREADABLE = {
    "no TOML": (b"= 1", "Line 1 cannot be read: “= 1”"),
    "words without quotes": (broken('"A word"', "A word"), "cannot be read: “title = A word”"),
    "the same line twice": (broken("minutes = 1", "minutes = 1\nminutes = 2"), "a second time: “minutes"),
    "no end": (b"title = ", "is not whole at its end"),
    "no UTF-8": (b"\xff\xfe", "UTF-8"),
    "a number beyond Python": (b"minutes = " + b"9" * 5000, "cannot be read"),
    "too large": (b"#" * (MAX_BYTES + 1), "KB"),
    "too deep": (b"x = " + b"[" * 30_000, "cannot be read: a number in it is too long, or its brackets"),
    "empty": (b"", "no [[step]]"),
    "no steps": (GOOD.partition("[[step]]")[0].encode(), "no [[step]]"),
    "too many steps": (GOOD.encode() + b"[[step]]\nkind = 'say'\nasks = 'x'\n" * MAX_STEPS, "up to 30"),
    "no title": (broken('title = "A word"', ""), "needs title"),
    "no minutes": (broken("minutes = 1", ""), "needs minutes"),
    "a slider without an end": (
        broken("high = 9", ""),
        "a slider whose high is more than its low",
    ),
    "an unknown line": (broken("minutes = 1", "minutes = 1\ncolour = 'red'"), "'colour'"),
    "an unknown kind": (broken('kind = "cuts"', 'kind = "poll"'), "'poll'"),
    "a number typed in": (broken("{whole} token", "1 token"), "typed in"),
    "a number typed into a choice": (broken('says = "Yes"', 'says = "Yes, 1"'), "typed in"),
    "an unknown text": (broken('text = "word"', 'text = "wurd"'), "'wurd'"),
    "an unknown figure": (broken("{whole}", "{hole}"), "{hole}"),
    "an unknown name in a formula": (broken("(word,", "(wurd,"), "'wurd'"),
    "a figure of itself": (broken("tokens(word, 'gpt2')", "whole + 1"), "'whole'"),
    "the same name twice": (broken('word = "hello"', 'word = "hello"\nwhole = "x"'), "same name"),
    "a name that no sentence can have": (broken('word = "hello"', 'word = "hello"\n"größe" = "x"'), "name"),
    "a text that is too long": (broken('"hello"', f'"{"x" * (MAX_TEXT + 1)}"'), "2,000"),
    "words that are too long": (broken("Where is it cut?", "x" * (MAX_WORDS + 1)), "1,200"),
    "cuts without an encoding": (broken('encodings = ["gpt2"]', ""), "encodings"),
    "an unknown page": (broken("low = 1", "low = 1\npage = 'admin'"), "'admin'"),
    "a source that is no site": (
        broken("low = 1", "low = 1\nsources = [{ says = 'x', address = 'javascript:alert(1)' }]"),
        "begins with https://",
    ),
    "a source with no name": (
        broken("low = 1", "low = 1\nsources = [{ address = 'https://x.org/' }]"),
        "a source needs says",
    ),
    "too many functions": (broken('["whole == 1"]', str(["-(-(-(-(-(1))))) == 1"] * 40)), "200 fit"),
    "cuts of a long text": (broken('"hello"', f'"{"x" * (MAX_CUT_TEXT + 1)}"'), "no cuts can be placed"),
    "one choice": (broken(', { says = "No" }', ""), "two answers"),
    "too many choices": (broken('{ says = "No" }', '{ says = "No" },' * MAX_CHOICES), "up to 6"),
    "a choice that is a text": (broken('{ says = "No" }', '"No"'), "a table"),
    "right is no yes or no": (broken("right = true", "right = 1"), "true or false"),
    "a slider of no length": (broken("high = 9", "high = 1"), "more than its low"),
    "a quiz that is no choice": (
        broken("[[quiz]]", "[[quiz]]\nkind = 'say'\nasks = 'x'\n[[quiz]]"),
        "has to be a choice",
    ),
    "claims that are no list": (broken('["whole == 1"]', '"whole == 1"'), "needs claims, a list"),
    "texts that are no table": (broken('[texts]\nword = "hello"', 'texts = "hello"'), "needs texts, a table"),
}


@pytest.mark.parametrize("data, says", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(ValueError) as problem:
        read_lesson(data, "word")
    assert says in one_sentence(problem.value)


WRONG = {
    "a claim that does not hold": (broken("whole == 1", "whole == 2"), "no longer holds"),
    "a claim that is no comparison": (broken("whole == 1", "whole"), "no longer holds"),
    "no right answer": (broken(", right = true", ""), "0 answers"),
    "two right answers": (broken('says = "No"', 'says = "No", right = true'), "2 answers"),
    "a second one right by formula": (broken('says = "No"', "says = 'No', when = 'whole == 1'"), "2 answers"),
    "a number that is not on the slider": (broken("low = 1", "low = 2"), "1, which is not on the slider: it"),
    "a number far from the slider": (
        broken("low = 1\nhigh = 9", "low = 1_500_000.5\nhigh = 2_000_000"),
        "it goes from 1,500,000.5 to 2,000,000. Let it reach 1.",
    ),
    "a text for a number": (broken('figure = "whole"', 'figure = "word"'), "the answer is no number: word"),
    "an unknown encoding": (broken("tokens(word, 'gpt2')", "tokens(word, 'gpt9')"), "gpt9"),
    "an unknown encoding of a step": (broken('encodings = ["gpt2"]', 'encodings = ["gpt9"]'), "gpt9"),
}


@pytest.mark.parametrize("data, says", WRONG.values(), ids=WRONG)
def test_what_is_not_so_is_one_sentence(data: bytes, says: str) -> None:
    lesson = read_lesson(data, "word")
    with pytest.raises(ValueError) as problem:
        work_out(lesson, tk.get_encoding)
    assert says in one_sentence(problem.value)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "01-word.toml").write_text(GOOD, "utf-8")
    (tmp_path / "02-odd.toml").write_text("title = 1", "utf-8")
    (tmp_path / "03-folder.toml").mkdir()
    lessons, problems = read_lessons(tmp_path)
    assert [lesson.slug for lesson in lessons] == ["word"], "a damaged file takes no other lesson with it"
    assert problems[0].startswith("The lesson’s file 02-odd.toml is damaged") and "\n" not in problems[0]
    assert problems[1].startswith("The lesson’s file 03-folder.toml is missing or unreadable")
    (tmp_path / "02-odd.toml").write_text(GOOD, "utf-8")
    assert [lesson.slug for lesson in list_lessons(tmp_path)] == ["word", "odd"], "restored, it is read"
    assert read_lessons(tmp_path / "nowhere")[1][0].startswith("The folder of lessons")


# Formulas

REFUSED = [
    "",
    "word word",
    "1 if word else 2",
    "__import__('os')",
    "open('x')",
    "word.upper()",
    "word.__class__",
    "(lambda: 1)()",
    "[1, 2]",
    "{'a': 1}",
    "word[0]",
    "f'{word}'",
    "b'x'",
    "2 ** 9",
    "2 // 1",
    "7 % 2",
    "1 << 9",
    "not word",
    "~1",
    "1 < 2 < 3",
    "1 and 2",
    "True",
    "None",
    "...",
    "1j",
    "x := 1",
    "*word",
    "tokens(word)",
    "tokens(word, 'gpt2', 1)",
    "tokens(word, name='gpt2')",
    "tokens(*word)",
    "tokens",
    "(" * 250 + "1" + ")" * 250,
    "1" + "+ 1" * 100,
    "\0",
]


@pytest.mark.parametrize("formula", REFUSED)
def test_what_is_no_formula_is_refused_before_anything_is_worked_out(formula: str) -> None:
    with pytest.raises(ValueError, match="^claims") as problem:
        check_formula(formula, ["word"], "claims")
    one_sentence(problem.value)


def value(formula: str, /, **texts: Value) -> Value:
    check_formula(formula, texts, "test")
    return evaluate(formula, texts, tk.get_encoding)


COMES_TO_NOTHING = [
    "1e999",
    "9" * 40,
    "'\\ud800'",
    "'ab' * 3",
    "3 * 'ab'",
    "'ab' * 999999999",
    "-'ab'",
    "'ab' - 'b'",
    "'a' + 1",
    "'a' < 1",
    "1 / 0",
    "999999999999999 * 999999999999999",
    "tokens(3, 'gpt2')",
    "tokens('a', 3)",
    "count('a', 3)",
    "token('hello', 'gpt2', 0)",
    "token('hello', 'gpt2', 2)",
    "id('hello', 'gpt2', -2)",
    "id('hello', 'gpt2', 'x')",
    "merge('aaab', 0)",
    "merge('aaab', -1)",
    "merge('a', 1)",
    "left('aaab', 99)",
    "left('aaab', -1)",
    "how_often('ab', 9)",
    "ways('nowhere', 'gpt2')",
]


@pytest.mark.parametrize("formula", COMES_TO_NOTHING)
def test_what_comes_to_nothing_is_one_sentence(formula: str) -> None:
    with pytest.raises(ValueError) as problem:
        value(formula)
    one_sentence(problem.value)


def test_a_text_to_learn_from_is_short() -> None:
    assert value("left(text, 0)", text="ab" * 150) == MAX_LEARNED_TEXT
    with pytest.raises(ValueError, match="up to 300 characters"):
        value("left(text, 0)", text="ab" * 151)


@pytest.mark.parametrize("first, next_one", [("999999999", "{0} * {0}"), ("'abcdefgh'", "{0} + {0}")])
def test_figures_that_grow_are_stopped(first: str, next_one: str) -> None:
    """Sixty figures, each the double or the square of the one before, stay small."""
    figures = [f"f{n} = {json.dumps(next_one.format(f'f{n - 1}'))}" for n in range(1, 60)]
    lines = "\n".join([f'f0 = "{first}"', *figures])
    lesson = read_lesson(broken("[figures]", f"[figures]\n{lines}"), "word")
    with pytest.raises(ValueError) as problem:
        work_out(lesson, tk.get_encoding)
    one_sentence(problem.value)


THUMB = "👍🏽"

BY_HAND: dict[str, Value] = {
    "1 + 2 * 3": 7,
    "7 / 2": 3.5,
    "-(1 - 4)": 3,
    "'a' + 'b' == 'ab'": True,
    "2 != 2": False,
    "1 >= 1": True,
    "tokens('hello world', 'gpt2')": 2,
    "special_tokens('<|endoftext|>', 'gpt2')": 1,
    "bytes('é')": 2,
    f"bytes('{THUMB}')": 8,
    f"characters('{THUMB}')": 2,
    f"graphemes('{THUMB}')": 1,
    "count('strawberry', 'r')": 3,
    "token('hello world', 'gpt2', 2)": "“·world”",
    "token('hello world', 'gpt2', -2)": "“hello”",
    "id('hello world', 'gpt2', -1)": 995,
    "spelled('hello world', 'gpt2')": "hello | ·world",
    "beginning('😀', 'gpt2', 1)": "�",
    "beginning('😀', 'gpt2', 9)": "😀",
    "beginning('hello world', 'gpt2', 1)": "hello",
    "halves('😀', 'gpt2')": 2,
    "halves('a �', 'gpt2')": 0,
    "kept('hello world', 'hello word', 'gpt2')": 1,
    "kept('a', 'a', 'gpt2')": 1,
    "kept('hello hello', 'hello', 'gpt2')": 1,
    "losses('hello', 'gpt2')": 0,
    "losses('the  law', 'words')": 1,
    "vocabulary('gpt2')": 50257,
    "vocabulary('cl100k_base')": 100277,
    "listed('cl100k_base')": 100261,  # 100,256 and five special ones; ids 100,256 and 100,261 on are unused
    "never_used('bytes')": 13,
    "is_listed(' SolidGoldMagikarp', 'gpt2')": True,
    "is_listed('SolidGoldMagikarp', 'gpt2')": False,
    "is_alone(' the', 'gpt2')": True,
    "is_alone('  the', 'gpt2')": False,
    f"reversed('ab{THUMB}')": f"{THUMB}ba",
    "quoted(' a')": "“·a”",
    "plain(73700)": "73700",
    "plain(1.5)": "1.5",
    # aaabdaaabac, as in every lecture: aa (four times, as they are counted), then ab, then aaab
    "merge('aaabdaaabac', 1)": "aa",
    "merge('aaabdaaabac', 2)": "ab",
    "merge('aaabdaaabac', 3)": "aaab",
    "how_often('aaabdaaabac', 1)": 4,
    "how_often('aaabdaaabac', 2)": 2,
    "left('aaabdaaabac', 0)": 11,
    "left('aaabdaaabac', 3)": 5,
    "cut('aaabdaaabac', 3)": "aaab | d | aaab | a | c",
    "ways('a', 'j2')": 2,  # with the space that is put before it: as one piece, or as two
}


@pytest.mark.parametrize("formula", BY_HAND)
def test_formulas_come_to_what_was_counted_by_hand(formula: str) -> None:
    assert value(formula) == BY_HAND[formula]


def test_each_function_is_tried_and_described() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    for name in FUNCTIONS:
        assert any(f"{name}(" in formula for formula in BY_HAND), name
        assert f"`{name}(" in readme, name


@pytest.mark.parametrize(
    "formula, words",
    [("1234", "1,234"), ("10 / 3", "3.3"), ("10 / 5", "2.0"), ("'a'", "a"), ("plain(1234)", "1234")],
)
def test_values_in_sentences(formula: str, words: str) -> None:
    assert in_words(value(formula)) == words


# Anything at all


def check_anything(data: bytes) -> None:
    try:
        assert isinstance(read_lesson(data, "any"), Lesson)
    except ValueError as problem:
        one_sentence(problem)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300))
@example(b"")
@example(b"claims = 3")
@example(b"step = 3")
@example(b"step = [3]")
@example(b"[texts]\nx = 1979-05-27")
@example(b"quiz = [[]]")
def test_any_bytes_are_a_lesson_or_one_sentence(data: bytes) -> None:
    check_anything(data)


FORMULAS = st.recursive(
    st.sampled_from(["word", "'ab'", "0", "1", "2.5", "-3", "1e14", "'gpt2'", "'j2'", "''"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " - ", " * ", " / ", " == ", " < "]), inner).map(
            lambda parts: f"({''.join(parts)})"
        ),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), st.lists(inner, min_size=1, max_size=3)).map(
            lambda parts: f"{parts[0]}({', '.join(parts[1])})"
        ),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(deadline=None)
@given(FORMULAS)
def test_any_formula_comes_to_a_small_value_or_one_sentence(formula: str) -> None:
    try:
        result = value(formula, word="hello 😀")
    except ValueError as problem:
        one_sentence(problem)
        return
    assert isinstance(result, (int, float, str)) and len(str(result)) <= 8_000
