"""What two encodings do to texts: counts, the lines that change, streams, frequencies.

>>> from tokenizers import encode_spans, get_encoding
>>> gpt2, cl100k = get_encoding("gpt2"), get_encoding("cl100k_base")
>>> text = "if x:\\n        return 1234567\\n"
>>> [change] = compare_texts(gpt2, cl100k, {"code": text})
>>> change.n_a, change.n_b, change.percent
(16, 10, -37.5)
>>> [line] = changed_lines(encode_spans(gpt2, text), encode_spans(cl100k, text), most=1)
>>> line.number, line.a.n_tokens, line.b.n_tokens, list(map(gpt2.token_bytes, line.a.ids[-4:]))
(2, 12, 7, [b' 123', b'45', b'67', b'\\n'])
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import I64
from ..encoding import Encoding
from ..text.export import safe_cell
from ..text.spans import Spans
from ..text.spelling import quote, spell_token
from ..utf8 import utf8_length


class TextChange(NamedTuple):
    """How many tokens a text has in A and in B."""

    name: str
    n_bytes: int
    n_a: int
    n_b: int

    @property
    def percent(self) -> float:
        """How many more tokens B needs, in per cent of A's, of at least one token; negative: fewer.

        >>> TextChange("x", 10, 4, 5).percent
        25.0
        """
        return (self.n_b - self.n_a) / max(1, self.n_a) * 100


def compare_texts(a: Encoding, b: Encoding, texts: Mapping[str, str]) -> list[TextChange]:
    """The tokens of each text in both encodings, special tokens as plain text.

    Raises:
        ValueError: a text is too long for one of the encodings.
    """
    changes = []
    for name, text in texts.items():
        a.check_length(text)
        b.check_length(text)
        n_bytes = utf8_length(text)
        changes.append(TextChange(name, n_bytes, len(a.encode_array(text)), len(b.encode_array(text))))
    return changes


class LineSide(NamedTuple):
    """A line in one of the encodings; a token counts for the line in which it begins.

    Attributes:
        n_tokens: of the line.
        ids: these tokens, from a few before the first ones that differ.
        differing: those that differ first.
        reason: why this encoding cuts them as it does; empty: it does not cut there.
    """

    n_tokens: int
    ids: list[int]
    differing: list[bytes]
    reason: str


class LineChange(NamedTuple):
    """A line of a text, from 1, whose number of tokens changes."""

    number: int
    a: LineSide
    b: LineSide

    @property
    def is_plain(self) -> bool:
        """Whether a word or a part of one is a token in one encoding, and some letters in the other."""
        sides = self.a.differing, self.b.differing
        texts = [data.decode("utf-8", "replace").strip(" #\n") for data in sum(sides, [])]
        return min(map(len, sides)) == 1 and all(map(str.isalpha, texts))


_BEFORE = 8  # tokens of a line before the first one that differs
_NAMED = 8  # tokens that a sentence names


def changed_lines(a: Spans, b: Spans, most: int) -> list[LineChange]:
    """The lines whose number of tokens changes, those that change most first.

    Args:
        a, b: the same text in both encodings.
        most: how many lines are given.
    """
    data = np.frombuffer(a.text_map.data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(data == ord("\n")), len(data))
    n_a, n_b = (np.bincount(np.searchsorted(ends, each.starts), minlength=len(ends)) for each in (a, b))
    order = np.argsort(-np.abs(n_b - n_a), kind="stable")[:most]
    stretches = differing_stretches(a, b)
    lines = []
    for line in order[n_a[order] != n_b[order]].tolist():
        start = int(ends[line - 1]) + 1 if line else 0
        stop = int(ends[line]) + 1
        inside = stretches[(stretches[:, 1] > start) & (stretches[:, 0] < stop)]
        place, end = inside[0].tolist() if len(inside) else (start, stop)
        sides = (_line_in(*each, start, place, end, stop) for each in ((a, b), (b, a)))
        lines.append(LineChange(line + 1, *sides))
    return lines


def differing_stretches(a: Spans, b: Spans) -> I64:
    """The bytes between cuts of both encodings that become different tokens, several in one of them.

    Args:
        a, b: the same text in both encodings.

    Returns:
        where each stretch starts and ends, of shape (n, 2).
    """
    is_edge = np.zeros((2, a.text_map.n_bytes + 1), dtype=bool)
    is_edge[:, [0, -1]] = True
    for row, each in zip(is_edge, (a, b), strict=True):
        row[each.starts] = row[each.ends] = True
    shared = np.flatnonzero(is_edge.all(axis=0))
    only_in_one = np.flatnonzero(is_edge[0] ^ is_edge[1])
    places = (np.searchsorted(shared, each.starts, "right") for each in (a, b))
    n_a, n_b = (np.bincount(place, minlength=len(shared) + 1)[: len(shared)] for place in places)
    differs = n_a != n_b
    differs[np.searchsorted(shared, only_in_one)] = True
    ends = np.flatnonzero(differs & (np.maximum(n_a, n_b) > 1))
    return np.column_stack((shared[ends - 1], shared[ends]))


def _line_in(spans: Spans, other: Spans, start: int, place: int, end: int, stop: int) -> LineSide:
    """The line from ``start`` to ``stop`` in an encoding. From ``place`` to ``end``, tokens differ first."""
    first, at, last = np.searchsorted(spans.starts, (start, place, stop)).tolist()
    own, others = _tokens(spans, place, end), _tokens(other, place, end)
    ids = spans.ids[max(first, at - _BEFORE) : last].tolist()
    if _unknown(other) in others and _unknown(spans) not in own:
        reason = ""  # the other one's is enough
    else:
        reason = _why_apart(spans, place, own, is_one=len(others) == 1)
    return LineSide(last - first, ids, own, reason)


def _unknown(spans: Spans) -> bytes | None:
    token_id = spans.encoding.unknown_id
    return None if token_id is None else spans.encoding.token_bytes(token_id)


def _why_apart(spans: Spans, place: int, own: list[bytes], *, is_one: bool) -> str:
    """Why these tokens, from ``place`` on, are cut apart; empty: they are not. ``is_one``: in the other."""
    encoding, first = spans.encoding, int(np.searchsorted(spans.starts, place))
    if (unknown := _unknown(spans)) in own:
        return f"{quote(unknown)} stands for what it does not know: that text is lost."
    starts, ends = spans.starts[first : first + len(own)], spans.ends[first : first + len(own)]
    cuts = starts[1:][(starts[1:] == ends[:-1]) & (starts[1:] > place)]  # without what it drops
    if not len(cuts):
        return ""
    walls = cuts[np.isin(cuts, _walls(spans))]
    whole = b"".join(own)
    if is_one and encoding.splitting and not len(walls) and encoding.token_id(whole) is None:
        parts = [quote(token) for token in own[:_NAMED]]
        if len(own) > _NAMED:
            parts.append("…")
        return f"It has no token for {quote(whole)}, so it takes {' + '.join(parts)}."
    return spans.reason(int(walls[0] if len(walls) else cuts[0]))


def _walls(spans: Spans) -> npt.NDArray[np.integer]:
    """Where pieces begin; where that is not known, every place where a token begins."""
    try:
        return spans.wall_edges if spans.encoding.splitting else spans.starts[:0]
    except ValueError:
        return spans.starts


def _tokens(spans: Spans, start: int, stop: int) -> list[bytes]:
    first, last = np.searchsorted(spans.starts, (start, stop)).tolist()
    return list(map(spans.encoding.token_bytes, spans.ids[first:last].tolist()))


class StreamStep(NamedTuple):
    """What one more token adds to a text that is shown as it is written.

    Attributes:
        token_id: the token.
        alone: what decoding this token alone shows: U+FFFD for each half of a character.
        added: what a stream shows that waits until characters are whole.
        waiting: the bytes of a character that is not whole yet.
    """

    token_id: int
    alone: str
    added: str
    waiting: bytes


def stream(encoding: Encoding, ids: Sequence[int]) -> list[StreamStep]:
    """What a stream shows after each token.

    Raises:
        ValueError: an id that this encoding does not have; names it.

    >>> from tokenizers import get_encoding
    >>> for step in stream(get_encoding("gpt2"), get_encoding("gpt2").encode("a 안")):
    ...     print(step.token_id, ascii(step.alone), ascii(step.added), step.waiting)
    64 'a' 'a' b''
    23821 ' \\ufffd' ' ' b'\\xec'
    243 '\\ufffd' '' b'\\xec\\x95'
    230 '\\ufffd' '\\uc548' b''
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    steps = []
    for token_id, data in zip(ids, encoding.given_back(ids), strict=True):
        added = decoder.decode(data)
        steps.append(StreamStep(token_id, data.decode("utf-8", "replace"), added, decoder.getstate()[0]))
    return steps


def token_frequencies(encoding: Encoding, texts: Iterable[str]) -> I64:
    """How often each token occurs in some texts: shape (n_vocab,).

    >>> from tokenizers import get_encoding
    >>> counts = token_frequencies(get_encoding("gpt2"), ["the the", " the"])
    >>> int(counts[1169]), int(counts[262]), int((counts == 0).sum())
    (1, 2, 50255)
    """
    counts = np.zeros(encoding.n_vocab, dtype=np.int64)
    for text in texts:
        counts += np.bincount(encoding.encode_array(text), minlength=encoding.n_vocab)
    return counts


def frequencies_csv(encoding: Encoding, counts: I64) -> str:
    """All tokens with how often they occur, as CSV: the most frequent first, then those that never do.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> print(frequencies_csv(gpt2, token_frequencies(gpt2, [" the the"]))[:53])
    id,count,bytes_hex,token
    262,2,20746865,·the
    0,0,21,!
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("id", "count", "bytes_hex", "token"))
    for token_id in np.argsort(-counts, kind="stable").tolist():
        if encoding.byte_lengths[token_id]:
            data = encoding.token_bytes(token_id)
            writer.writerow((token_id, counts[token_id], data.hex(), safe_cell(spell_token(data))))
    return out.getvalue()
