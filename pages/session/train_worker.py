"""Grow one encoding in a process of its own, so that the app stays quick for those who type in it.

    python -m pages.session.train_worker

Both sides speak JSON, one object a line. Standard input: first the job,

    {"sources": [{"key": "docs", "weight": 1}, {"title": "notes.txt", "bytes": 1200, "weight": 2}],
     "vocab_size": 4096, "pattern": "gpt4o", "special_tokens": [], "ties": "smallest",
     "held_out": 0.05, "held_from": "blocks", "references": ["cl100k_base"]}

with "method" and what it asks for (``Recipe``), if it is not byte-pairs; or with "compare", a list of such,
each learned after the other. A source has a key of ``tokenizers.corpus``, or so many bytes: a text in UTF-8.
These texts follow the job, one after the other and nothing between: a person's text is never put into a file.
Later perhaps {"cancel": true}, which keeps what has been learned. When standard input ends, nobody waits any
more, and the process ends too. Standard output, a few lines a second at most:

    {"kind": "stage", "stage": "reading"}                    the sources are being read
    {"kind": "stage", "stage": "preparing"}                  the compiled trainer is loaded, or compiled
    {"kind": "stage", "stage": "splitting", "done": …, "total": …}     bytes handed to the splitter
    {"kind": "stage", "stage": "counting"}                   pieces and pairs are being counted
    {"kind": "merges", "total": …, "n_bytes": …, "merges": [[left, right, count, n_tokens], …]}
    {"kind": "stage", "stage": "learning", "n_tokens": …, "newest": …}   by a library, as far as it says
    {"kind": "model", "seconds": …, "data": …}               the encoding's file in base64, not of byte-pairs
    {"kind": "stage", "stage": "measuring"}                  the held-out text is being encoded
    {"kind": "done", …}                                      see ``_report``
    {"kind": "compared", "method": …, "seconds": …, "data": …, …}   see ``_report``; or with its "problem"
    {"kind": "error", "message": …}                          one sentence for a person; the last line
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import difflib
import functools
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import tokenizers as tk
from pages.session.grown import MAX_POINTS
from pages.session.train_methods import METHODS, Method
from tokenizers import kernels
from tokenizers.bpe import SMALL, HomeEncoding, Progress, counts_by_size
from tokenizers.data import (
    Part,
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
from tokenizers.encoding import Encoding
from tokenizers.families import UNKNOWN, learn_characters, learn_words
from tokenizers.formats import file_of, read_any, write_listed
from tokenizers.growing import Learning, learn_pieces, learn_word_pieces
from tokenizers.lazily import once
from tokenizers.text import SCRIPT_BYTES, find_words

INTERVAL = 0.15
"""Seconds between two messages, at least."""

MAX_SIZES = MAX_POINTS
"""Vocabulary sizes at which held-out text is counted, where a prefix of the vocabulary is an encoding."""

MOST_COMPARED = 250_000
"""Characters of a stretch that does not come back, times those that come instead, to be compared."""

LONGEST_PART = 250_000
"""Characters of a text whose tokens are placed at a time."""


class Reporter:
    """Writes messages; merges are gathered and go out together."""

    def __init__(self) -> None:
        self._merges: list[tuple[int, int, int, int]] = []
        self._last: Progress | None = None
        self._stage = ""
        self._next = 0.0
        self.comparing = ""  # the method, where several are compared
        self.follows_libraries = False  # whether what libraries write is listened to, in all of the process

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
        of = {"of": self.comparing} if self.comparing else {}
        print(json.dumps({"kind": kind, **of, **fields}), flush=True)
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
    mix = MixToLearn(sources, parts, tuple(job["references"]))
    if "compare" in job:
        _compare(job, mix, reporter, cancel)
        return
    encoding = _learn(job, mix, reporter, cancel)
    learned = time.perf_counter()
    if job.get("method", "byte-pairs") != "byte-pairs":
        reporter.say("model", seconds=learned - started, data=_pack(encoding))
    reporter.stage("measuring")
    reporter.say("done", seconds=learned - started, **_report(encoding, mix, int(job["vocab_size"])))


@dataclass(frozen=True)
class MixToLearn:
    """What is learned from, and what is held out.

    Attributes:
        sources: as they were read.
        parts: the same, parted.
        references: the encodings that are measured beside what is learned.
    """

    sources: list[Source]
    parts: list[Part]
    references: tuple[str, ...]

    @once
    def reference_tokens(self) -> list[dict[str, int]]:
        """The tokens of each source's held-out text in other encodings."""
        return [
            {
                name: sum(len(tk.get_encoding(name).encode_array(text)) for text in part.held)
                for name in self.references
            }
            for part in self.parts
        ]

    @once
    def script_bytes(self) -> dict[str, int]:
        """How many bytes of the texts to learn from are in which script."""
        return script_bytes(text for part in self.parts for text in part.texts())


