"""Wrong inputs, as Python writes them, and below them what is said: tests/known_answers/refusals.txt."""

from __future__ import annotations

import ast
import codecs
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import tokenizers as tk
from pages.session.train_plan import Recipe
from pages.teaching.class_plan import read_plan
from pages.teaching.formulas import check_formula
from pages.teaching.lesson_draft import LessonDraft, StepDraft, check_draft, read_draft, write_draft
from pages.teaching.lesson_files import list_lessons, read_lesson
from pages.teaching.room import RoomError
from pages.teaching.work_out import work_out
from tests.refusals import refused
from tests.test_api import ON, client_of, refuse
from tests.test_classroom import CHOICE, CUTS, NUMBER, SAY, TYPED, open_room
from tests.test_conversions import small
from tests.test_formats import BYTES, encoder
from tests.test_gguf import small_gguf
from tests.test_kinds_of_files import MERGES, RWKV, VOCAB
from tests.test_lesson_draft import OTHER
from tests.test_lessons import broken, changed, value
from tests.test_pipelines import content, read, tekken
from tests.written import read_sections
from tokenizers.bpe import HomeEncoding
from tokenizers.data import read_bundled
from tokenizers.families import learn_pieces
from tokenizers.files import file_pairs, finding, gguf, load, pieces_to_json
from tokenizers.files.known import way_of
from tokenizers.files.sentencepiece import to_bytes
from tokenizers.measure import search_tokens
from tokenizers.measure.cost import Model
from tokenizers.text import code_point
from tokenizers.text.chat import TEMPLATES
from tokenizers.text.chat_json import parse_chat
from tokenizers.text.decoding import parse_ids
from tokenizers.text.files import decode_file
from tokenizers.text.uploaded_chat import render_template


def load_text(text: str) -> None:
    """Load a file of this text; in other forms, it is refused in the same words."""
    for form in (codecs.BOM_UTF8 + text.encode(), text.replace("\n", "\r\n").encode("utf-16")):
        with pytest.raises(ValueError) as problem:
            load(form)
        with pytest.raises(ValueError, match=f"^{re.escape(str(problem.value))}$"):
            load(text.encode())
    load(text.encode())


def render_with(request: Any) -> None:
    chat = {"messages": [{"role": "user", "content": "Hi"}]} | request
    render_template("{{ messages[0].content }}", parse_chat(json.dumps(chat)), {})


def check_form(asked: Any) -> None:
    """Check a lesson of the form: its title, and its steps."""
    title, steps = asked
    draft = LessonDraft(title, "A question?", 1, tuple(StepDraft(**step) for step in steps))
    check_draft(draft)
    work_out(read_lesson(write_draft(draft).encode(), "own"), tk.get_encoding)


def ask_api(request: Any) -> None:
    raise ValueError(refuse(client_of(ON), *request))


def train_with(arguments: Any) -> None:
    tk.train(**{"text_or_texts": "the cat sat on the mat", "vocab_size": 300, **arguments})


def learn_with(settings: str) -> None:
    """Learn pieces with settings in JSON, of bundled texts."""
    asked = json.loads(settings)
    texts = [read_bundled(key).texts[0] for key in asked.pop("texts")]
    learn_pieces(texts, **{"kind": "bpe", **asked})


def check_recipe(settings: Any) -> None:
    recipe = Recipe(**settings)
    recipe.check(dict.fromkeys(dict(recipe.parts), 10 << 20))  # the library of each Python has another size


def open_recipe(changes: str) -> None:
    """Open the recipe of a link with changes, in JSON as the link holds them."""
    state = Recipe(method="sp-bpe", parts=(("udhr:eng", 1.0),)).to_record()
    Recipe.from_state({**state, **json.loads(changes)})


def answer_in_class(asked: Any) -> None:
    """Answer a slide of a kind with what a phone sends, in JSON. The wall counts no wrong answer."""
    kind, sent = asked
    room = open_room(CUTS, CHOICE, NUMBER, SAY, TYPED)
    token = room.join()
    number = [slide.slide["kind"] for slide in room.slides].index(kind)
    room.go(number)
    try:
        room.answer(token, number, json.loads(sent))
    except RoomError as problem:
        assert room.wall_view()["answered"] == 0
        raise ValueError(problem.detail) from None


