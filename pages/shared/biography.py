"""Any token's biography: what it is, its tree, its parents and children, its twins elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.session.workspace import Workspace
from pages.shared import page_files
from pages.shared.colours import hue_in
from pages.shared.components import newest_message, register
from pages.shared.plain import plain
from pages.shared.reply import LONGEST_TREE, describe_node
from pages.shared.session import get_kept
from tokenizers.bpe import merge_tree
from tokenizers.encoding import Encoding
from tokenizers.measure import Biography, Vocabulary, vocabulary_of
from tokenizers.text import quote

_NOT_DRAWN = "Its merges are not drawn here."
_MANY = 60  # tokens of a list that may be thousands long

_mount = register("biography")


@dataclass
class _Followed:
    """The click in each biography that was followed last: when it was, by the component's key."""

    clicks: dict[str, object] = field(default_factory=dict)


def prepare_trees(vocabulary: Vocabulary) -> None:
    """Work out which tokens do not encode to themselves, and say so if it takes a while."""
    if not vocabulary.is_prepared("trees"):
        name = plain(vocabulary.encoding.name)
        with st.spinner(f"Encoding each token of {name}: a few seconds, once."):
            vocabulary.prepare("trees")


def see_in_playground(workspace: Workspace, name: str, token_id: int) -> None:
    """Go to the playground with a text in which the token arises, and the token pinned there."""
    encoding = workspace.encoding(name)
    special = encoding.is_special(token_id)
    text = vocabulary_of(encoding).example(token_id)
    if special:
        text = encoding.token_bytes(token_id).decode("utf-8")
    if text is None:
        return
    workspace.show_token(name, token_id, text, special=special)
    st.switch_page(page_files.PLAYGROUND)


def clicked_in(workspace: Workspace, key: str) -> tuple[str, int] | None:
    """Where a click in the biography under this key leads: (encoding, id), once for each click."""
    message, followed = newest_message(key), get_kept(_Followed).clicks
    if not message or message.get("at") == followed.get(key):
        return None
    followed[key] = message.get("at")
    available = workspace.encoding_names()
    wanted: Any = message.get("go") or message
    if not isinstance(wanted, dict):
        return None
    name, token_id = wanted.get("encoding"), wanted.get("id")
    if name not in available or not workspace.is_token(token_id, name):
        return None
    if message.get("see") is True:
        see_in_playground(workspace, name, token_id)
    return (name, token_id) if message.get("go") else None


def draw_life(
    workspace: Workspace, encoding: Encoding, token_id: int, key: str, *, arrives: bool = False
) -> None:
    """Everything that is known about a token, as one card.

    Args:
        workspace: of the session.
        encoding: the token's.
        token_id: which one.
        key: of the component.
        arrives: whether a person comes for it: the page is scrolled to it.

    Raises:
        ValueError: an id that the encoding does not have; names it.
    """
    vocabulary = vocabulary_of(encoding)
    compared = dict.fromkeys([*workspace.encodings, "gpt2", "cl100k_base", "o200k_base"])
    names = workspace.encoding_names()
    others = [workspace.encoding(name) for name in compared if name != encoding.name and name in names]
    _mount(
        data=_describe(workspace, vocabulary, vocabulary.biography(token_id, others)) | {"arrives": arrives},
        key=key,
        on_message_change=lambda: None,
    )


