"""A step of a class: everybody types a text, and the wall shows the tokens of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pages.teaching.drawn_tokens import draw_tokens, graphemes_of
from pages.teaching.kinds.kind import DrawnStep, Kind
from tokenizers import get_encoding
from tokenizers.json_types import JsonObject
from tokenizers.registry import model_name
from tokenizers.utf8 import well_formed

_ENCODING = "o200k_base"
MAX_TYPED = 60
"""The most characters of a typed text: so many of them fit on a wall."""


def ask_to_type() -> DrawnStep:
    """The slide of this kind."""
    get_encoding(_ENCODING)  # loaded now, and not when the first name comes
    return {
        "kind": "typed",
        "when": "lesson",
        "asks": "Type your name, or a short sentence",
        "model": model_name(_ENCODING),
        "most": MAX_TYPED,
    }


class TypedKind(Kind):
    """Type a text. An answer is the text with its tokens."""

    is_scored = False
    is_live = True
    question_fields = ("most", "model")

    def accept(self, slide: DrawnStep, value: Any) -> JsonObject | None:
        """A text of one line, and its tokens.

        >>> answer = TypedKind().accept({}, " my  name ")
        >>> answer["text"], [token["text"] for token in answer["tokens"]], answer["n_letters"]
        ('my name', ['my', '·name'], 6)
        """
        if not isinstance(value, str):
            return None
        text = " ".join(well_formed(value).split())
        if not 0 < len(text) <= MAX_TYPED:
            return None
        tokens = draw_tokens(get_encoding(_ENCODING), text, allowed_special=())["tokens"]
        return {"text": text, "tokens": tokens, "n_letters": _count_letters(text)}

    def picture(self, slide: DrawnStep, answers: Sequence[JsonObject]) -> JsonObject:
        """All texts. Of several, also the places of those with the most tokens, the fewest, and the most for
        their letters.
        """
        picture: JsonObject = {"typed": answers}
        if len(answers) > 1:
            counts = [len(answer["tokens"]) for answer in answers]
            for_letters = [Fraction(len(answer["tokens"]), answer["n_letters"]) for answer in answers]
            picture["most"] = _find_all(counts, max(counts))
            picture["most_for_letters"] = _find_all(for_letters, max(for_letters))
            if min(counts) < max(counts):
                picture["fewest"] = _find_all(counts, min(counts))
        return picture


def _count_letters(text: str) -> int:
    """The graphemes of a text that are no white space.

    >>> _count_letters("e\\u0301 a")
    2
    """
    return sum(not grapheme.isspace() for grapheme in graphemes_of(text))


def _find_all(values: Sequence[Any], wanted: Any) -> list[int]:
    """The places of all values that are equal to the wanted one."""
    return [place for place, value in enumerate(values) if value == wanted]