USES: dict[str, Callable[[Any], object]] = {
    "a file of this text": load_text,
    "a file of these bytes": load,
    "the bytes as ranks, and these lines": lambda lines: load(BYTES + lines, pattern="gpt4"),
    "the bytes as of RWKV, and these lines": lambda lines: load(RWKV + lines),
    "a .gguf file of these bytes": lambda data: gguf.from_bytes(data, "x"),
    "a .gguf file of this kind with these keys": lambda asked: gguf.from_bytes(small_gguf(*asked), "x"),
    "a small tokenizer.json with these parts": lambda parts: read(content(**parts)),
    "a small tekken.json with these parts": lambda parts: load(tekken(**parts)),
    "tiktoken's file for JavaScript with these parts": lambda parts: load(encoder(**parts)),
    "a vocab.json and a merges.txt": lambda files: file_pairs.join_vocab_and_merges(
        files[0], files[1], way_of("gpt2")
    ),
    "a vocab.txt": lambda file: file_pairs.from_vocab_txt(file, True),
    "two halves of which this is told": lambda told: load(VOCAB, **{"beside": MERGES, **told}),
    "a pasted chat": parse_chat,
    "a chat with these settings": render_with,
    "a pasted chat by this template": lambda asked: TEMPLATES[asked[0]].render_chat(parse_chat(asked[1])),
    "pasted ids": parse_ids,
    "a search of the tokens of gpt2": lambda query: search_tokens(
        tk.vocabulary_of(tk.get_encoding("gpt2")), *query
    ),
    "a lesson in which the first text becomes the second": lambda change: work_out(
        read_lesson(broken(*change), "word"), tk.get_encoding
    ),
    "a lesson for the form in which the first text becomes the second": lambda change: read_draft(
        read_lesson(changed(OTHER, *change), "own")
    ),
    "a lesson in the form, with this title and these steps": check_form,
    "a character": code_point,
    "a formula": lambda formula: check_formula(formula, ["word"], "claims"),
    "a formula that comes to nothing": value,
    "the file of a lesson": lambda data: read_lesson(data, "word"),
    "an answer in a class": answer_in_class,
    "a plan of a class": lambda plan: read_plan(plan, list_lessons()),
    "a request to the API": ask_api,
    "merges of a text with these arguments": lambda arguments: tk.iter_merges("aa", **arguments),
    "a training with these arguments": train_with,
    "pieces that SentencePiece learns with these settings": learn_with,
    "a SentencePiece model of these merges, pattern and special tokens": lambda made: to_bytes(
        HomeEncoding(*made)
    ),
    "a tokenizer.json of these pieces, by SentencePiece's numbers of kinds": lambda more: pieces_to_json(
        small(more)
    ),
    "a file of these bytes and this name as text, in this character set": lambda asked: decode_file(*asked),
    "a model of this width and so many layers": lambda size: Model(*size),
    "the name of a repository": finding.check_repository,
    "a recipe with these settings": check_recipe,
    "the recipe of a link with these changes": open_recipe,
    "a tokenizer of these merges and special tokens": lambda made: HomeEncoding(made[0], None, made[1]),
}
SECTIONS = read_sections("refusals.txt")


def test_every_section_has_a_use() -> None:
    assert SECTIONS.keys() == USES.keys()


@pytest.mark.parametrize("kind", SECTIONS)
def test_refusals(kind: str, subtests: pytest.Subtests) -> None:
    for paragraph in SECTIONS[kind]:
        *inputs, sentence = paragraph.split("\n")
        assert inputs, f"nothing is refused by this: {sentence}"
        for each in inputs:
            with subtests.test(each):
                with refused(".", longest=400) as problem:
                    USES[kind](ast.literal_eval(each))
                assert f"  {problem.value}" == sentence