def _pack(encoding: Encoding) -> str:
    """An encoding's file, as JSON can hold it."""
    return base64.b64encode(file_of(encoding)).decode()


def _report(encoding: Encoding, mix: MixToLearn, vocab_size: int) -> dict[str, Any]:
    """What is known of an encoding that was learned: how it does on each source's held-out text, and more."""
    sizes = _sizes(encoding)
    return {
        "stopped": _shortfall(encoding, vocab_size),
        "n_bytes": sum(part.n_bytes for part in mix.parts),
        "fingerprint": fingerprint(mix.sources),
        "script_bytes": mix.script_bytes,
        "script_tokens": script_tokens(_learned_tokens(encoding)),
        "sizes": [] if encoding.training is not None else sizes,  # those of byte pairs are known
        "sources": [
            {
                "title": source.title,
                "bytes": part.n_bytes,
                "times": part.times,
                "held_texts": len(part.held),
                "known_bytes": part.known_bytes,
                **_measure(encoding, part.held, sizes),
                "references": references,
            }
            for source, part, references in zip(mix.sources, mix.parts, mix.reference_tokens, strict=True)
        ],
    }


# Learning


def _learn(job: dict[str, Any], mix: MixToLearn, reporter: Reporter, cancel: Callable[[], bool]) -> Encoding:
    """What the job's method learns from the texts to learn from."""
    parts = mix.parts
    if job.get("method", "byte-pairs") == "byte-pairs":
        return _learn_byte_pairs(job, parts, reporter, cancel)
    method: Method = job["method"]
    vocab_size = int(job["vocab_size"])
    texts = [text for part in parts for text in part.texts()]
    reporter.stage("learning", n_tokens=0, newest="")

    def report(learning: Learning) -> None:
        reporter.stage("learning", n_tokens=learning.n_tokens, newest=learning.newest)

    pieces = METHODS[method].pieces
    if pieces is not None:
        data = learn_pieces(
            texts,
            vocab_size,
            pieces,
            coverage=float(job["coverage"]),
            byte_fallback=job["byte_fallback"],
            normalisation=job["normalisation"],
            split_digits=job["split_digits"],
            special_tokens=job["special_tokens"],
            on_progress=report if reporter.follows_libraries else None,
        )
    elif method == "wordpiece":
        data = learn_word_pieces(
            texts, vocab_size, small_letters=job["small_letters"], special_tokens=job["special_tokens"]
        )
    elif method == "characters":
        learned = learn_characters(texts, vocab_size, "bytes" if job["byte_fallback"] else "unknown")
        data = write_listed(learned)
    elif method == "words":
        data = write_listed(learn_words(texts, vocab_size))
    else:
        raise NotImplementedError(f"Nothing here learns by the method {method}.")
    return read_any(data, method)


def _learn_byte_pairs(
    job: dict[str, Any], parts: list[Part], reporter: Reporter, cancel: Callable[[], bool]
) -> HomeEncoding:
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

    return tk.train(
        texts(),
        int(job["vocab_size"]),
        job["pattern"],
        job["special_tokens"],
        job["ties"],
        on_progress=reporter.merged,
        cancel=cancel,
    )


