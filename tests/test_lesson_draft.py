"""A lesson in a form's fields: written as a file and read again, it is the same one."""

from __future__ import annotations

import pytest

import tokenizers as tk
from pages.learn.lessons.state import EXAMPLE as EXAMPLE_FILE
from pages.teaching.lesson_draft import (
    EXAMPLE,
    LABELS,
    LessonDraft,
    StepDraft,
    check_draft,
    read_draft,
    write_draft,
)
from pages.teaching.lesson_files import read_lesson
from pages.teaching.work_out import work_out

QUESTION = StepDraft("choice", "How many?", choices=("{tokens}", "None"), text="héllo", encodings=("gpt2",))


def lesson_of(*steps: StepDraft) -> LessonDraft:
    return LessonDraft("A title", "A question?", 5, steps)


ODD = "a 'b' \"c\"\\ {tokens}, {bytes}\n größe \x7f\u2028😀"
ODD_NAMES = ("my 'own' \"one\"\\", "größe", "gpt2", "cl100k_base")
DRAFTS = [
    EXAMPLE,
    lesson_of(
        StepDraft("cuts", ODD, ODD, ODD, ODD_NAMES),
        StepDraft("number", ODD, "{characters}", ODD, ODD_NAMES, high=2),
        StepDraft("choice", ODD, "", ODD, ODD_NAMES[:1], (*"abcde", "{tokens} \"'"), 5),
        StepDraft("choice", "?", "b", choices=("a", "b")),
        StepDraft("say", ODD, "", ODD, ODD_NAMES),
    ),
    lesson_of(StepDraft("say", '"{x}" \\ \x7f \x00 \u2028 😀')),
    lesson_of(StepDraft("cuts", "{tokens}", "", "\r\n\t\x7f'\"\\", ("a'b",))),
    LessonDraft("", "", 1, tuple(StepDraft(kind, "") for kind in LABELS)),
]


@pytest.mark.parametrize("draft", DRAFTS, ids=range(len(DRAFTS)))
def test_write_draft_is_read_again(draft: LessonDraft) -> None:
    written = write_draft(draft).encode()
    assert read_draft(read_lesson(written, "own", unfinished=True)) == draft


def test_the_example_is_a_lesson_and_counts() -> None:
    check_draft(EXAMPLE)
    drawn = work_out(read_lesson(EXAMPLE_FILE.encode(), "own"), tk.get_encoding)
    assert drawn["steps"][0]["reveals"] == "It takes 3 tokens."
    number = StepDraft("number", "How many?", "{tokens}, of {bytes} bytes", "héllo", ("gpt2",), high=9)
    (guess, choice) = work_out(
        read_lesson(write_draft(lesson_of(number, QUESTION)).encode(), "own"), tk.get_encoding
    )["steps"]
    assert (guess["value"], guess["high"], guess["reveals"]) == (3, 9, "3, of 6 bytes")
    assert choice["choices"] == ["3", "None"] and choice["right"] == 0


OTHER = """
title = "T"
question = "Q?"
minutes = 1
[texts]
text_1 = "hello"
[figures]
tokens_1 = "tokens(text_1, 'gpt2')"
[[step]]
kind = "number"
asks = "How many?"
text = "text_1"
encodings = ["gpt2"]
figure = "tokens_1"
low = 1
high = 9
reveals = "{tokens_1}"
"""


def test_read_draft_of_what_somebody_else_wrote() -> None:
    (step,) = read_draft(read_lesson(OTHER.encode(), "own")).steps
    assert step == StepDraft("number", "How many?", "{tokens}", "hello", ("gpt2",), high=9)
