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

from ..arrays import I64
from ..encoding import Encoding, Offsets
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
    def difference(self) -> int:
        """How many more tokens B has."""
        return self.b.n_tokens - self.a.n_tokens

    @property
    def is_plain(self) -> bool:
        """Whether a word or a part of one is a token in one encoding, and some letters in the other."""
        texts = [data.decode("utf-8", "replace") for data in (*self.a.differing, *self.b.differing)]
        fewest = min(len(self.a.differing), len(self.b.differing))
        return fewest == 1 and all(text.strip(" #\n").isalpha() for text in texts)


_BEFORE = 8  # tokens of a line before the first one that differs
_NAMED = 8  # tokens that a sentence names


def changed_lines(a: Spans, b: Spans, most: int) -> list[LineChange]:
    """The lines whose number of tokens changes, those that change most first.

    Args:
        a, b: the same text in both encodings.
        most: how many lines are given.
    """
    data = np.frombuffer(a.text_map.data, np.uint8)
    ends = np.append(np.flatnonzero(data == ord("\n")), len(data))
    n_a, n_b = (np.bincount(np.searchsorted(ends, spans.starts), minlength=len(ends)) for spans in (a, b))
    by_change = np.argsort(-np.abs(n_b - n_a), kind="stable")[:most]
    changed = by_change[n_a[by_change] != n_b[by_change]]
    stretches = differing_stretches(a, b)
    changes = []
    for index in changed.tolist():
        start = int(ends[index - 1]) + 1 if index else 0
        stop = int(ends[index]) + 1
        inside = stretches[(stretches[:, 1] > start) & (stretches[:, 0] < stop)]
        differs_from, differs_to = inside[0].tolist() if len(inside) else (start, stop)
        line = _Line(start, stop, differs_from=differs_from, differs_to=differs_to)
        changes.append(LineChange(index + 1, _line_in(a, b, line), _line_in(b, a, line)))
    return changes


def differing_stretches(a: Spans, b: Spans) -> I64:
    """The bytes between cuts of both encodings that become different tokens, several in one of them.

    Args:
        a, b: the same text in both encodings.

    Returns:
        where each stretch starts and ends, of shape (n, 2).

    >>> from tokenizers import encode_spans, get_encoding
    >>> bert, gpt2 = (encode_spans(get_encoding(name), " unaffable") for name in ("bert-uncased", "gpt2"))
    >>> differing_stretches(bert, gpt2).tolist()
    [[0, 10]]
    """
    is_edge = np.zeros((2, a.text_map.n_bytes + 1), bool)
    is_edge[:, [0, -1]] = True
    for row, spans in zip(is_edge, (a, b), strict=True):
        row[spans.starts] = row[spans.ends] = True
    shared = np.flatnonzero(is_edge.all(axis=0))
    only_in_one = np.flatnonzero(is_edge[0] ^ is_edge[1])
    n_tokens = []  # by the shared edge at which a stretch ends
    for spans in (a, b):
        places = np.searchsorted(shared, spans.starts, "right")
        n_tokens.append(np.bincount(places, minlength=len(shared) + 1)[: len(shared)])
    differs = n_tokens[0] != n_tokens[1]
    differs[np.searchsorted(shared, only_in_one)] = True
    has_several = np.maximum(*n_tokens) > 1
    ends = np.flatnonzero(differs & has_several)
    return np.column_stack((shared[ends - 1], shared[ends]))


class _Line(NamedTuple):
    """Bytes [start, stop) of a text, in which tokens differ first in [differs_from, differs_to)."""

    start: int
    stop: int
    differs_from: int
    differs_to: int


def _line_in(spans: Spans, other: Spans, line: _Line) -> LineSide:
    """A line in an encoding, beside another one."""
    places = (line.start, line.differs_from, line.stop)
    first, differing, last = np.searchsorted(spans.starts, places).tolist()
    own = _differing_tokens(spans, line)
    others = _differing_tokens(other, line)
    other_knows = _unknown(other) not in others
    reason = ""  # if the other one does not know what this one knows, its reason is enough
    if other_knows or _unknown(spans) in own:
        reason = _why_apart(spans, line.differs_from, own, is_one=len(others) == 1)
    return LineSide(
        n_tokens=last - first,
        ids=spans.ids[max(first, differing - _BEFORE) : last].tolist(),
        differing=own,
        reason=reason,
    )


def _unknown(spans: Spans) -> bytes | None:
    token_id = spans.encoding.unknown_id
    return None if token_id is None else spans.encoding.token_bytes(token_id)


def _why_apart(spans: Spans, place: int, own: list[bytes], *, is_one: bool) -> str:
    """Why these tokens, from ``place`` on, are cut apart; empty: they are not. ``is_one``: in the other."""
    encoding = spans.encoding
    unknown = _unknown(spans)
    if unknown in own:
        return f"{quote(unknown)} stands for what it does not know: that text is lost."
    first = int(np.searchsorted(spans.starts, place))
    starts = spans.starts[first : first + len(own)]
    ends = spans.ends[first : first + len(own)]
    cuts = starts[1:][starts[1:] == ends[:-1]]  # without what it drops
    cuts = cuts[cuts > place]
    if not len(cuts):
        return ""
    walls = cuts[np.isin(cuts, _walls(spans))]
    if len(walls):
        return spans.reason(int(walls[0]))
    whole = b"".join(own)
    if is_one and encoding.splitting and encoding.token_id(whole) is None:
        parts = [quote(token) for token in own[:_NAMED]]
        if len(own) > _NAMED:
            parts.append("…")
        return f"It has no token for {quote(whole)}, so it takes {' + '.join(parts)}."
    return spans.reason(int(cuts[0]))


def _differing_tokens(spans: Spans, line: _Line) -> list[bytes]:
    """The tokens that begin where tokens of a line differ first."""
    first, last = np.searchsorted(spans.starts, (line.differs_from, line.differs_to)).tolist()
    return list(map(spans.encoding.token_bytes, spans.ids[first:last].tolist()))


def _walls(spans: Spans) -> Offsets:
    """Where pieces begin; where that is not known, every place where a token begins."""
    try:
        return spans.wall_edges if spans.encoding.splitting else spans.starts[:0]
    except ValueError:
        return spans.starts


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
        waiting, _ = decoder.getstate()
        alone = data.decode("utf-8", "replace")
        steps.append(StreamStep(token_id, alone=alone, added=added, waiting=waiting))
    return steps


def token_frequencies(encoding: Encoding, texts: Iterable[str]) -> I64:
    """How often each token occurs in some texts: shape (n_vocab,).

    >>> from tokenizers import get_encoding
    >>> counts = token_frequencies(get_encoding("gpt2"), ["the the", " the"])
    >>> int(counts[1169]), int(counts[262]), int((counts == 0).sum())
    (1, 2, 50255)
    """
    counts = np.zeros(encoding.n_vocab, np.int64)
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
            cell = safe_cell(spell_token(data))
            writer.writerow((token_id, counts[token_id], data.hex(), cell))
    return out.getvalue()
