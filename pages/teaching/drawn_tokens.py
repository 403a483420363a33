"""The tokens of a text in a lesson, and where a person could have placed their cuts."""

from __future__ import annotations

from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.json_types import JsonObject
from tokenizers.registry import encoding_title
from tokenizers.text import TextMap, encode_spans, spell_token


def draw_tokens(encoding: Encoding, text: str, allowed_special: AllowedSpecial) -> JsonObject:
    """The tokens of a text, and their cuts.

    Returns:
        ``name``: the encoding, with the models that use it; ``tokens``: the id, text and bytes of each, and
        whether it splits a character; ``cuts``: the graphemes with a cut before them; ``inside``: the number
        of cuts within graphemes, where nobody can place one.
    """
    spans = encode_spans(encoding, text, allowed_special=allowed_special)
    place_of = {start: place for place, start in place_starts(spans.text_map).items()}
    is_cut = (spans.ends > spans.starts) & (spans.starts > 0)
    starts = sorted(set(spans.starts[is_cut].tolist()))
    placed = [start for start in starts if start in place_of]
    tokens = []
    for index, token_id in enumerate(spans.ids.tolist()):
        token_bytes = encoding.token_bytes(token_id)
        says = spans.bytes_of(index)
        adds_space = token_bytes == b" " + says
        if adds_space or not says:
            says = token_bytes
        is_part = says.decode("utf-8", "ignore").encode() != says
        tokens.append(
            {
                "id": token_id,
                "text": spell_token(says),
                "hex": token_bytes.hex(" "),
                "part": is_part,
            }
        )
    return {
        "name": encoding_title(encoding.name),
        "tokens": tokens,
        "cuts": [place_of[start] for start in placed],
        "inside": len(starts) - len(placed),
    }


def graphemes_of(text: str) -> list[str]:
    """The graphemes of a text, in order.

    >>> list(map(len, graphemes_of("e\\u0301!")))
    [2, 1]
    """
    text_map = TextMap(text)
    cells = text_map.cells(0, text_map.n_bytes)
    return [text_map.data[start:end].decode("utf-8") for start, end in cells]


def place_starts(text_map: TextMap) -> dict[int, int]:
    """The places between two graphemes of a text, each with the byte where its grapheme begins.

    >>> place_starts(TextMap("aéb"))
    {1: 1, 2: 3}
    """
    cells = text_map.cells(0, text_map.n_bytes)
    return {place: start for place, (start, _) in enumerate(cells) if place}
