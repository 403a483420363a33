"""j2, of AI21's Jurassic-2: a Unigram, with more around it.

As the Unigram of ``sentencepieces.py``, and besides:

- A line's end is a token of its own, and a space is put in front of each line that is not empty.
- A tab becomes a space. Of two spaces or more, all but the last become tokens of four, two or one.
- SentencePiece normalises by NFKC and more (nmt_nfkc): ½ becomes 1⁄2, a zero-width joiner a space, control
  characters nothing.
- Numbers that were cut in two are joined again: a token if there is one, or threes of digits from the right.

These ids are those of AI21's own library (PyPI: ai21-tokenizer 0.12.0, ``base_jurassic_tokenizer.py``, and
the ``config.json`` beside its model).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import regex

from ..numbered import numbered
from ..steps import PRE_TOKENISER, Steps
from ..text.rewriting import Rewritten, rewrite
from ..text.spans import Spans
from ..text.spelling import quote
from ..utf8 import well_formed
from .lattice import Lattice
from .sentencepieces import SPACE, UnigramEncoding


class JurassicEncoding(UnigramEncoding):
    """A SentencePiece model of the kind Unigram, with AI21's steps around it.

    >>> from tokenizers import get_encoding
    >>> enc = get_encoding("j2")
    >>> placed = enc.place("naïve ½\\n12345")
    >>> [enc.token_bytes(token_id).decode() for token_id in placed.ids]
    [' naïve', ' ', '1', '⁄', '2', '\\n', ' ', '12345']
    >>> placed.starts.tolist()
    [0, 6, 7, 7, 7, 9, 10, 10]
    >>> enc.puts_space_in_front
    True
    """

    part_begin = regex.compile("(?<=\n)")  # each line is cut on its own

    def __init__(self, model: Any, *, name: str) -> None:
        super().__init__(model, name=name)
        self.puts_space_in_front = True  # by AI21's code, not by the model
        self._newline_id = self.special_tokens.pop("<|newline|>")
        self._tokens[self._newline_id] = b"\n"
        self._is_control[self._newline_id], self._can_arise[self._newline_id] = False, True
        self.is_silent[self._newline_id] = False
        ids = numbered(self.pieces)
        self._space_tokens = [(length, ids[SPACE * length]) for length in (4, 2, 1)]
        numbers = filter(re.compile("[0-9]+").fullmatch, self.pieces)
        self._number_ids = {number: ids[number] for number in numbers}
        self._is_number = np.zeros(self.n_vocab, bool)
        self._is_number[list(self._number_ids.values())] = True

    def family_steps(self) -> Steps:
        normaliser, _, model, *others = super().family_steps()
        joins = "those that were cut are joined again: one token, or threes of digits from the right"
        return [
            ("Lines", "each is cut on its own, with a space put in front; its end is a token"),
            ("Spaces", "a tab becomes one; of several, all but the last become tokens of four, two or one"),
            normaliser,
            (PRE_TOKENISER, f"lines and runs of spaces; {self._reach}"),
            model,
            ("Numbers", joins),
            *others,
        ]

    # Text to ids

    def _encode(self, text: str, in_front: bool = True) -> list[int]:
        ids: list[int] = []
        for number, line in enumerate(text.split("\n")):
            if number:
                ids.append(self._newline_id)
            for part, is_spaces in _parts_of(" " + line if line and (number or in_front) else line):
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
            digits = "".join(map(self.pieces.__getitem__, group))
            first = len(digits) % 3
            begin = first - 3 if first else 0
            threes = [digits[max(at, 0) : at + 3] for at in range(begin, len(digits), 3)]
            whole = self._number_ids.get(digits)
            joined += [whole] if whole is not None else map(self._number_ids.__getitem__, threes)
        return joined

    def _rewrite(self, text: str) -> Rewritten:
        with_spaces = rewrite(text, [(line.start(), line.start(), " ") for line in _LINE.finditer(text)])
        flat = text.replace("\t", " ").replace("\n", " ")
        if self._read(flat, False) == flat.replace(" ", SPACE):  # nothing but spaces is added
            seen = with_spaces.seen.replace("\t", " ").replace(SPACE, " ")
            return Rewritten(text, seen, with_spaces.starts, with_spaces.ends)
        parts: list[Rewritten] = []
        for number, line in enumerate(with_spaces.seen.split("\n")):
            if number > 0:
                parts.append(Rewritten("\n", "\n"))
            for part, is_spaces in _parts_of(line):
                normal = (part,) if is_spaces else self._normalise(part, self._inside)
                parts.append(Rewritten(part, *normal))
        return with_spaces.then(Rewritten.join(parts))

    # Ids to text

    def _stripped(self, ids: Sequence[int]) -> Iterator[int]:
        """The tokens, by index, that are given back without a space: those that begin a line with one."""
        for at, (before, token_id) in enumerate(itertools.pairwise((self._newline_id, *ids))):
            if before == self._newline_id and self._tokens[token_id][:1] == b" ":
                yield at

    # Why here

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit a text, as it is cut: normalised, with the spaces that are put in front.

        Lines, runs of spaces, and numbers that are joined again are cut by other rules, before or after. So
        this is for the first part of a text that is one line without two spaces in a row.

        Raises:
            ValueError: the text is too long.
        """
        first = next(_parts_of(" " + well_formed(text).lstrip("\n ").split("\n")[0]), ("", False))[0]
        return self._lattice_of(self._read(first, False).replace(SPACE, " "))

    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        left, right = spans.id_at(before), spans.id_at(after)
        if before == after or not self._ends_part(left, right):
            return super()._reason_of_model(spans, before, after, byte_offset)
        if self._newline_id in (left, right):
            return "A line ends here: each line is cut on its own."
        rule = (
            "numbers are cut in threes of digits, from the right"
            if self._is_number[left]
            else "of several spaces, all but the last are tokens of four, two or one"
        )
        return f"A cut between {quote(self._tokens[left])} and {quote(self._tokens[right])}: {rule}."

    def _ends_part(self, left: int, right: int) -> bool:
        """Whether a part that is cut by itself ends between these two tokens: a line, spaces, a number."""
        return (
            self._newline_id in (left, right)
            or (self._tokens[left][-1:] == b" " and self._tokens[right][:1] == b" ")
            or bool(self._is_number[left] and self._is_number[right])
            or super()._ends_part(left, right)
        )


_RUNS = re.compile("( {2,})")
_LINE = re.compile("^(?=.)", re.MULTILINE)  # the beginning of one that is not empty


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
