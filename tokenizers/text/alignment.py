"""Where tokens are in the text as typed, when a library normalises the text before it cuts it.

SentencePiece puts a space in front, makes 1⁄2 of ½ and drops characters, and says of each character which one
it came from. Its tokens join to the normalised text. Here it is worked out from which bytes of the typed text
each token came. (If the rewriting is our own, and so is known beforehand, ``rewriting.py`` does this.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
"""Places in a text, shape (n,), in bytes unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text as a tokenizer reads it.

    Attributes:
        source: the text, with the spaces that were put into it.
        added: where those are in ``source``, in characters, in order.
        normal: what it became; the tokens join to it.
        origins: for each character of ``normal``, and for its end, the character of ``source`` that it came
            from, shape (len(normal) + 1,); None: ``normal`` has a character for each of ``source``.
    """

    source: str
    added: Sequence[int]
    normal: str
    origins: Places | None = None


def byte_edges(text: str) -> Places:
    """Where each character begins in UTF-8, and where the last one ends, shape (len(text) + 1,).

    >>> byte_edges("aé½").tolist()
    [0, 1, 3, 5]
    """
    points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    widths = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    return np.concatenate(([0], np.cumsum(widths)))


def align(
    normalised: Normalised, lengths: npt.NDArray[np.int64], is_dropped: Callable[[str], bool]
) -> tuple[Places, Places]:
    """Where each token is in the text as typed.

    A token whose characters came from a part of a typed character, or from several, covers all of these.
    What was dropped is under no token, unless it was in the middle of one.

    Args:
        normalised: the text, as typed and as read.
        lengths: bytes of ``normal`` in each token, shape (n,); together, all of them.
        is_dropped: whether a character alone becomes nothing.

    Returns:
        starts and ends in bytes, shape (n,) each.

    >>> half = Normalised(" ½", [0], " 1⁄2", np.array([0, 1, 1, 1, 2]))
    >>> [places.tolist() for places in align(half, np.array([1, 1, 3, 1]), lambda char: False)]
    [[0, 0, 0, 0], [0, 2, 2, 2]]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - lengths
    source_edges = byte_edges(normalised.source)
    if normalised.origins is not None or normalised.normal != normalised.source:
        normal_edges = byte_edges(normalised.normal)
        if normalised.origins is not None or not np.array_equal(normal_edges, source_edges):
            starts, ends = _lead_back(normalised, starts, ends, normal_edges, source_edges, is_dropped)
    added = source_edges[np.asarray(normalised.added, dtype=np.int64)]
    if len(added):
        starts = starts - np.searchsorted(added, starts)
        ends = ends - np.searchsorted(added, ends)
    return starts, ends


def _lead_back(
    normalised: Normalised,
    starts: Places,
    ends: Places,
    normal_edges: Places,
    source_edges: Places,
    is_dropped: Callable[[str], bool],
) -> tuple[Places, Places]:
    """The places in ``source`` of these in ``normal``, both in bytes.

    Characters of ``normal`` with one origin are a cluster: what characters of ``source`` became together.
    """
    source, normal = normalised.source, normalised.normal
    if not normal:
        return starts, ends
    origins = np.arange(len(normal) + 1) if normalised.origins is None else normalised.origins
    is_first = np.diff(origins[:-1], prepend=-1) != 0
    cluster_of = np.cumsum(is_first) - 1
    firsts = np.flatnonzero(is_first)
    begins = origins[firsts]
    stops = np.append(begins[1:], max(int(origins[-1]), int(begins[-1]) + 1))
    sizes = np.diff(np.append(firsts, len(normal)))
    for cluster in np.flatnonzero(stops - begins > 1).tolist():
        stop, begin = int(stops[cluster]), int(begins[cluster])
        while stop - begin > 1 and is_dropped(source[stop - 1]):
            stop -= 1
        stops[cluster] = stop
    ours, theirs = (np.frombuffer(text.encode("utf-32-le"), dtype="<u4") for text in (source, normal))
    same = (sizes == 1) & (stops - begins == 1) & (theirs[firsts] == ours[begins])
    cluster_starts, cluster_ends = source_edges[begins], source_edges[stops]

    chars = np.searchsorted(normal_edges, starts, side="right") - 1
    clusters = cluster_of[chars]
    inside = np.where(same[clusters], starts - normal_edges[chars], 0)
    led_starts = cluster_starts[clusters] + inside

    lasts = ends - 1
    chars = np.searchsorted(normal_edges, lasts, side="right") - 1
    clusters = cluster_of[chars]
    exact = cluster_starts[clusters] + lasts - normal_edges[chars] + 1
    return led_starts, np.where(same[clusters], exact, cluster_ends[clusters])