def _describe(workspace: Workspace, vocabulary: Vocabulary, life: Biography) -> dict[str, Any]:
    encoding = vocabulary.encoding
    example = None if life.special or life.unknown else vocabulary.example(life.token_id)
    n_bytes = len(life.token_bytes)
    facts = [
        ("id", str(life.token_id), True),
        ("rank", _rank_in_words(encoding, life), life.rank is not None),
        ("bytes", life.token_bytes.hex(" "), True),
        ("length", _length_in_words(n_bytes, life), False),
        ("UTF-8", life.utf8, False),
        ("script", "none of its own" if life.script == "Common" else life.script, False),
    ]
    tree = None
    hint = "A special token: no merge makes it."
    if not encoding.has_merges:
        hint = encoding.without_trees(": there is no tree")
    elif not life.special:
        hint = f"A token of {n_bytes:,} bytes: its tree is too large to draw here."
        if n_bytes <= LONGEST_TREE:
            tree = describe_node(merge_tree(encoding, life.token_id))
    see = None
    if life.special:
        see = "Its text in the editor, as a special token"
    elif example is not None:
        see = f"{quote(example.encode())} in the editor, with this token pinned"

    def tokens(ids: Iterable[int]) -> list[dict[str, Any]]:
        return [{"id": i, "bytes": encoding.token_bytes(i).hex()} for i in ids]

    return {
        "encoding": life.encoding,
        "hue": hue_in(workspace, life.encoding),
        "id": life.token_id,
        "bytes": life.token_bytes.hex(),
        "see": see,
        "note": _note(encoding, life, example),
        "facts": facts,
        "tree": tree,
        "tree_hint": hint,
        "lists": [
            {
                "title": "Made of",
                "none": _why_no_parents(encoding, life),
                "total": len(life.parents),
                "items": tokens(life.parents),
            },
            {
                "title": "Next merges",
                "none": _why_no_children(encoding),
                "total": len(life.children),
                "items": tokens(life.children[:_MANY]),
            },
            {
                "title": "Tokens that contain its bytes",
                "none": "None.",
                "total": len(life.containing),
                "items": tokens(life.containing[:_MANY]),
            },
            {
                "title": "Case and space",
                "none": "No word, so no variants.",
                "total": 0,
                "items": [
                    {"id": variant.token_id, "bytes": variant.text.encode().hex()}
                    for variant in life.variants
                ],
            },
            {
                "title": "The same bytes elsewhere",
                "none": "There is no other encoding to look in.",
                "total": 0,
                "items": [
                    {
                        "id": other_id,
                        "bytes": life.token_bytes.hex(),
                        "encoding": name,
                        "hue": hue_in(workspace, name),
                    }
                    for name, other_id in life.elsewhere
                ],
            },
        ],
    }


def _why_no_parents(encoding: Encoding, life: Biography) -> str:
    if life.special:
        return "Nothing: it is a special token."
    if life.unknown:
        return f"Nothing: it stands for whatever is not in the vocabulary of {encoding.name}."
    if encoding.not_drawn:
        return _NOT_DRAWN
    if not encoding.has_merges:
        return "Nothing: no merge makes it, it is taken from the text as it is."
    if encoding.joining:
        return "Nothing: it is a single character or byte, there from the start."
    return "Nothing: it is a single byte, there from the start."


def _why_no_children(encoding: Encoding) -> str:
    if encoding.not_drawn:
        return _NOT_DRAWN
    return "No other token is made of it." if encoding.has_merges else "Nothing merges here."


def _rank_in_words(encoding: Encoding, life: Biography) -> str:
    if life.special:
        return "none: a special token"
    if life.unknown:
        return "none: the unknown token"
    if not encoding.has_merges:
        return "not drawn here" if encoding.not_drawn else "none: nothing merges"
    if encoding.joining and life.rank is None:
        return "none: a single character or byte"
    return "none: a single byte" if life.rank is None else str(life.rank)


def _length_in_words(n_bytes: int, life: Biography) -> str:
    length = f"{n_bytes:,} {'byte' if n_bytes == 1 else 'bytes'}"
    if life.text is not None:
        n_chars = len(life.text)
        length += f", {n_chars:,} {'character' if n_chars == 1 else 'characters'}"
    return length


def _note(encoding: Encoding, life: Biography, example: str | None) -> str | None:
    """What is odd about the token, in a sentence."""
    if life.encodes_to_itself is not False:
        return None
    if b"".join(map(encoding.token_bytes, life.encodes_to)) == life.token_bytes and len(life.encodes_to) == 1:
        (other,) = life.encodes_to
        return (
            f"Token {other} stands for the same bytes, and is the one that {encoding.name} takes: a "
            "character’s token goes before its byte’s. So this one never arises."
        )
    parts = " + ".join(quote(encoding.token_bytes(token_id)) for token_id in life.encodes_to[:8])
    note = f"It does not encode to itself: its own text becomes {parts}."
    if example is not None:
        note += f" In longer text it does arise, as in {quote(example.encode())}."
    return note
