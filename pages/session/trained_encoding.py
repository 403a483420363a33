"""A session's own encoding, and the facts about its training."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from pages.session.train_plan import Recipe
from tokenizers.bpe import home_trained
from tokenizers.encoding import Encoding
from tokenizers.files import file_of

REFERENCES = ("o200k_base", "cl100k_base", "gpt2")
"""The encodings that a trained one is compared with."""

_MERGE_MEMORY = 1_000  # bytes for each merge
_FILE_MEMORY = 25  # bytes for each byte of a file


def _digest(encoding: Encoding) -> str:
    return hashlib.sha256(file_of(encoding)).hexdigest()[:16]


@dataclass
class TrainedEncoding:
    """A session's own encoding, and the facts about its training.

    Attributes:
        encoding: the encoding, with its name in the choosers.
        counts: how often each merge's pair was in the corpus; empty: not known.
        n_bytes: bytes of the corpus.
        recipe: the recipe of its training; None: it came from a file.
        seconds: how long reading, splitting and learning took.
        report: the worker's last message; empty: there was none.
        problem: the error that ended the training early.
        own_digests: ``digest_of`` each of the session's own texts that it learned from, by key.
        file: the name of its file.
    """

    encoding: Encoding
    counts: list[int] = field(default_factory=list)
    n_bytes: int = 0
    recipe: Recipe | None = None
    seconds: float = 0.0
    report: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    own_digests: dict[str, str] = field(default_factory=dict)
    file: str = ""

    @property
    def memory(self) -> int:
        """About the encoding's memory, in bytes: measured when its file was tried, or estimated."""
        estimate = _MERGE_MEMORY * len(self.merges) or _FILE_MEMORY * len(self.encoding.saved or b"")
        return self.encoding.memory or estimate

    @property
    def digest(self) -> str:
        """A digest of its file, whatever the file is called: the first 16 digits of the SHA-256."""
        return self.encoding.cached(_digest)

    @property
    def merges(self) -> list[tuple[int, int]]:
        """The learned merges in order; empty if the family has none."""
        trained = home_trained(self.encoding)
        return [] if trained is None else trained.merges

    @property
    def stopped(self) -> str | None:
        """Why it learned less than its recipe asks for; None: it learned all."""
        trained = home_trained(self.encoding)
        if trained is not None:
            return trained.stopped
        stopped = self.report.get("stopped")
        return None if stopped is None else str(stopped)

    # Its results on the held-out text, with each source weighted as in training

    @property
    def held_out_ratio(self) -> float | None:
        """Bytes per token; None: there is no held-out text."""
        tokens = self.held_out_sum("held_tokens")
        return self.held_out_sum("held_bytes") / tokens if tokens else None

    @property
    def reference_ratios(self) -> dict[str, float]:
        """Bytes per token of the same text in each of ``REFERENCES``."""
        n_bytes = self.held_out_sum("held_bytes")
        return {name: n_bytes / (self.held_out_sum(name) or 1.0) for name in REFERENCES}

    @property
    def unknown_share(self) -> float:
        """The share of the bytes in unknown tokens, 0 to 1."""
        return self.held_out_sum("unknown_bytes") / (self.held_out_sum("held_bytes") or 1.0)

    @property
    def lost_share(self) -> float:
        """The share of the bytes that decoding does not restore, 0 to 1. Unknown tokens count, too."""
        return self.held_out_sum("lost_bytes") / (self.held_out_sum("held_bytes") or 1.0)

    def held_out_sum(self, count: str) -> float:
        """The weighted sum of one of the sources' counts, such as ``held_words``."""
        sources = self.report.get("sources", ())
        return sum(float(source["times"]) * float(source[count]) for source in sources)
