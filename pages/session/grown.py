"""A session's own encoding, and what is known of how it was trained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.session.train_plan import Recipe
from tokenizers.encoding import Encoding

REFERENCES = ("gpt2", "cl100k_base")
"""The encodings that a trained one is compared with."""

MAX_POINTS = 240
"""Points of a curve, at most."""


def sizes_to_draw(n_merges: int, most: int = MAX_POINTS) -> npt.NDArray[np.int64]:
    """The sizes 0 to ``n_merges`` for a curve; if they are many, ``most`` of them, closer at the start."""
    if n_merges < most:
        return np.arange(n_merges + 1)
    spread = np.linspace(0, 1, most) ** 2 * n_merges
    return np.unique(spread.round().astype(np.int64))


@dataclass
class Grown:
    """A session's own encoding, and what is known of how it was trained.

    Attributes:
        encoding: with the name that it has in the choosers.
        counts: how often each merge's pair was in the corpus; empty: not known.
        n_tokens: tokens of the corpus after each merge.
        n_bytes: bytes of the corpus.
        recipe: what it was trained by; None: it came from a file.
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

    # How it does on the text that was held out, each source as often as it is read

    def held_out_curve(self, sizes: slice = slice(None)) -> tuple[float, list[float], dict[str, float]]:
        """Its bytes, its tokens at each vocabulary size, and its bytes per token in other encodings.

        Args:
            sizes: which of ``self.sizes``; by default all.

        Returns:
            Bytes and tokens are 0 where nothing was held out.
        """
        n_bytes, tokens = 0.0, np.zeros(len(self.sizes))[sizes]
        others = dict.fromkeys(REFERENCES, 0.0)
        for source in self.report.get("sources", ()):
            times = source["times"]
            n_bytes += times * source["held_bytes"]
            tokens += times * np.array(source["held_tokens"][sizes], dtype=np.float64)
            for other, count in source["references"].items():
                others[other] += times * count
        return n_bytes, tokens.tolist(), {other: n_bytes / count for other, count in others.items() if count}

    @property
    def held_out_ratio(self) -> float | None:
        """Bytes per token at the full size; None: nothing was held out."""
        n_bytes, (tokens,), _ = self.held_out_curve(slice(-1, None))
        return n_bytes / tokens if tokens else None

    @property
    def unknown_share(self) -> float:
        """The share of the bytes in unknown tokens, 0 to 1."""
        return self.held_out_sum("unknown_bytes") / (self.held_out_sum("held_bytes") or 1.0)

    @property
    def lost_share(self) -> float:
        """The share of the bytes that decoding does not restore, those in unknown tokens included, 0 to 1."""
        return self.held_out_sum("lost_bytes") / (self.held_out_sum("held_bytes") or 1.0)

    def held_out_sum(self, count: str) -> float:
        """One of the counts of the sources, such as ``held_words``."""
        sources = self.report.get("sources", ())
        return sum(float(source["times"]) * float(source.get(count, 0)) for source in sources)