def _shortfall(encoding: Encoding, vocab_size: int) -> str | None:
    """Why there are fewer tokens than were asked for; None: there are as many."""
    if encoding.training is not None:
        return encoding.training.stopped
    if encoding.n_vocab >= vocab_size:
        return None
    return (
        f"It has {encoding.n_vocab:,} of {vocab_size:,} tokens: there is no more to learn in the text. "
        f"Take more "
        "text, or a smaller vocabulary."
    )


def _learned_tokens(encoding: Encoding) -> Iterator[bytes]:
    """The tokens that were learned, as far as their scripts matter: the start of each, without the bytes."""
    if encoding.training is not None:
        return iter(encoding.training.token_ends(SCRIPT_BYTES + 1)[0][256:])
    marked = encoding.inside_words
    tokens = (token[2:] if token_id in marked else token for token, token_id in encoding.ordinary.items())
    return (token for token in tokens if len(token) > 1 or token < b"\x80")


# Measuring


def _sizes(encoding: Encoding) -> list[int]:
    """The vocabulary sizes at which held-out text is counted: where a prefix is a real encoding, many."""
    if encoding.training is not None:
        return list(range(256, 257 + len(encoding.training.merges)))
    if encoding.joining is None:
        return [encoding.n_vocab]
    curve = counts_by_size(encoding, "")
    spread = np.linspace(0, 1, MAX_SIZES) ** 2 * (curve.full - curve.smallest)
    sizes: list[int] = np.unique(curve.smallest + spread.round().astype(np.int64)).tolist()
    return sizes


def _measure(encoding: Encoding, held: list[str], sizes: list[int]) -> dict[str, Any]:
    """A source's held-out text: its bytes and words (0: they cannot be counted), its tokens at each size; and
    how much of it is unknown, or does not come back.
    """
    tokens = np.zeros(len(sizes), dtype=np.int64)
    n_words, unknown_tokens, unknown_bytes, lost_bytes = 0, 0, 0, 0
    are_shown = True
    for text in _in_parts(held):
        words = find_words(text)
        n_words, are_shown = n_words + len(words), are_shown and words.are_shown
        if encoding.training is not None:
            tokens += encoding.training.counts_by_size(text)
            continue
        placed = encoding.place(text)
        if len(sizes) > 1:
            tokens += counts_by_size(encoding, text).at_sizes(sizes)
        else:
            tokens += len(placed.ids)
        if encoding.unknown_id is not None:
            is_unknown = placed.ids == encoding.unknown_id
            unknown_tokens += int(is_unknown.sum())
            unknown_bytes += int((placed.ends - placed.starts)[is_unknown].sum())
        if not encoding.is_lossless:
            data = text.encode("utf-8")
            for loss in encoding.losses_in(text, placed):
                lost_bytes += bytes_lost(data[loss.start : loss.end].decode("utf-8", "replace"), loss.became)
    return {
        "held_bytes": count_bytes(held),
        "held_words": n_words if are_shown else 0,
        "held_tokens": tokens.tolist(),
        "unknown_tokens": unknown_tokens,
        "unknown_bytes": unknown_bytes,
        "lost_bytes": lost_bytes,
    }


@functools.lru_cache(maxsize=10_000)
def bytes_lost(typed: str, became: str) -> int:
    """How many bytes of a stretch are not in what comes back in its place, which may be mostly the same.

    >>> bytes_lost("The Letter", "the letter"), bytes_lost("naïve", "naive"), bytes_lost("tree", "[UNK]")
    (2, 2, 4)
    """
    if became == UNKNOWN or len(typed) * len(became) > MOST_COMPARED:
        return len(typed.encode("utf-8"))
    kept = difflib.SequenceMatcher(None, typed, became, autojunk=False).get_matching_blocks()
    whole = sum(len(typed[block.a : block.a + block.size].encode("utf-8")) for block in kept)
    return len(typed.encode("utf-8")) - whole


