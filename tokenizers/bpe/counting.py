"""The unique pieces of a corpus, and how often each occurs: all that training needs to know of it.

So a corpus may be larger than memory, and its parts may be counted on several machines
(docs/large-corpora.md). Counting has two forms with the same result: pure Python here, and
``kernels/piece_counts.py``, which takes over where the corpus is large enough to be worth loading it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .. import kernels
from ..alternation import any_of
from ..split.patterns import SAFE_CUT, find_pattern, known_pattern, scanner_of, split
from ..utf8 import well_formed

if TYPE_CHECKING:  # loads Numba
    from ..kernels.piece_counts import PieceCounts

SMALL = 100_000
"""Characters up to which a corpus is learned in pure Python, in less time than Numba takes to load."""

SPLIT_TIMEOUT = 60.0
"""Seconds that a person's own split pattern may take on one text."""

PART = 1 << 20
"""Characters of a file that are read at a time."""

BATCH = 1 << 16
"""Counts that are added up at a time."""


def count_pieces(text_or_texts: str | Iterable[str], pattern: str | None = "gpt4") -> dict[bytes, int]:
    """The unique pieces of a part of a corpus, in the order of first occurrence, for ``train(counts=...)``.

    Args:
        text_or_texts: as in ``train``.
        pattern: as in ``train``, which must get the same one.

    Raises:
        ValueError: a pattern that is broken or slower than ``SPLIT_TIMEOUT``.

    >>> count_pieces(["a b b", "a"])
    {b'a': 2, b' b': 2}
    """
    pieces = count_texts(text_or_texts, find_pattern(pattern), lambda: False)
    return pieces if isinstance(pieces, dict) else pieces.in_order().as_dict()


def count_texts(
    text_or_texts: str | Iterable[str], pattern: str | None, cancel: Callable[[], bool]
) -> dict[bytes, int] | PieceCounts:
    """The unique pieces of the texts that were read before ``cancel``; a dict has them in order.

    Args:
        text_or_texts: no piece reaches over two texts. Lone surrogates count as U+FFFD.
        pattern: a regular expression, or None for no walls.
        cancel: asked between two parts of the corpus.
    """
    texts, is_small = _peek([text_or_texts] if isinstance(text_or_texts, str) else text_or_texts)
    known = known_pattern(pattern)
    if known and known.scanner is not None and not is_small and kernels.ready_to_train():
        from ..kernels import piece_counts

        return piece_counts.count_pieces(texts, known.name, cancel)
    counts: Counter[str] = Counter()
    for text in texts:
        if cancel():
            break
        counts.update(split(well_formed(text), pattern, timeout=None if known else SPLIT_TIMEOUT))
    return {piece.encode(): count for piece, count in counts.items()}


def _peek(texts: Iterable[str]) -> tuple[Iterable[str], bool]:
    """The same texts, and whether they have at most ``SMALL`` characters together."""
    texts = iter(texts)
    head: list[str] = []
    seen = 0
    for text in texts:
        head.append(text)
        seen += len(text)
        if seen > SMALL:
            return itertools.chain(head, texts), False
    return head, True


def add_counts(counts: Iterable[tuple[bytes, int]]) -> dict[bytes, int] | PieceCounts:
    """Counts from several parts of a corpus, added up.

    >>> add_counts([(b"the", 2), (b" cat", 1), (b"the", 3)])
    {b'the': 5, b' cat': 1}
    """
    rows = (row for row in counts if row[0])  # the kernels have no room for empty pieces
    first = list(itertools.islice(rows, BATCH))
    if len(first) < BATCH or not kernels.ready_to_train():
        total: Counter[bytes] = Counter()
        for piece, count in itertools.chain(first, rows):
            total[piece] += count
        return dict(total)

    from ..kernels.piece_counts import PieceCounts

    pieces = PieceCounts()
    while first:
        pieces.absorb(PieceCounts.from_pairs(first))
        first = list(itertools.islice(rows, BATCH))
    return pieces


def count_specials(text: str, special_tokens: Iterable[str]) -> Counter[str]:
    """How often special tokens stand in a text, the longest one where several fit.

    >>> count_specials("a<|end|>b<|end|><|x|>", ["<|end|>", "<|x|>", "<|y|>"])
    Counter({'<|end|>': 2, '<|x|>': 1})
    """
    return Counter(any_of(special_tokens).findall(text))


def skip_specials(texts: Iterable[str], special_tokens: Collection[str]) -> Iterator[str]:
    """Texts without the special tokens that stand in them: what is between two of them is a text of its own.

    >>> list(skip_specials(["one<|end|>two<|end|>", "<|end|>"], ["<|end|>"]))
    ['one', 'two']
    """
    pattern = any_of(special_tokens)
    for text in texts:
        yield from filter(None, pattern.split(text))


def read_texts(
    paths: Iterable[str | Path], pattern: str | None = "gpt4", special_tokens: Iterable[str] = ()
) -> Iterator[str]:
    """The texts of files in UTF-8, one after the other, in parts that training splits as it splits the whole.

    A file is one text if its split pattern is not a named one, which could look at any distance.

    Args:
        paths: of the files.
        pattern: as in ``train``.
        special_tokens: texts that no two parts share.

    Raises:
        OSError: a file is missing. ValueError: it is not in UTF-8.
    """
    # Behind a visible letter, as it may be in a text; a cut between the two is no cut in a special token.
    stays_whole = all(SAFE_CUT.search(f"x{special}", 2) is None for special in special_tokens)
    can_be_cut = stays_whole and scanner_of(find_pattern(pattern)) is not None
    for path in paths:
        rest: list[str] = []
        try:
            with open(path, encoding="utf-8", newline="") as file:
                while part := file.read(PART):
                    place = SAFE_CUT.search(part) if can_be_cut else None
                    if place:
                        yield "".join([*rest, part[: place.start()]])
                        rest, part = [], part[place.start() :]
                    rest.append(part)
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a text in UTF-8. Convert it, or leave it out.") from None
        yield "".join(rest)
