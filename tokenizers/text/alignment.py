"""Where tokens are in the text as typed, when a library normalises the text before it cuts it.

SentencePiece puts a space in front, makes 1⁄2 of ½ and drops characters, and says of each character which one
it came from. Its tokens join to the normalised text. Here it is worked out from which bytes of the typed text
each token came, and what is lost is found by comparing the two. (If the rewriting is our own, and so is known
beforehand, ``rewriting.py`` does this.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..placement import Losses
from .common_ends import common_prefix, common_suffix

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


_GO_ON = frozenset(bytes([byte]) for byte in range(0x80, 0xC0))  # bytes within a character


def losses_between(
    data: bytes, decoded: bytes, starts: Places, ends: Places, lengths: npt.NDArray[np.int64]
) -> Losses:
    """The places of a text that its tokens do not give back.

    Args:
        data: the text, in UTF-8.
        decoded: what comes back, in UTF-8.
        starts, ends: where each token is in ``data``, shape (n,).
        lengths: bytes of ``decoded`` that each token gives back, shape (n,); together, all of them.

    >>> places = losses_between("½ x".encode(), "1⁄2x".encode(), np.array([0, 0, 3]), np.array([2, 2, 4]),
    ...                         np.array([4, 1, 1]))
    >>> list(places)
    [Loss(start=0, end=2, became='1⁄2'), Loss(start=2, end=3, became='')]
    """
    if data == decoded:
        return Losses()
    back_ends = np.cumsum(lengths, dtype=np.int64)
    back_starts = back_ends - lengths
    covered = np.maximum.accumulate(np.append(0, ends))[:-1] if len(ends) else ends
    nexts = np.append(starts[1:], len(data))
    alone = (starts >= covered) & (ends <= nexts)
    same = alone & (lengths == ends - starts)
    # All bytes of such tokens are compared at once.
    tokens = np.repeat(np.flatnonzero(same), lengths[same])
    theirs = np.repeat(same, lengths)
    ours = np.repeat(starts - back_starts, lengths)[theirs] + np.flatnonzero(theirs)
    differs = np.frombuffer(data, np.uint8)[ours] != np.frombuffer(decoded, np.uint8)[theirs]
    same[tokens[differs]] = False
    places: list[tuple[int, int, str]] = []
    odd = np.flatnonzero(~same)
    at = 0
    while at < len(odd):
        first = last = int(odd[at])
        stop = int(ends[first])
        while last + 1 < len(starts):
            shares_bytes = int(starts[last + 1]) < stop
            shares_character = (
                int(ends[last + 1]) == stop and decoded[back_ends[last] : back_ends[last] + 1] in _GO_ON
            )
            if not shares_bytes and not shares_character:
                break
            last += 1
            stop = max(stop, int(ends[last]))
        became = decoded[int(back_starts[first]) : int(back_ends[last])].decode("utf-8", "replace")
        places += _trimmed(data, int(starts[first]), stop, became)
        while at < len(odd) and odd[at] <= last:
            at += 1
    before = np.append(covered, ends.max(initial=0))
    after = np.append(starts, len(data))
    for gap in np.flatnonzero(after > before).tolist():
        places.append((int(before[gap]), int(after[gap]), ""))
    places.sort()
    texts = tuple(dict.fromkeys(became for _, _, became in places))
    kinds = {became: kind for kind, became in enumerate(texts)}
    return Losses(
        [start for start, _, _ in places],
        [end for _, end, _ in places],
        [kinds[became] for _, _, became in places],
        texts,
    )


def _trimmed(data: bytes, start: int, end: int, became: str) -> list[tuple[int, int, str]]:
    """A place that became something else, without what its beginning and end have in common with that.

    Empty if both are the same.
    """
    text = data[start:end].decode("utf-8", "replace")
    if text.encode() != data[start:end]:  # not whole characters: nothing to trim by
        return [(start, end, became)]
    if text == became:
        return []
    front = common_prefix(text, became)
    back = common_suffix(text, became, min(len(text), len(became)) - front)
    start += len(text[:front].encode())
    end -= len(text[len(text) - back :].encode())
    return [(start, end, became[front : len(became) - back])]
