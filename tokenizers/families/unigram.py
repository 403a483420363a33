"""Unigram: of all ways to cut a text into pieces, the one with the highest probability.

Each piece has a probability of its own, and a cutting has the product of those of its pieces; in logarithms,
the sum of their scores. Nothing is merged: the best path through all pieces that fit (the **lattice**) is
found by Viterbi's algorithm, from the beginning of the text to its end. Other paths, of lower sums, spell the
same text; a model can be trained on them, too (subword regularisation).

Any SentencePiece model of this kind is a ``UnigramEncoding``. **j2**, of AI21's Jurassic-2, does more around
it, and these ids are those of AI21's own library (PyPI: ai21-tokenizer 0.12.0,
``base_jurassic_tokenizer.py``, and the ``config.json`` beside its model):

- A line's end is a token of its own, and a space is put in front of each line that is not empty.
- A tab becomes a space. Of two spaces or more, all but the last become tokens of four, two or one.
- SentencePiece normalises by NFKC and more (nmt_nfkc): ½ becomes 1⁄2, a zero-width joiner a space, control
  characters nothing.
- Numbers that were cut in two are joined again: a token if there is one, or threes of digits from the right.

Source: Kudo 2018, Subword Regularization, arXiv:1804.10959.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..data.vocabulary_files import read_vocabulary
from ..entry import Entry
from ..files.sentencepiece_proto import NORMAL, ModelFile, read_model
from ..lazily import once
from ..text.alignment import Normalised
from ..text.spans import Spans
from ..text.spelling import quote
from ..utf8 import well_formed
from .lattice import MAX_LATTICE_BYTES, UNKNOWN_PRICE, WINDOW, Lattice
from .sentencepieces import SPACE, SentencePieces

NEWLINE = "<|newline|>"
_LONGEST_RUN = 32  # spaces in a token of nothing else
_MOST_STEPS = 256 << 20  # bytes of a text times those of the longest piece: a second or two


class UnigramEncoding(SentencePieces):
    """A SentencePiece model of the kind Unigram.

    Args:
        model: the content of a .model file.
        name: what people call it.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.
    """

    family = "Unigram"
    longest_text = 2 << 20  # about 120 times the text's memory, and 1 s a MB

    @property
    def way(self) -> str:
        """How it cuts a text, to follow its name in a sentence."""
        return "takes the most probable of all ways to cut a text into its pieces"

    def _check(self, file: ModelFile) -> None:
        # At each place, pieces are looked for that are as long as the longest one.
        self.longest_text = min(UnigramEncoding.longest_text, _MOST_STEPS // self._longest)

    @property
    def _model_in_words(self) -> str:
        return "Unigram, {}, of which the most probable path is taken"

    # Why

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit a text, as it is cut: normalised, with the space that is put there.

        Raises:
            ValueError: the text is too long.
        """
        return self._lattice_of(self._seen(text))

    def _lattice_of(self, normal: str) -> Lattice:
        return Lattice(normal, self._score_of, self._longest, self._unknown_score)

    def _score_of(self, data: bytes) -> float | None:
        token_id = self._ids_read.get(data)
        if token_id is None:
            return None
        if token_id in self._user_defined:  # so high that each is taken
            return len(data) * self._best_score - 0.1
        return float(self.scores[token_id])

    @once
    def _longest(self) -> int:
        return int(self._read_lengths[~self._is_control].max())

    @once
    def _normal_scores(self) -> npt.NDArray[np.float64]:
        normal = self.scores[self._kinds == NORMAL]
        return normal if len(normal) else np.zeros(1)

    @once
    def _best_score(self) -> float:
        return float(self._normal_scores.max())

    @once
    def _unknown_score(self) -> float:
        """The score of a character that is no piece."""
        return float(self._normal_scores.min()) - UNKNOWN_PRICE

    @once
    def _begins_with_space(self) -> npt.NDArray[np.bool_]:
        return np.array([data[:1] == b" " for data in self._bytes])

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("j2")
        >>> spans = encode_spans(enc, "hello zyzzyva 12345")
        >>> print(enc.reason(spans, 8))
        “zy” + “zzy”, of log-probability -25.60. Without a cut here, the best would be “z” + “yz” + “zy”, of \
log-probability -33.66.
        >>> print(enc.reason(spans, 16))
        No cut: “12345”, of log-probability -13.90. With a cut here, the best would be “12” + “345”, of \
