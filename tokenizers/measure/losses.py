"""How much of a text an encoding does not know, or does not give back."""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from unicodedata import normalize

from ..amounts import share_in_words
from ..encoding import Encoding
from ..families import UNKNOWN
from ..placement import Placement
from ..text.spans import Spans
from ..utf8 import utf8_length

MOST_COMPARED = 250_000
"""The greatest product of the lengths of a lossy span and its decoded text that ``bytes_lost`` compares."""


def count_lost(encoding: Encoding, text: str, placed: Placement) -> int:
    """Bytes of a text that decoding does not give back; ``encoding.place`` has found its tokens.

    >>> from tokenizers import get_encoding
    >>> bert = get_encoding("bert-uncased")
    >>> count_lost(bert, "The cat", bert.place("The cat"))
    1
    """
    typed = text.encode()
    return sum(
        bytes_lost(typed[loss.start : loss.end].decode("utf-8", "replace"), loss.became)
        for loss in encoding.losses_in(text, placed)
    )


@functools.lru_cache(maxsize=10_000)
def bytes_lost(typed: str, became: str) -> int:
    """How many bytes of a lossy span are not in its decoded text.

    >>> bytes_lost("The Letter", "the letter"), bytes_lost("naïve", "naive"), bytes_lost("UNO", "[UNK]")
    (2, 2, 3)
    """
    if became == UNKNOWN or len(typed) * len(became) > MOST_COMPARED:
        return utf8_length(typed)
    blocks = difflib.SequenceMatcher(None, typed, became, autojunk=False).get_matching_blocks()
    restored = sum(utf8_length(typed[block.a : block.a + block.size]) for block in blocks)
    return utf8_length(typed) - restored


def losses_in_words(spans: Spans) -> tuple[int, str]:
    """How many bytes of a text do not come back from its tokens; and in words, with places by their kinds.

    Another order of marks, or one character for a letter and its mark, is the same text to Unicode, and
    counts as no byte lost. No words: all of the text comes back as it is.

    >>> from tokenizers import encode_spans, get_encoding
    >>> losses_in_words(encode_spans(get_encoding("bert-uncased"), "The  naïve, ꙮ"))
    (7, '44% of its bytes. Places: capitals (1), blanks (1), characters (1), additions (1), unknown (1)')
    >>> losses_in_words(encode_spans(get_encoding("qwen3"), "cafe\\u0301"))
    (0, '0% of its bytes. Places: another normal form (1)')
    """
    n_lost, kinds = 0, Counter[str]()
    decoded = spans.encoding.decode(spans.ids.tolist())
    is_same = normalize("NFC", decoded) == normalize("NFC", spans.text_map.text)
    for loss in spans.losses:
        typed, became = spans.text_map.data[loss.start : loss.end].decode(), loss.became
        n_lost += (n_here := 0 if is_same else bytes_lost(typed, became))
        is_kind = {
            "another normal form": is_same,
            "unknown": UNKNOWN in became,
            "additions": not n_here,
            "blanks": typed.split() == became.split(),
            "capitals": typed.lower().split() == became.split(),
        }
        kinds[next((kind for kind, is_it in is_kind.items() if is_it), "characters")] += 1
    places = ", ".join(f"{kind} ({n:,})" for kind, n in kinds.most_common())
    share = share_in_words(n_lost / max(1, spans.text_map.n_bytes))
    return n_lost, places and f"{share} of its bytes. Places: {places}"
