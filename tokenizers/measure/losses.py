"""How much of a text an encoding does not know, or does not give back."""

from __future__ import annotations

import difflib
import functools
from collections import Counter

from ..amounts import share_in_words
from ..encoding import Encoding
from ..families import UNKNOWN
from ..placement import Placement
from ..text.spans import Spans

MOST_COMPARED = 250_000
"""The greatest product of the lengths of a lossy span and its decoded text that ``bytes_lost`` compares."""


def count_unknown(encoding: Encoding, placed: Placement) -> int:
    """Bytes of a text that its unknown tokens cover; ``encoding.place`` has found the tokens.

    >>> from tokenizers import get_encoding
    >>> words = get_encoding("words")
    >>> count_unknown(words, words.place("the zyzzyva"))
    7
    """
    unknown = placed.ids == (-1 if encoding.unknown_id is None else encoding.unknown_id)
    return int((placed.ends - placed.starts)[unknown].sum())


def count_lost(encoding: Encoding, text: str, placed: Placement) -> int:
    """Bytes of a text that decoding does not give back; ``encoding.place`` has found its tokens.

    >>> from tokenizers import get_encoding
    >>> bert = get_encoding("bert-uncased")
    >>> count_lost(bert, "The cat", bert.place("The cat"))
    1
    """
    typed = text.encode("utf-8")
    return sum(
        bytes_lost(typed[loss.start : loss.end].decode("utf-8", "replace"), loss.became)
        for loss in encoding.losses_in(text, placed)
    )


@functools.lru_cache(maxsize=10_000)
def bytes_lost(typed: str, became: str) -> int:
    """How many bytes of a lossy span are not in its decoded text.

    >>> bytes_lost("The Letter", "the letter"), bytes_lost("naïve", "naive"), bytes_lost("tree", "[UNK]")
    (2, 2, 4)
    """
    if became == UNKNOWN or len(typed) * len(became) > MOST_COMPARED:
        return len(typed.encode("utf-8"))
    blocks = difflib.SequenceMatcher(None, typed, became, autojunk=False).get_matching_blocks()
    restored = sum(len(typed[block.a : block.a + block.size].encode("utf-8")) for block in blocks)
    return len(typed.encode("utf-8")) - restored


def losses_in_words(spans: Spans) -> str:
    """How much of a text does not come back from its tokens, and places by kind; empty: all of it comes back.

    >>> from tokenizers import encode_spans, get_encoding
    >>> losses_in_words(encode_spans(get_encoding("bert-uncased"), "The  naïve ꙮ"))
    '47% of its bytes: capitals (1), blanks (1), accents and other characters (1), what it does not know (1)'
    """
    n_lost, kinds = 0, Counter[str]()
    for loss in spans.losses:
        typed = spans.text_map.data[loss.start : loss.end].decode()
        n_lost += bytes_lost(typed, loss.became)
        is_kind = {
            "what it does not know": loss.became == UNKNOWN,
            "capitals": typed.lower() == loss.became,
            "blanks": not (typed + loss.became).strip(),
        }
        kinds[next((kind for kind, is_it in is_kind.items() if is_it), "accents and other characters")] += 1
    places = ", ".join(f"{kind} ({n:,})" for kind, n in kinds.most_common())
    return f"{share_in_words(n_lost / spans.text_map.n_bytes)} of its bytes: {places}" if places else ""
