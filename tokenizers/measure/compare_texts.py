"""What two encodings do to texts: counts, the lines that change, round trips, streams, frequencies.

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
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..encoding import AllowedSpecial, Encoding
from ..text.export import safe_cell
from ..text.spans import Spans
from ..text.spelling import spell_token
from ..utf8 import well_formed


class TextChange(NamedTuple):
    """How many tokens a text has in A and in B."""

    name: str
    n_bytes: int
    n_a: int
    n_b: int

    @property
    def percent(self) -> float | None:
        """How many more tokens B needs, in per cent of A's; negative: fewer. None: A has none.

        >>> TextChange("x", 10, 4, 5).percent
        25.0
        """
        return (self.n_b - self.n_a) / self.n_a * 100 if self.n_a else None


def compare_texts(a: Encoding, b: Encoding, texts: Mapping[str, str]) -> list[TextChange]:
    """The tokens of each text in both encodings, special tokens as plain text.

    Raises:
        ValueError: a text is too long for one of the encodings.
    """
    changes = []
    for name, text in texts.items():
        a.check_length(text)
        b.check_length(text)
        n_bytes = len(well_formed(text).encode("utf-8"))
        changes.append(TextChange(name, n_bytes, len(a.encode_array(text)), len(b.encode_array(text))))
    return changes


class LineSide(NamedTuple):
    """A line in one of the encodings; a token counts for the line in which it begins.

    Attributes:
        n_tokens: of the line.
        ids: these tokens, from a few before the first one that the other encoding does not have.
        reason: why it cuts there, where only one of the two does, or why it does not; empty: both cut alike.
    """

    n_tokens: int
    ids: list[int]
    reason: str


class LineChange(NamedTuple):
    """A line of a text, from 1, whose number of tokens changes."""

    number: int
    a: LineSide
    b: LineSide


_BEFORE = 8  # tokens of a line before the first one that differs


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
    lines = []
    for line in order[n_a[order] != n_b[order]].tolist():
        start, stop = int(ends[line - 1]) + 1 if line else 0, int(ends[line]) + 1
        place, cut = first_difference(a, b, start, stop)
        sides = []
        for spans in (a, b):
            first, at, after = np.searchsorted(spans.starts, (start, place, stop)).tolist()
            ids = spans.ids[max(first, at - _BEFORE) : after].tolist()
            sides.append(LineSide(after - first, ids, "" if cut is None else spans.reason(cut)))
        lines.append(LineChange(line + 1, *sides))
    return lines


def first_difference(a: Spans, b: Spans, start: int, stop: int) -> tuple[int, int | None]:
    """Where the first tokens differ of those that begin in some bytes of a text.

    Args:
        a, b: the same text in both encodings; some of these tokens differ.
        start, stop: the bytes.

    Returns:
        where the first token begins that the other encoding does not have, and the edge of it that only one
        of the two cuts; None: both cut alike, and the tokens stand for other bytes.
    """
    pairs = itertools.zip_longest(_tokens(a, start, stop), _tokens(b, start, stop))
    differing = next([token for token in pair if token] for pair in pairs if pair[0] != pair[1])
    edges = {edge for token in differing for edge in token[:2]}
    cut = min((edge for edge in edges if _cuts(a, edge) != _cuts(b, edge)), default=None)
    return min(token[0] for token in differing), cut


def _tokens(spans: Spans, start: int, stop: int) -> Iterator[tuple[int, int, bytes]]:
    """The tokens that begin in these bytes: where each starts and ends, and what it stands for.

    One after the other: a line may have millions, and the first ones are enough.
    """
    first, last = np.searchsorted(spans.starts, (start, stop)).tolist()
    tokens = map(spans.encoding.token_bytes, map(int, spans.ids[first:last]))
    edges = (map(int, each[first:last]) for each in (spans.starts, spans.ends))
    return zip(*edges, tokens, strict=True)


def _cuts(spans: Spans, place: int) -> bool:
    """Whether a token begins or ends at this place."""
    return bool((spans.starts == place).any() or (spans.ends == place).any())


class RoundTrip(NamedTuple):
    """What becomes of ids that are decoded, and whose text is encoded again.

    Attributes:
        text: what they are decoded to.
        again: the ids of that text.
        drifts_at: the first of the ids whose token is another one afterwards; None: all stay.
    """

    text: str
    again: list[int]
    drifts_at: int | None


def round_trip(
    ids: Sequence[int], decoder: Encoding, encoder: Encoding, *, allowed_special: AllowedSpecial = ()
) -> RoundTrip:
    """What becomes of a model's output when it is fed back, to the same model or to another one.

    Args:
        ids: what a model wrote.
        decoder: its encoding.
        encoder: the encoding of the model that reads the text.
        allowed_special: which special tokens in the text become tokens again.

    Raises:
        ValueError: an id that ``decoder`` does not have; names it.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> round_trip([83, 258, 3797], gpt2, gpt2)  # t, he, _cat
    RoundTrip(text='the cat', again=[1169, 3797], drifts_at=0)
    """
    text = decoder.decode(ids)
    again = encoder.encode(text, allowed_special=allowed_special)
    tokens = [[enc.token_bytes(i) for i in each] for enc, each in ((decoder, ids), (encoder, again))]
    pairs = zip(ids, again, strict=False) if decoder is encoder else zip(*tokens, strict=False)
    n_shared = min(len(ids), len(again))
    differing = (i for i, (before, after) in enumerate(pairs) if before != after)
    return RoundTrip(text, again, next(differing, n_shared if n_shared < len(ids) else None))


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


def token_frequencies(encoding: Encoding, texts: Iterable[str]) -> npt.NDArray[np.int64]:
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


def frequencies_csv(encoding: Encoding, counts: npt.NDArray[np.int64]) -> str:
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
