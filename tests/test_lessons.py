"""Lessons: what ships holds, and what a teacher gets wrong is one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tokenizers as tk
from pages.session.links import unpack_state
from pages.session.menu import MENU
from pages.teaching.drawn_tokens import place_starts
from pages.teaching.formulas import MAX_LEARNED_TEXT, Value, check_formula, evaluate
from pages.teaching.kinds import CLASS_KINDS
from pages.teaching.kinds.cuts import MAX_CUT_TEXT
from pages.teaching.lesson import MAX_STEPS, MAX_TEXT, Lesson
from pages.teaching.lesson_files import (
    FOLDER,
    MAX_CALLS,
    MAX_LESSON_BYTES,
    PAGES,
    list_lessons,
    read_lesson,
    read_lessons,
)
from pages.teaching.reasons import explain_places
from pages.teaching.sentences import PLACEHOLDER
from pages.teaching.work_out import work_out
from tests.refusals import refused
from tests.texts import NASTY
from tests.trained import from_ranks
from tokenizers.encoding import ASSETS
from tokenizers.text import encode_spans

FILES = sorted(FOLDER.glob("*.toml"))
each_lesson = pytest.mark.parametrize("lesson", list_lessons(), ids=lambda lesson: lesson.slug)

# What ships


def test_all_sixteen_are_there_in_order_and_numbered() -> None:
    slugs = [lesson.slug for lesson in list_lessons()]
    assert [path.stem for path in FILES] == [f"{n:02}-{slug}" for n, slug in enumerate(slugs, 1)]
    assert len(slugs) == 16


@pytest.mark.slow
@each_lesson
def test_what_a_lesson_says_holds(lesson: Lesson) -> None:
    """Fails when a claim no longer holds, an answer is no longer right, or a number is off its slider."""
    assert lesson.claims
    drawn = work_out(lesson, tk.get_encoding)
    assert all(shown["tokens"] for step in drawn["steps"] for shown in step.get("shows", []))
    for step in (*drawn["steps"], *drawn["quiz"]):
        for place, why in enumerate(step.get("whys", ())):
            assert why or place == step["right"], (step["asks"], "each wrong answer has its reason")
    assert json.dumps(drawn, allow_nan=False), "as the page sends it"


def test_first_lesson_explains_cuts_without_merges() -> None:
    drawn = work_out(list_lessons()[0], tk.get_encoding)
    why = drawn["steps"][0]["shows"][0]["why"]
    assert why[2] == "There is no token “Unbelie”." and why[3] == "“belie” is one token."
    assert not any(word in said for said in why.values() for word in ("rank", "pieces", "became"))


@pytest.mark.parametrize("text", [text[:MAX_CUT_TEXT] for text in NASTY.values()], ids=NASTY)
def test_explain_places_plays_merges_that_end_at_the_tokens(text: str) -> None:
    looks_up = from_ranks([b"ab", b"abcd"], r"\w+|\s|.")
    for encoding in (looks_up, *map(tk.get_encoding, ("gpt2", "cl100k_base", "o200k_base"))):
        spans = encode_spans(encoding, f"abcd {text}", allowed_special="all")
        reasons = explain_places(spans, exactly=True)
        blocks: list[str] = []
        for piece in reasons["pieces"]:
            joined = {block for join in piece["joins"] for block in join}
            for at, block in enumerate(piece["blocks"]):
                if at in joined:
                    blocks[-1] += block
                else:
                    blocks.append(block)
        ends = {
            spans.text_map.data[start:end].hex() for start, end in zip(spans.starts, spans.ends, strict=True)
        }
        assert not blocks or set(blocks) == ends
        for place, (first, *_) in reasons["near"].items():
            before = "".join(block for piece in reasons["pieces"][:first] for block in piece["blocks"])
            assert len(before) < 2 * place_starts(spans.text_map)[place]


def test_explain_places_has_no_merges_of_other_families() -> None:
    for name in ("bert-uncased", "mistral-v1", "j2", "claude-2"):
        reasons = explain_places(encode_spans(tk.get_encoding(name), "Two ½ words"), exactly=True)
        assert not reasons["pieces"] and not reasons["near"] and all(reasons["why"].values())


def link_of(lines: str) -> str | None:
    head = 'title = "It"\nquestion = "It?"\nminutes = 1\n[texts]\nit = "a b"\n'
    step = f'{head}[[step]]\nkind = "say"\nasks = "x"\n{lines}'
    drawn = work_out(read_lesson(step.encode(), "it"), tk.get_encoding)
    link: str | None = drawn["steps"][0]["link"]
    return link


def test_a_step_leads_to_the_playground_with_its_text() -> None:
    playground = link_of('text = "it"\nencodings = ["gpt2"]')
    assert playground is not None and playground.startswith("./?s=")
    assert unpack_state(playground.partition("=")[2]) == {"text": "a b", "encodings": ["gpt2"]}


# The beginning of a number; not the digits of names such as GPT-4 and gpt2.
DIGIT = re.compile(r"(?<!\w)(?<![^\W\d_]-)(?<!\d\.)\d")


@each_lesson
def test_no_number_is_typed_in(lesson: Lesson) -> None:
    """Each is a figure, which the encodings give: so no lesson that ships can go stale."""
    for step in (*lesson.steps, *lesson.quiz):
        for words in (*step.sentences, lesson.takeaway, lesson.notes):
            assert not DIGIT.search(PLACEHOLDER.sub(" ", words)), words


@each_lesson
def test_a_lesson_ends_with_one_sentence_to_take_away(lesson: Lesson) -> None:
    assert lesson.takeaway.endswith(".") and ". " not in lesson.takeaway


@each_lesson
def test_lesson_steps_show_it_or_name_a_source(lesson: Lesson) -> None:
    for step in lesson.steps:
        assert step.text is not None or step.page != "playground" or step.sources, step.asks
        assert all(source.says for source in step.sources)


def test_an_answer_can_show_counts_a_merge_and_a_lattice() -> None:
    asked = ("languages", "learning", "ways")
    lessons = {each.slug: work_out(each, tk.get_encoding) for each in list_lessons() if each.slug in asked}
    gpt2 = lessons["languages"]["steps"][-1]["counts"][0]
    assert [name for name, _ in gpt2["bars"]] == ["English", "Korean", "Hindi"]
    stages = [step for step in lessons["learning"]["steps"] if "stage" in step]  # after 0, 2, 3 and 4 merges
    assert stages[1]["next_stage"] == stages[2]["stage"] != stages[1]["stage"]
    lattice = next(step["lattice"] for step in lessons["ways"]["steps"] if "lattice" in step)
    assert "".join(bar.token for bar in lattice if bar.path == 0) == "·nowhere"


def test_the_pages_to_go_on_are_in_the_menu() -> None:
    assert set(PAGES) <= MENU.keys()


# What a teacher may get wrong

GOOD = """
title = "A word"
question = "Is a word one token?"
minutes = 1
notes = "Ask first: what is a word?"
takeaway = "A word can be {whole} token."
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


