"""What the editor shows above the comparison at a first visit: how letters become numbers, and what for.

Six scenes, each with one move and one sentence. In the first, a slider joins letters to words; in the second,
the tiny model of the lesson "What happens next" goes on with a text; in the others, a button changes a text
into another one. All tokens are those of ``ENCODING``. The scenes are drawn by
``assets/components/editor/introduction.js``.
"""

from __future__ import annotations

import functools

from pages.session.workspace import WELCOME
from pages.shared.components import base64_of
from tokenizers.bpe import cuts_by_size
from tokenizers.data import code_of_tag, get_language
from tokenizers.json_types import JsonObject
from tokenizers.measure import draw_row, finish_sentence, next_pieces
from tokenizers.registry import get_encoding
from tokenizers.text import spell_text
from tokenizers.utf8 import first_bytes, well_formed

ENCODING = "o200k_base"
_MAX_LINE = 48  # bytes
_MAX_CHIPS = 24
_PROMPT = " said"
_ANSWERS = 2  # tokens, after which the prompt is a sentence
_CANDIDATES = 3
_COUNTS = 5
_ENGLISH = "eng"
_OTHER_LANGUAGE = "mya"
"""Beside English for a browser in English: Burmese, which most tokenizers cut into many tokens."""


def describe_introduction(text: str, locale: str | None) -> JsonObject:
    """The scenes, as the browser draws them.

    Args:
        text: of the editor, whose first line is cut.
        locale: the browser's language, such as "pt-BR"; None: unknown.
    """
    code = code_of_tag(locale or "")
    if code is None or code == _ENGLISH:
        code = _OTHER_LANGUAGE
    return {"line": _describe_line(_beginning_of(text)), **_describe_scenes(code)}


def _beginning_of(text: str) -> str:
    """The first line with something in it, or its first words."""
    lines = text[:10_000].split("\n")
    line = well_formed(next((each for each in lines if each.strip()), WELCOME.split("\n")[0]))
    head = first_bytes(line, _MAX_LINE)
    if len(head) == len(line):
        return head
    return head[: head.rfind(" ")] if " " in head.strip() else head


@functools.lru_cache(maxsize=64)
def _describe_line(line: str) -> JsonObject:
    """A line's bytes, and for each the vocabulary size from which no token begins there."""
    encoding = get_encoding(ENCODING)
    return {
        "bytes": base64_of(line.encode()),
        "gone": base64_of(cuts_by_size(encoding, line).astype("<u4").tobytes()),
        "byte_ids": [encoding.ordinary[bytes([byte])] for byte in range(256)],
    }


@functools.lru_cache(maxsize=64)
def _describe_scenes(code: str) -> JsonObject:
    """The scenes that are the same for every text, with a language beside English."""
    name = get_language(code).name.split(",")[0].split(" (")[0]  # "German, Standard (1996)"
    english = _describe_text(get_language(_ENGLISH).text, "English")
    theirs = _describe_text(get_language(code).text, name)
    return {
        "model": [_describe_row(shown) for shown in range(_ANSWERS + 1)],
        "pairs": [
            # "moves": the button that leads to the second text, and the one that leads back.
            {
                "name": "Spaces",
                "sentence": "A space belongs to the word after it, and makes it another number.",
                "moves": ["Put a space before it", "Take the space away"],
                "sides": [_describe_text("tree"), _describe_text(" tree", "·tree")],
            },
            {
                "name": "Numbers",
                "sentence": "GPT-4o does not get a long number whole, but three digits at a time.",
                "moves": ["Write it with commas", "Without commas"],
                "sides": [_describe_text("1234567"), _describe_text("1,234,567")],
            },
            {
                "name": "Languages",
                "sentence": f"The Universal Declaration of Human Rights: {english['count']:,} numbers in "
                f"English, {theirs['count']:,} in {name}.",
                "moves": [f"Show it in {name}", "Show it in English"],
                "sides": [english, theirs],
            },
            {
                "name": "Emoji",
                "sentence": "An emoji may be several characters in one, and a token may hold just some "
                "bytes of it.",
                "moves": ["Make her an astronaut", "Back to Earth"],
                "sides": [
                    _describe_text("\N{WOMAN}"),
                    _describe_text("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}"),
                ],
            },
        ],
    }


def _describe_text(text: str, shown: str | None = None) -> JsonObject:
    """The number of a text's tokens, and the id and bytes of the first.

    Args:
        text: what is encoded.
        shown: what stands before the tokens; None: the text.
    """
    encoding = get_encoding(ENCODING)
    ids = encoding.encode(text)
    chips = [[token_id, encoding.token_bytes(token_id).hex(), ""] for token_id in ids[:_MAX_CHIPS]]
    return {"shown": text if shown is None else shown, "count": len(ids), "tokens": chips}


def _describe_row(n_answers: int) -> JsonObject:
    """The tiny model's row for the last token of the prompt, after so many answers of its own."""
    text = finish_sentence(_PROMPT, most=n_answers)
    row = draw_row(text)
    candidates = [[spell_text(piece.text), piece.share] for piece in next_pieces(text, _CANDIDATES)]
    return {
        "token": row["token"],
        "id": row["id"],
        "n_vocab": row["n_vocab"],
        "counts": [count for _, count in row["row"][:_COUNTS]],
        "next": candidates,
    }
