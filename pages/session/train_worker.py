"""Grow one encoding in a process of its own, so that the app stays quick for those who type in it.

    python -m pages.session.train_worker

Both sides speak JSON, one object a line. Standard input: first the job,

    {"sources": [{"key": "docs", "weight": 1}, {"title": "notes.txt", "path": "/tmp/…", "weight": 2}],
     "vocab_size": 4096, "pattern": "gpt4o", "special_tokens": [], "ties": "smallest",
     "held_out": 0.05, "held_from": "blocks", "references": ["cl100k_base"]}

and later perhaps {"cancel": true}, which keeps what has been learned. A source has a key of
``tokenizers.corpus`` or the path of a text in UTF-8. When standard input ends, nobody waits any more,
and the process ends too. Standard output, a few lines a second at most:

    {"kind": "stage", "stage": "reading"}                    the sources are being read
    {"kind": "stage", "stage": "preparing"}                  the compiled trainer is loaded, or compiled
    {"kind": "stage", "stage": "splitting", "done": …, "total": …}     bytes handed to the splitter
    {"kind": "stage", "stage": "counting"}                   pieces and pairs are being counted
    {"kind": "merges", "total": …, "n_bytes": …, "merges": [[left, right, count, n_tokens], …]}
    {"kind": "stage", "stage": "measuring"}                  the held-out text is being encoded
    {"kind": "done", …}                                      see ``_measure``
    {"kind": "error", "message": …}                          one sentence for a person; the last line
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tokenizers as tk
from tokenizers import kernels
from tokenizers.bpe import SMALL, HomeEncoding, Progress
from tokenizers.data import (
    SCRIPT_BYTES,
    Source,
    check_corpus_size,
    count_bytes,
    fingerprint,
    part_sources,
    read_bundled,
    script_bytes,
    script_tokens,
    utf8_length,
    weighed_bytes,
)

INTERVAL = 0.15
"""Seconds between two messages, at least."""


class Reporter:
    """Writes messages; merges are gathered and go out together."""

    def __init__(self) -> None:
        self._merges: list[tuple[int, int, int, int]] = []
        self._last: Progress | None = None
        self._stage = ""
        self._next = 0.0

    def say(self, kind: str, **fields: Any) -> None:
        """Write a message now, and the gathered merges before it."""
        self.flush()
        self._write(kind, **fields)

    def stage(self, stage: str, **fields: Any) -> None:
        """Write what is being done, unless that is known and something was written a moment ago."""
        if stage != self._stage or time.monotonic() >= self._next:
            self._stage = stage
            self.say("stage", stage=stage, **fields)

    def merged(self, progress: Progress) -> None:
        """Take note of a merge."""
        self._merges.append((*progress.pair, progress.count, progress.n_tokens))
        self._last = progress
        if time.monotonic() >= self._next:
            self.flush()

    def flush(self) -> None:
        """Write the gathered merges."""
        if self._merges and self._last:
            merges, self._merges = self._merges, []
            self._write("merges", total=self._last.total, n_bytes=self._last.n_bytes, merges=merges)

    def _write(self, kind: str, **fields: Any) -> None:
        print(json.dumps({"kind": kind, **fields}), flush=True)
        self._next = time.monotonic() + INTERVAL


def run(job: dict[str, Any], reporter: Reporter, cancel: Callable[[], bool]) -> None:
    """Do the job and report it.

    Raises:
        ValueError, OSError: with a sentence for a person.
    """
    started = time.perf_counter()
    reporter.stage("reading")
    sources = [_read(each) for each in job["sources"]]
    check_corpus_size(sum(weighed_bytes(count_bytes(source.texts), source.weight) for source in sources))
    parts = part_sources(sources, float(job["held_out"]), job["held_from"])
    total = sum(part.n_bytes for part in parts)
    if total > SMALL:
        reporter.stage("preparing")
        kernels.ready()

    def texts() -> Iterator[str]:
        done = 0
        for part in parts:
            for text in part.texts():
                reporter.stage("splitting", done=done, total=total)
                yield text
                done += utf8_length(text)
        reporter.stage("counting")

    encoding = tk.train(
        texts(),
        int(job["vocab_size"]),
        job["pattern"],
        job["special_tokens"],
        job["ties"],
        on_progress=reporter.merged,
        cancel=cancel,
    )
    learned = time.perf_counter()
    reporter.stage("measuring")
    corpus = (text for part in parts for text in part.texts())
    reporter.say(
        "done",
        stopped=encoding.stopped,
        seconds=learned - started,
        n_bytes=total,
        fingerprint=fingerprint(sources),
        script_bytes=script_bytes(corpus),
        script_tokens=script_tokens(encoding.token_ends(SCRIPT_BYTES + 1)[0][256:]),
        sources=[
            {
                "title": source.title,
                "bytes": part.n_bytes,
                "times": part.times,
                "held_texts": len(part.held),
                "known_bytes": part.known_bytes,
                **_measure(encoding, part.held, job["references"]),
            }
            for source, part in zip(sources, parts, strict=True)
        ],
    )


def _measure(encoding: HomeEncoding, held: list[str], references: list[str]) -> dict[str, Any]:
    """A source's held-out text: its bytes, its tokens at every vocabulary size, and in other encodings."""
    tokens = np.zeros(len(encoding.merges) + 1, dtype=np.int64)
    for text in held:
        tokens += encoding.counts_by_size(text)
    others = {
        name: sum(len(tk.get_encoding(name).encode_array(text)) for text in held) for name in references
    }
    return {"held_bytes": count_bytes(held), "held_tokens": tokens.tolist(), "references": others}


def _read(source: dict[str, Any]) -> Source:
    weight = float(source["weight"])
    if "path" in source:
        return Source(str(source["title"]), (Path(source["path"]).read_bytes().decode("utf-8"),), weight)
    return read_bundled(str(source["key"]), weight)


def _give_way() -> None:
    """Let others go first: on a busy processor, and when memory runs out."""
    if hasattr(os, "nice"):
        os.nice(5)
    try:
        Path("/proc/self/oom_score_adj").write_text("800")
    except OSError:
        pass  # not Linux


def main() -> int:
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    _give_way()
    line = sys.stdin.readline()
    cancelled = threading.Event()

    def listen() -> None:
        for line in sys.stdin:
            if json.loads(line).get("cancel"):
                cancelled.set()
        os._exit(0)  # nobody waits any more

    reporter = Reporter()
    try:
        job = json.loads(line)
        threading.Thread(target=listen, daemon=True).start()
        run(job, reporter, cancelled.is_set)
    except (ValueError, OSError) as problem:
        reporter.say("error", message=str(problem))
        return 1
    except MemoryError:
        reporter.say(
            "error", message="There is too little memory for a corpus of this size. Choose a smaller one."
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
