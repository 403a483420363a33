"""Names and texts that would be markdown or HTML, on every page: they are shown as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import pytest
from google.protobuf.message import Message  # type: ignore[import-untyped]

import tokenizers as tk
from pages.explore.playground.tools import TOOLS
from pages.grow.add_tokenizer.state import TokenizerImport
from pages.measure.languages import measurements
from pages.measure.vocabulary_size import texts as size_texts
from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import digest_of
from pages.session.tokenizer_files import TokenizerFile
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from pages.shared.session import key_of
from tests.trained import report_of
from tests.visit import PAGES, Visit
from tokenizers.bpe.home import HomeEncoding
from tokenizers.encoding import ChatTemplates
from tokenizers.files import WRITERS, load

PICTURE = "![x](http://evil.example/a.png)"
ELEMENT = "<img src=x onerror=window.harmed=1>"
LINK = "[b](http://evil.example) :smile: $x$"
ADDRESSES = "http://evil.example www.evil.example a@evil.example HTTPS://evil.example"
STRANGE = [PICTURE, ELEMENT, LINK]
OWN = ["own-1", "own-2"]
PARTS = ("Tokens", "On new text", "Recipe", "Download")  # of what was trained
MARKS = ("![", "<img", "[b](")

READ_AS_MARKDOWN = set(
    "label help body text content caption captions tooltip title delta placeholder message".split()
)
"""The names of the fields in which Streamlit may read markdown; what else it is sent it shows as it is."""

PLAIN_ELEMENTS = {("text", "body")}
"""Elements that show such a field as it is: st.text."""


def encodings(names: list[str]) -> list[HomeEncoding]:
    """Encodings with these names, each of which is that of a special token, too."""
    return [tk.train(f"the cat sat on the mat, {name}" * 9, 290, "gpt4", [name], name=name) for name in names]


WORD_PIECES = b"[PAD]\n[UNK]\nhello\n[CLS]\n[SEP]\n"  # loses most of a text
UNIGRAM = b"""{"version": "1.0", "added_tokens": [], "model": {"type": "Unigram", "unk_id": 0, "vocab": [
    ["<unk>", -9.0], ["h", -1.0], ["hello", -1.0], ["![", -1.0], ["[", -2.0], ["!", -2.0]]}}"""
TEXT = f"hello {PICTURE} {ELEMENT} {LINK}"


def workspace() -> Workspace:
    """A session with encodings of several families and texts of these names, which stand on every page."""
    made = Workspace(text=TEXT)
    digests = {made.own_texts.add(name, f"Of {name}"): digest_of(f"Of {name}") for name in STRANGE}
    recipe = Recipe(parts=tuple((key, 1.0) for key in digests), special_tokens=(ELEMENT,), name=PICTURE)
    (encoding,) = encodings([PICTURE])
    encoding.chat_templates = ChatTemplates("{{ messages[0].content }}")
    report = report_of(title=PICTURE)
    made.own_encodings.add(OwnEncoding(encoding, recipe=recipe, report=report, own_digests=digests))
    made.own_encodings.add(OwnEncoding(load(WORD_PIECES, ELEMENT, lowercase=True)))
    made.own_encodings.add(OwnEncoding(load(UNIGRAM, LINK)))
    made.encodings = list(made.own_encodings)
    return made


def words_of(message: Message) -> Iterator[tuple[str, str]]:
    """All words that an element is sent, each with the name of its field."""
    for descriptor, value in message.ListFields():
        values = value if isinstance(value, list | tuple) or hasattr(value, "append") else [value]
        for each in values:
            if isinstance(each, Message):
                yield from words_of(each)
            elif isinstance(each, str):
                yield descriptor.name, each


def elements(block: Any) -> Iterator[Any]:
    for node in block.children.values():
        if isinstance(getattr(node, "proto", None), Message):
            yield node
        if hasattr(node, "children"):
            yield from elements(node)


def cells(table: pd.DataFrame) -> list[str]:
    """All words of a table, in each of which st.table reads markdown."""
    return [str(word) for word in (*table.columns, *table.index, *table.to_numpy().flat)]


def raw_labels(visit: Visit) -> list[tuple[str, str, str]]:
    """Where a strange name stands in markdown as it was typed: element, field, words."""
    labels = [
        (node.type, field, words)
        for node in elements(visit.test._tree)
        for field, words in words_of(node.proto)
        if field in READ_AS_MARKDOWN and (node.type, field) not in PLAIN_ELEMENTS
    ]
    labels += [("table", "cell", words) for table in visit.test.table for words in cells(table.value)]
    return [label for label in labels if any(mark in label[2].replace(escape(mark), "") for mark in MARKS)]


LESSON = f"""title = '{PICTURE}'
question = '{ELEMENT}'
minutes = 1
[[step]]
kind = "say"
asks = '{LINK}'
reveals = '{PICTURE}'
"""
TREES: dict[str, object] = {
    "encodings": STRANGE,
    "cuts_encoding": PICTURE,
    "token_encoding": PICTURE,
    "text": TEXT,
}
COMPARED = {"a": PICTURE, "b": ELEMENT, "line": TEXT, "files": True}
COMPARED |= {"draw_round_trips_files": True, "draw_hard_texts_files": True}
COMPRESSED: dict[str, object] = {"encodings": STRANGE, "texts": OWN, "baseline": PICTURE}
SIZES: dict[str, object] = {
    "encodings": STRANGE,
    "text": "own-1",
    "beside": "own-2",
    "model_encoding": PICTURE,
}
CHOSEN: list[tuple[str, Mapping[str, object]]] = [
    ("explore/playground/page.py", {}),
    ("grow/add_tokenizer/page.py", {}),
    ("grow/by_hand/page.py", {}),
    *(("explore/playground/page.py", {"tool": tool}) for tool in TOOLS),
    ("explore/playground/page.py", {"tool": "Chat", "chat_template": PICTURE}),
    ("explore/merge_trees/page.py", TREES),
    ("explore/unicode/page.py", {"encodings": STRANGE, "text": TEXT}),
    ("explore/vocabulary/page.py", {"encoding": PICTURE, "token": (PICTURE, 260)}),
    ("explore/vocabulary/page.py", {"encoding": ELEMENT, "query": PICTURE}),
    *(("grow/train/page.py", {"texts": OWN, "name": PICTURE, "parts": part}) for part in PARTS),
    ("measure/compare/page.py", COMPARED | {"text": "own-1"}),
    ("measure/compression/page.py", COMPRESSED),
    ("measure/compression/page.py", COMPRESSED | {"only_text": "own-1", "only_encoding": ELEMENT}),
    ("measure/languages/page.py", {"encodings": STRANGE, "lead": PICTURE}),
    ("measure/languages/page.py", {"encodings": STRANGE, "focus": "own-1", "own_chosen": OWN}),
    ("measure/vocabulary_size/page.py", SIZES),
    ("learn/lessons/page.py", {"lesson": "own", "own": LESSON}),
    ("learn/words/page.py", {"find": PICTURE}),
]
"""What a page is to show of the strange names, by the fields of its state."""


@pytest.mark.slow
@pytest.mark.parametrize("page, fields", CHOSEN, ids=[page for page, _ in CHOSEN])
def test_strange_names_are_shown_as_they_were_typed(
    page: str, fields: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurements, "count_text", lambda encoding, text: text.n_chars)  # the quick way
    monkeypatch.setattr(size_texts, "MAX_CURVE_BYTES", 20)  # the texts are longer
    state = {f"{page.split('/')[1]}_{field}": value for field, value in fields.items()}
    if fields is SIZES:
        state |= {"vocabulary-size_files": True, "sweet-spot_files": True}  # what is below its charts
    made = workspace()
    if page == "grow/add_tokenizer/page.py":  # a file that does not say how it cuts
        imports = state[key_of(TokenizerImport)] = TokenizerImport()
        data = WRITERS[".tiktoken"](encodings(["xy"])[0])
        imports.read([TokenizerFile(PICTURE, data, len(data))], made)
    visit = Visit(page, {}, workspace=made, **state)
    assert {key: visit.test.session_state[key] for key in state} == state  # the page let go of none
    assert not raw_labels(visit)


@pytest.mark.slow
def test_the_walk_sees_what_is_not_plain() -> None:
    """Otherwise it would find nothing, whatever is there."""
    assert {page for page, _ in CHOSEN} == set(PAGES)
    visit = Visit("explore/playground/page.py", {}, workspace=workspace(), playground_tool="Cost")
    (field, *_) = visit.test.number_input
    assert field.proto.label == escape(PICTURE)
    field.proto.label = PICTURE
    assert raw_labels(visit) == [("number_input", "label", PICTURE)]


def test_a_note_that_an_address_asks_for_is_plain() -> None:
    visit = Visit(
        "measure/compression/page.py", {"encoding": ["gpt2", "\u202egpj", *ADDRESSES.split(), *STRANGE]}
    )
    (note,) = visit.test.warning
    assert "not here" in note.value and "\u202e" not in note.value and not raw_labels(visit)
    assert not re.search(r"https?(\\?):(\\?)//|www(\\?)\.|@evil", note.value, re.IGNORECASE)