def _in_parts(texts: Iterable[str]) -> Iterator[str]:
    """Texts in parts of whole lines that every family can place the tokens of."""
    for text in texts:
        at = 0
        while len(text) - at > LONGEST_PART:
            end = text.rfind("\n", at, at + LONGEST_PART) + 1 or at + LONGEST_PART
            yield text[at:end]
            at = end
        yield text[at:]


# Comparing


def _compare(job: dict[str, Any], mix: MixToLearn, reporter: Reporter, cancel: Callable[[], bool]) -> None:
    """Learn by one method after the other, and report how each does on the text that was held out."""
    if not any(part.held for part in mix.parts):
        raise ValueError(
            "There is no held-out text to compare the methods on: hold some out under More settings, or take "
            "a text with more lines."
        )
    for each in job["compare"]:
        started = time.perf_counter()
        reporter.comparing = each["method"]
        try:
            encoding = _learn({**job, **each}, mix, reporter, cancel)
        except (ValueError, OSError) as problem:
            reporter.say("compared", method=each["method"], problem=str(problem))
            continue
        if cancel():
            return
        seconds = time.perf_counter() - started
        reporter.stage("measuring")
        report = _report(encoding, mix, int(job["vocab_size"]))
        reporter.say("compared", method=each["method"], seconds=seconds, data=_pack(encoding), **report)
    reporter.say("done")


def _read(source: dict[str, Any]) -> Source:
    weight = float(source["weight"])
    if "text" in source:
        return Source(str(source["title"]), (source["text"],), weight)
    return read_bundled(str(source["key"]), weight)


def read_texts(job: dict[str, Any], stream: BinaryIO) -> None:
    """Put the texts that follow a job into its sources.

    Raises:
        ValueError: they do not come whole.
    """
    for source in job["sources"]:
        if "bytes" in source:
            data = stream.read(int(source["bytes"]))
            if len(data) < int(source["bytes"]):
                raise ValueError("The texts to learn from did not arrive whole. Press Grow again.")
            source["text"] = data.decode("utf-8")


def _give_way() -> None:
    """Let others go first: on a busy processor, and when memory runs out."""
    if hasattr(os, "nice"):
        # With 5, thirty people who type in 10 KB waited 20 ms beside a training, not 7 (benchmarks.room).
        os.nice(15)
    _lower_session("15")
    try:
        Path("/proc/self/oom_score_adj").write_text("800")
    except OSError:
        pass  # not Linux


def _lower_session(priority: str, autogroup: Path = Path("/proc/self/autogroup")) -> None:
    """Have this process's session give way as a whole; it has one of its own (train_run.py).

    Where Linux shares the processor between sessions first, as on many desktops, nice counts within one. A
    process that is not root's has to try again if another one of the machine said so less than 0.1 s ago.
    """
    for _ in range(20):
        try:
            autogroup.write_text(priority)
        except BlockingIOError:
            time.sleep(0.11)
        except OSError:
            return  # it has no such file, or must not write it
        else:
            return


def _end_with_the_server() -> None:
    """Have the system end this process when the server has died: paused, it would not see its input end."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main() -> int:
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    _give_way()
    _end_with_the_server()
    requests = sys.stdin.buffer
    line = requests.readline()
    cancelled = threading.Event()

    def listen() -> None:
        for line in requests:
            if json.loads(line).get("cancel"):
                cancelled.set()
        os._exit(0)  # nobody waits any more

    reporter = Reporter()
    reporter.follows_libraries = True
    try:
        job = json.loads(line)
        read_texts(job, requests)
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
    except Exception as problem:  # its message could hold a person's text, and the log must not
        print("".join(traceback.format_tb(problem.__traceback__)), type(problem).__name__, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # a thread still reads, and would hold up an ordinary end
