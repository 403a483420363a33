"""Draws a token's biography: its facts, merge tree, parents, children, and twins in other encodings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.session.workspace import Workspace
from pages.shared import page_files
from pages.shared.colours import css_hue_in
from pages.shared.components import newest_event, register
from pages.shared.trees import LONGEST_TREE, describe_node
from tokenizers.bpe import merge_tree
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.measure import Biography, Vocabulary, vocabulary_of
from tokenizers.registry import encoding_title, model_name
from tokenizers.text import quote

_MANY = 60  # tokens of a list that may be thousands long

_mount = register("biography", "event")


def prepare_trees(vocabulary: Vocabulary) -> None:
    """Compute which tokens do not encode to themselves, with a spinner if it takes long."""
    with st.spinner("Encoding each token: a few seconds, once."):
        vocabulary.unreachable  # noqa: B018  (computed when it is first read)


def see_in_playground(workspace: Workspace, name: str, token_id: int) -> None:
    """Open the playground with a text that has the token, and pin the token there."""
    encoding = workspace.find_encoding(name)
    special = encoding.is_special(token_id)
    text = encoding.token_bytes(token_id).decode() if special else vocabulary_of(encoding).example(token_id)
    if text is not None:
        workspace.show_token(name, token_id, text, special=special)
        st.switch_page(page_files.PLAYGROUND)


def clicked_token(workspace: Workspace, key: str) -> tuple[str, int] | None:
    """The token (encoding, id) that was just clicked in this biography. May open the playground instead."""
    event = newest_event(key) or {}
    name = event.get("encoding")
    token_id = event.get("id")
    if name not in workspace.encoding_names() or not workspace.is_token(token_id, name):
        return None
    if event.get("see") is True:
        see_in_playground(workspace, name, token_id)
    return name, token_id


def draw_biography(
    workspace: Workspace, encoding: Encoding, token_id: int, key: str, *, arrives: bool = False
) -> None:
    """Draw the facts about a token as one card.

    Args:
        workspace: the session's workspace.
        encoding: the token's encoding.
        token_id: the token's id.
        key: the key of the component.
        arrives: whether another page linked to the biography, so that the page scrolls to it.

    Raises:
        ValueError: the encoding has no such id; names it.
    """
    vocabulary = vocabulary_of(encoding)
    compared = dict.fromkeys([*workspace.encodings, "gpt2", "cl100k_base", "o200k_base"])
    names = workspace.encoding_names()
    others = [workspace.find_encoding(name) for name in compared if name != encoding.name and name in names]
    data = _describe(workspace, vocabulary, vocabulary.biography(token_id, others)) | {"arrives": arrives}
    _mount(data, key)


def _describe(workspace: Workspace, vocabulary: Vocabulary, life: Biography) -> JsonObject:
    encoding = vocabulary.encoding
    n_bytes = len(life.token_bytes)
    example = None if life.special or life.unknown else vocabulary.example(life.token_id)
    why = _why_no_merge(encoding, life)
    tree = None
    hint = f"No tree: {why}."
    if encoding.has_merges and not life.special:
        tree = describe_node(merge_tree(encoding, life.token_id)) if n_bytes <= LONGEST_TREE else None
        hint = f"This token has {n_bytes:,} bytes, too many to draw its tree here."

    def listed(title: str, ids: Sequence[int], none: str) -> JsonObject:
        items = [{"id": each, "bytes": encoding.token_bytes(each).hex()} for each in ids[:_MANY]]
        return {"title": title, "none": none, "total": len(ids), "items": items}

    variants = listed("Case and space", [], "This is not a word.")
    variants["items"] = [{"id": each.token_id, "bytes": each.text.encode().hex()} for each in life.variants]
    elsewhere = listed(
        "The same bytes in other tokenizers", [], "There is no other tokenizer to compare with."
    )
    elsewhere["items"] = [
        {"id": each, "encoding": name, "model": model_name(name), "hue": css_hue_in(workspace, name)}
        for name, each in life.elsewhere
    ]
    return {
        "encoding": encoding.name,
        "title": encoding_title(encoding.name),
        "hue": css_hue_in(workspace, encoding.name),
        "id": life.token_id,
        "bytes": life.token_bytes.hex(),
        "can_be_seen": life.special or example is not None,
        "note": _note(encoding, life, example),
        "facts": [
            ("id", str(life.token_id), True),
            ("rank", f"none: {why}" if life.rank is None else str(life.rank), life.rank is not None),
            ("bytes", life.token_bytes.hex(" "), True),
            ("length in bytes", f"{n_bytes:,}", False),
            ("UTF-8", life.utf8, False),
            ("script", "none of its own" if life.script == "Common" else life.script, False),
        ],
        "tree": tree,
        "tree_hint": hint,
        "lists": [
            listed("Built from", life.parents, f"None: {why}."),
            listed("Next merges", life.children, "No other token is built from it."),
            listed("Tokens that contain its bytes", life.containing, "None."),
            variants,
            elsewhere,
        ],
    }


def _why_no_merge(encoding: Encoding, life: Biography) -> str:
    """Why no merge makes this token, as it follows "none: "."""
    if life.special:
        return "it is a special token"
    if life.unknown:
        return "it stands for any text that is not in the vocabulary"
    if encoding.not_drawn:
        return "its merges are not drawn here"
    if not encoding.has_merges:
        return "nothing merges here"
    return "it is a single character or byte" if encoding.joining else "it is a single byte"


def _note(encoding: Encoding, life: Biography, example: str | None) -> str | None:
    """A sentence about a token that does not encode to itself."""
    if life.encodes_to_itself is not False:
        return None
    pieces = [encoding.token_bytes(token_id) for token_id in life.encodes_to]
    if pieces == [life.token_bytes]:
        return (
            f"Token {life.encodes_to[0]} has the same bytes, and is used instead: a character’s token comes "
            "before its byte’s. This one never appears."
        )
    note = f"It does not encode to itself. Its own text becomes {' + '.join(map(quote, pieces[:8]))}."
    if example is not None:
        note += f" In longer text it does appear, as in {quote(example.encode())}."
    return note