log-probability -22.12.
        >>> print(enc.reason(spans, 5))
        No piece of j2 reaches over this place, between “·hello” and “·”.
        """
        ids = spans.ids
        left, right = int(ids[before]), int(ids[after])
        names = f"{quote(self._bytes[left])} and {quote(self._bytes[right])}"
        if before != after:
            rule = self._rule_between(left, right)
            if rule is not None:
                return rule
        first, last = before, after + 1
        while first and before - first < WINDOW and not self._ends_part(*ids[first - 1 : first + 1].tolist()):
            first -= 1
        while (
            last < len(ids)
            and last - after <= WINDOW
            and not self._ends_part(*ids[last - 1 : last + 1].tolist())
        ):
            last += 1
        tokens = [self._read_bytes[token_id] for token_id in ids[first:last].tolist()]
        data = b"".join(tokens)
        place = sum(map(len, tokens[: before - first + 1]))  # in ``data``
        alone = f"{quote(self._bytes[left])} is one piece, of log-probability {self.scores[left]:.2f}"
        if before == after:
            n_bytes = int(spans.ends[before] - spans.starts[before])
            in_front = self._bytes[left][:1] == b" " and n_bytes + 1 == len(self._bytes[left])
            if n_bytes != len(self._bytes[left]) and not in_front:
                return f"No cut: {alone}."  # its text was rewritten
            place += byte_offset - int(spans.ends[before])
        if len(data) > MAX_LATTICE_BYTES:
            return f"No cut: {alone}." if before == after else f"{names} are pieces of the best path."
        lattice = self._lattice_of(data.decode("utf-8", "replace"))
        if lattice.data != data:
            return f"No cut: {alone}." if before == after else f"{names} are pieces of the best path."
        other = lattice.with_cut(place) if before == after else lattice.without_cut(place)
        if other is None:
            if before == after:
                return f"No cut: {alone}, and this place is inside of a character."
            return f"No piece of {self.name} reaches over this place, between {names}."
        compared = lattice.compare(other, is_cut=before != after)
        return compared or self._otherwise(names if before != after else quote(self._bytes[left]))

    def _rule_between(self, left: int, right: int) -> str | None:
        """Why there is a cut between two tokens, if a rule makes it; None: the best path does."""
        return None

    def _otherwise(self, names: str) -> str:
        """Sentence for when the best path of these tokens alone is not the one taken in the text."""
        return f"{names}: another path is as probable here, to the precision with which the library adds."

    def _ends_part(self, left: int, right: int) -> bool:
        """Whether a separately encoded part ends between these two tokens."""
        return bool(self._is_control[left] or self._is_control[right])


class JurassicEncoding(UnigramEncoding):
    """A SentencePiece model of the kind Unigram, with AI21's steps around it.

    Args:
        model: the content of a .model file.
        name: what people call it.
        file: what ``model`` holds, if it has been read already.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.

    >>> from tokenizers import get_encoding
    >>> enc = get_encoding("j2")
    >>> placed = enc.place("naïve ½\\n12345")
    >>> [enc.token_bytes(token_id).decode() for token_id in placed.ids]
    [' naïve', ' ', '1', '⁄', '2', '\\n', ' ', '12345']
    >>> placed.starts.tolist()
    [0, 6, 7, 7, 7, 9, 10, 10]
    """

    def __init__(self, model: bytes, *, name: str, file: ModelFile | None = None) -> None:
        super().__init__(model, name=name, newline=NEWLINE, file=file)
        self.puts_space_in_front = True  # by AI21's code, not by the model
        id_of, unknown = self._processor.piece_to_id, self._unknown_piece
        self._newline_id: int = id_of(NEWLINE)
        runs = ((length, id_of(SPACE * length)) for length in range(_LONGEST_RUN, 0, -1))
        self._space_tokens = [(length, token_id) for length, token_id in runs if token_id != unknown]
        numbers = re.findall("^[0-9]+$", "\n".join(self._pieces), re.MULTILINE)
        self._number_ids: dict[str, int] = dict(zip(numbers, id_of(numbers), strict=True))
        self._is_number = np.zeros(self._n_vocab, dtype=np.bool_)
        self._is_number[list(self._number_ids.values())] = True
        if any(
            f"{number:0{size}}" not in self._number_ids for size in (1, 2, 3) for number in range(10**size)
        ):
            raise ValueError(f"The model of {name} lacks a number of up to three digits, so it is not j2's.")

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What it does to a text, step by step."""
        normaliser, _, *others = super().steps
        return [
            ("Lines", "each is cut on its own, with a space put in front; its end is a token"),
            ("Spaces", "a tab becomes one; of several, all but the last become tokens of four, two or one"),
            normaliser,
            ("Pre-tokeniser", f"lines and runs of spaces; {self._reach}"),
            *others[:1],
            (
                "Numbers",
                "those that were cut are joined again: one token, or threes of digits from the right",
            ),
            *others[1:],
        ]

    # Text to ids

    def _encode(self, text: str, in_front: bool) -> list[int]:
        ids: list[int] = []
        for number, line in enumerate(text.split("\n")):
            if number:
                ids.append(self._newline_id)
            if not line:
                continue
            for part, is_spaces in _parts_of(" " + line if number or in_front else line):
                ids += self._spaces(len(part)) if is_spaces else super()._encode(part, False)
        return self._join_numbers(ids)

    def _spaces(self, count: int) -> Iterator[int]:
        """The tokens of so many spaces: the longest first."""
        for length, token_id in self._space_tokens:
            times, count = divmod(count, length)
            yield from itertools.repeat(token_id, times)

    def _join_numbers(self, ids: list[int]) -> list[int]:
        """The same tokens, but adjacent numbers are cut again, from the right."""
        numbers = self._is_number[ids]
        if not (numbers[1:] & numbers[:-1]).any():
            return ids
        joined: list[int] = []
        for is_number, group in itertools.groupby(ids, key=self._is_number.__getitem__):
            if not is_number:
                joined += group
                continue
            digits = "".join(map(self._pieces.__getitem__, group))
            whole = self._number_ids.get(digits)
            if whole is not None:
                joined.append(whole)
                continue
            first = len(digits) % 3
            threes = [digits[:first]] if first else []
            threes += [digits[at : at + 3] for at in range(first, len(digits), 3)]
            joined += map(self._number_ids.__getitem__, threes)
        return joined

    def _normalise(self, text: str) -> Normalised:
        lines = text.split("\n")
        added: list[int] = []
        at = 0
        for number, line in enumerate(lines):
            if line:
                lines[number] = " " + line
                added.append(at)
            at += len(lines[number]) + 1
        source = "\n".join(lines)
        flat = source.replace("\t", " ").replace(SPACE, " ")
        one_line = flat.replace("\n", " ")
        if self._normaliser.normalize(one_line).replace(SPACE, " ") == one_line:
            return Normalised(source, added, flat)
        normal: list[str] = []
        origins: list[npt.NDArray[np.int64]] = []
        at = 0
        for number, line in enumerate(lines):
            if number:
                normal.append("\n")
                origins.append(np.array([at]))
                at += 1
            for part, is_spaces in _parts_of(line):
                if is_spaces:
                    normal.append(part)
                    origins.append(np.arange(at, at + len(part)))
                else:
                    became, places = self._normaliser.normalize(part, with_offsets=True)
                    normal.append(became)
                    origins.append(at + np.array(places[:-1], dtype=np.int64))
                at += len(part)
        origins.append(np.array([at]))
        return Normalised(source, added, "".join(normal).replace(SPACE, " "), np.concatenate(origins))

    # Ids to text

    def _strips(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of these tokens are given back without a space: those that begin a line with one."""
        begins = np.append(True, ids[:-1] == self._newline_id)[: len(ids)]
        strips: npt.NDArray[np.bool_] = begins & self._begins_with_space[ids]
        return strips

    # Why

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit a text, as it is cut: normalised, with the spaces that are put in front.

        Lines, runs of spaces, and numbers that are joined again are cut by other rules, before or after. So
        this is for the first part of a text that is one line without two spaces in a row.

        Raises:
            ValueError: the text is too long.
        """
        first = next(_parts_of(" " + well_formed(text).lstrip("\n ").split("\n")[0]), ("", False))[0]
        return self._lattice_of(self._normaliser.normalize(first).replace(SPACE, " "))

    def _rule_between(self, left: int, right: int) -> str | None:
        if self._newline_id in (left, right):
            return "A line ends here: each line is cut on its own."
        if not self._ends_part(left, right):
            return None
        rule = (
            "numbers are cut in threes of digits, from the right"
            if self._is_number[left]
            else "of several spaces, all but the last are tokens of four, two or one"
        )
        names = f"{quote(self._bytes[left])} and {quote(self._bytes[right])}"
        return f"A cut between {names}: {rule}."

    def _otherwise(self, names: str) -> str:
        return f"Here {self.name} joins numbers again that were cut otherwise first."

    def _ends_part(self, left: int, right: int) -> bool:
        """Whether a separately encoded part ends between these two tokens: a line, spaces, a number."""
        return (
            self._newline_id in (left, right)
            or (self._bytes[left][-1:] == b" " and bool(self._begins_with_space[right]))
            or bool(self._is_number[left] and self._is_number[right])
            or bool(self._is_control[left] or self._is_control[right])
        )


_RUNS = re.compile("( {2,})")


def _parts_of(line: str) -> Iterator[tuple[str, bool]]:
    """The parts of a line that are encoded separately; they join to the line with spaces for its tabs.

    Yields:
        a part, and whether it is spaces alone, of which the last one is in the part that comes next.

    >>> list(_parts_of(" a\\tb    c  "))
    [(' a b', False), ('   ', True), (' c', False), (' ', True), (' ', False)]
    """
    rest = ""
    for part in _RUNS.split(line.replace("\t", " ")):
        if part.startswith("  "):
            yield part[1:], True
            rest = " "
        elif part:
            yield rest + part, False
            rest = ""
    if rest:
        yield rest, False


def _bundled() -> JurassicEncoding:
    model = read_vocabulary("j2.model", "j2")
    return JurassicEncoding(model, name="j2", file=read_model(model, is_published=True))


BUNDLED = {
    "j2": Entry(
        _bundled,
        "Jurassic-2 of AI21, of 2023. Unigram, 262,144 pieces, some of several words; ² becomes 2 "
        "first (NFKC), and each line begins with a space that is put there.",
        hue=20,
        group="SentencePiece",
    )
}
"""The encodings of this family that come with the app."""