def changed(lesson: str, old: str, new: str) -> bytes:
    assert old in lesson
    return lesson.replace(old, new).encode()


def broken(old: str, new: str) -> bytes:
    return changed(GOOD, old, new)


def test_the_good_one_is_good() -> None:
    drawn = work_out(read_lesson(GOOD.encode(), "word"), tk.get_encoding)
    assert drawn["takeaway"] == "A word can be 1 token."
    assert drawn["notes"] == "Ask first: what is a word?"
    assert drawn["steps"][0]["shows"][0]["tokens"] == [
        {"id": 31373, "text": "hello", "hex": "68 65 6c 6c 6f", "part": False}
    ]
    assert drawn["steps"][0]["sources"] == [
        {"says": "Somebody 2024", "address": "https://a.org/b?c#d", "site": "a.org"}
    ]


UNREADABLE = {
    "a number beyond Python": (b"minutes = " + b"9" * 5000, "cannot be read"),
    "too large": (b"#" * (MAX_LESSON_BYTES + 1), "KB"),
    "too many steps": (GOOD.encode() + b"[[step]]\nkind = 'say'\nasks = 'x'\n" * MAX_STEPS, "up to 30"),
    "a text that is too long": (broken('"hello"', f'"{"x" * (MAX_TEXT + 1)}"'), "2,000"),
}


@pytest.mark.parametrize("data, says", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_one_sentence(data: bytes, says: str) -> None:
    with refused(re.escape(says)):
        read_lesson(data, "word")


def test_read_lesson_takes_no_more_functions_than_there_may_be() -> None:
    figures = [f"n{number} = 'bytes(word)'" for number in range(MAX_CALLS - 1)]  # and one in the lesson
    most = broken("[figures]", "\n".join(["[figures]", *figures]))
    assert len(read_lesson(most, "word").figures) == MAX_CALLS
    with refused(f"formulas have {MAX_CALLS + 1} functions together"):
        read_lesson(most.replace(b"[figures]", b"[figures]\nmore = 'bytes(word)'"), "word")


def test_phones_fetch_the_script_of_each_kind() -> None:
    page = (ASSETS / "classroom" / "page.html").read_text("utf-8")
    assert set(re.findall(r"lesson/kinds/(\w+)\.js", page)) == CLASS_KINDS.keys()


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


# Formulas


def test_check_formula_refuses_deep_nesting() -> None:
    with refused("^claims"):
        check_formula("(" * 250 + "1" + ")" * 250, ["word"], "claims")


def value(formula: str, /, **texts: Value) -> Value:
    check_formula(formula, texts, "test")
    return evaluate(formula, texts, tk.get_encoding)


def test_a_text_to_learn_from_is_short() -> None:
    assert value("left(text, 0)", text="ab" * 150) == MAX_LEARNED_TEXT
    with refused("up to 300 characters"):
        value("left(text, 0)", text="ab" * 151)


@pytest.mark.parametrize("first, next_one", [("999999999", "{0} * {0}"), ("'abcdefgh'", "{0} + {0}")])
def test_figures_that_grow_are_stopped(first: str, next_one: str) -> None:
    """Sixty figures, each the double or the square of the one before, stay small."""
    figures = [f"f{n} = {json.dumps(next_one.format(f'f{n - 1}'))}" for n in range(1, 60)]
    lines = "\n".join([f'f0 = "{first}"', *figures])
    lesson = read_lesson(broken("[figures]", f"[figures]\n{lines}"), "word")
    with refused("more than a formula may come to"):
        work_out(lesson, tk.get_encoding)
