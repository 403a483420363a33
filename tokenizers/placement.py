"""Where the tokens of a text are in it, and the places that decoding them does not give back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .encoding import Ids, Offsets


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """The tokens of a text, and where each one is in it: token i covers bytes [starts[i], ends[i]).

    Tokens are in the order of the text: neither ``starts`` nor ``ends`` ever falls. But they need not join.
    Between two tokens there may be bytes that belong to none (white space that a family drops); a token may
    cover nothing (a space that a family puts in front); and tokens may share bytes (one character of the text
    that became three others).

    Attributes:
        ids: shape (n,).
        starts, ends: shape (n,), in bytes of UTF-8.
    """

    ids: Ids
    starts: Offsets
    ends: Offsets


@dataclass(frozen=True, slots=True)
class Loss:
    """A place of a text that decoding does not give back: bytes [start, end), and what it gives instead.

    ``start == end``: decoding puts something there that was not in the text.
    """

    start: int
    end: int
    became: str


class Losses(Sequence[Loss]):
    """The places of a text that decoding does not give back, in order; none: it gives back every byte.

    Args:
        starts, ends: of each place, in bytes, shape (n,).
        kinds: of each place: the index in ``texts`` of what comes back instead, shape (n,).
        texts: the few texts that can come back.

    >>> losses = Losses([0, 7], [5, 7], [1, 0], (" ", "[UNK]"))
    >>> len(losses), losses[1]
    (2, Loss(start=7, end=7, became=' '))
    """

    def __init__(
        self,
        starts: Sequence[int] | Offsets = (),
        ends: Sequence[int] | Offsets = (),
        kinds: Sequence[int] | npt.NDArray[np.uint8] = (),
        texts: tuple[str, ...] = (),
    ) -> None:
        self._starts, self._ends, self._kinds, self._texts = starts, ends, kinds, texts

    def __len__(self) -> int:
        return len(self._kinds)

    @overload
    def __getitem__(self, index: int) -> Loss: ...
    @overload
    def __getitem__(self, index: slice) -> Losses: ...
    def __getitem__(self, index: int | slice) -> Loss | Losses:
        if isinstance(index, slice):
            return Losses(self._starts[index], self._ends[index], self._kinds[index], self._texts)
        return Loss(int(self._starts[index]), int(self._ends[index]), self._texts[int(self._kinds[index])])
