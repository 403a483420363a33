"""An encoding of the session's own, and what is known of how it came to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pages.session.train_plan import Recipe
from tokenizers.encoding import Encoding


@dataclass
class Grown:
    """A finished encoding of the session's own, and what is known of its growth.

    Attributes:
        encoding: with the name that it has in the choosers.
        counts: how often each merge's pair was in the corpus; empty: not known.
        n_tokens: tokens of the corpus after each merge.
        n_bytes: bytes of the corpus.
        recipe: what it was grown from; None: it came from a file.
        seconds: how long reading, splitting and learning took.
        report: the worker's last message; empty: it never came.
        problem: what went wrong after the merges that are here.
        own_digests: of each text of a person's own that it learned from, by key: ``digest_of`` its content.
        file: the name of the file that it came from.
        pattern_chosen: whether a person chose its split pattern, which the file does not hold.
    """

    encoding: Encoding
    counts: list[int] = field(default_factory=list)
    n_tokens: list[int] = field(default_factory=list)
    n_bytes: int = 0
    recipe: Recipe | None = None
    seconds: float = 0.0
    report: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    own_digests: dict[str, str] = field(default_factory=dict)
    file: str = ""
    pattern_chosen: bool = False

    @property
    def merges(self) -> list[tuple[int, int]]:
        """The merges that were learned, in order; none where the family has no such."""
        return [] if self.encoding.training is None else self.encoding.training.merges

    @property
    def stopped(self) -> str | None:
        """Why it learned less than was asked for; None: it did not."""
        if self.encoding.training is not None:
            return self.encoding.training.stopped
        stopped = self.report.get("stopped")
        return None if stopped is None else str(stopped)

    @property
    def sizes(self) -> list[int]:
        """The vocabulary sizes at which the held-out text was counted: one alone, where no prefix is an
        encoding.
        """
        if self.encoding.training is not None:
            return list(range(256, 257 + len(self.merges)))
        return self.report.get("sizes") or [self.encoding.n_vocab]
