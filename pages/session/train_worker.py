"""Train one encoding in a process of its own, so that the app stays quick for those who type in it.

    python -m pages.session.train_worker

Both sides speak JSON, one object a line. Standard input: first the job,

    {"recipes": [{…}], "sources": [{"key": "docs", "weight": 1}, {"title": …, "text": …, "weight": 2}]}

with the fields of each ``Recipe`` that is learned, one after the other. A source has a key of
``tokenizers.data``, or a text: a person's text is never put into a file. Later perhaps another line, which
means to stop and to keep what has been learned. When standard input ends, the process ends too. Standard
output, a few lines a second at most:

    {"kind": "stage", "stage": "reading"}                    the sources are being read
    {"kind": "stage", "stage": "preparing"}                  the compiled trainer is loaded, or compiled
    {"kind": "stage", "stage": "splitting", "done": …, "total": …}     bytes handed to the splitter
    {"kind": "stage", "stage": "counting"}                   pieces and pairs are being counted
    {"kind": "merges", "n_bytes": …, "merges": [[left, right, count, n_tokens], …]}
    {"kind": "stage", "stage": "learning", "n_tokens": …, "newest": …}   by a library, as far as it says
    {"kind": "learned", "seconds": …, "model": …}            the encoding's file in base64, but of byte pairs
    {"kind": "stage", "stage": "measuring"}                  the held-out text is being encoded
    {"kind": "measured", …}                                  see ``_report``; then the next recipe begins
    {"kind": "failed", "message": …}                         so it does after this: a sentence for a person
    {"kind": "error", "message": …}                          such a sentence; the last line
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import functools
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import tokenizers as tk
from pages.session.grown import REFERENCES, sizes_to_draw
from pages.session.train_plan import Recipe
from tokenizers import data, kernels
from tokenizers.bpe import SMALL, HomeEncoding, Progress, counts_by_size
from tokenizers.encoding import Encoding
from tokenizers.families import UNKNOWN, learn_characters, learn_words
from tokenizers.formats import file_of, read_any, write_listed
from tokenizers.growing import Learning, learn_pieces, learn_word_pieces
from tokenizers.text import SCRIPT_BYTES, find_words

if sys.platform != "win32":
    import resource

INTERVAL = 0.15
"""Seconds between two messages, at least."""

MAX_MEMORY = 4 << 30
"""Bytes of data that the process may have; the largest trainings that were measured took 0.6 GB."""

MOST_COMPARED = 250_000
"""Characters of a stretch that does not come back, times those that come instead, to be compared."""

LONGEST_PART = 250_000
"""Characters of a text whose tokens are placed at a time."""


class Reporter:
    """Writes messages; merges are gathered and go out together."""

    def __init__(self) -> None:
        self._merges: list[tuple[int, int, int, int]] = []
        self._n_bytes = 0
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
        self._n_bytes = progress.n_bytes
        if time.monotonic() >= self._next:
            self.flush()

    def flush(self) -> None:
        """Write the gathered merges."""
        if self._merges:
            merges, self._merges = self._merges, []
            self._write("merges", n_bytes=self._n_bytes, merges=merges)

    def _write(self, kind: str, **fields: Any) -> None:
        print(json.dumps({"kind": kind, **fields}), flush=True)
        self._next = time.monotonic() + INTERVAL


def run(job: dict[str, Any], reporter: Reporter, cancel: Callable[[], bool]) -> None:
    """Learn by one recipe after the other, and report how each does on the text that was held out.

    Raises:
        ValueError, OSError: with a sentence for a person.
    """
    started = time.perf_counter()
    reporter.stage("reading")
    recipes = [Recipe(**recipe) for recipe in job["recipes"]]
    sources = [_read(each) for each in job["sources"]]
    data.check_corpus_size(
        sum(data.weighed_bytes(data.count_bytes(source.texts), source.weight) for source in sources)
    )
    mix = Mix(sources, data.part_sources(sources, recipes[0].held_out, recipes[0].held_from))
    if len(recipes) > 1 and not any(part.held for part in mix.parts):
        raise ValueError(
            "There is no held-out text to compare the methods on: hold some out under More settings, or take "
            "a text with more lines."
        )
    for recipe in recipes:
        try:
            encoding = _learn(recipe, mix, reporter, cancel)
        except (ValueError, OSError) as problem:
            reporter.say("failed", message=str(problem))
        else:
            model = b"" if encoding.training is not None else file_of(encoding)
            seconds = time.perf_counter() - started
            reporter.say("learned", seconds=seconds, model=base64.b64encode(model).decode())
            reporter.stage("measuring")
            reporter.say("measured", **_report(encoding, mix, recipe.vocab_size))
        started = time.perf_counter()


@dataclass
class Mix:
    """The texts to learn from, and what of them is held out.

    Attributes:
        sources: as they were read.
        parts: the same, parted.
    """

    sources: list[data.Source]
    parts: list[data.Part]

    @functools.cached_property
    def reference_tokens(self) -> list[dict[str, int]]:
        """The tokens of each source's held-out text in other encodings."""
        return [
            {
                name: sum(len(tk.get_encoding(name).encode_array(text)) for text in part.held)
                for name in REFERENCES
            }
            for part in self.parts
        ]

    @functools.cached_property
    def script_bytes(self) -> dict[str, int]:
        """How many bytes of the texts to learn from are in which script."""
        return data.script_bytes(text for part in self.parts for text in part.texts())


def _report(encoding: Encoding, mix: Mix, vocab_size: int) -> dict[str, Any]:
    """What is known of an encoding that was learned: how it does on each source's held-out text, and more."""
    sizes = _sizes(encoding)
    return {
        "stopped": _shortfall(encoding, vocab_size),
        "n_bytes": sum(part.n_bytes for part in mix.parts),
        "script_bytes": mix.script_bytes,
        "script_tokens": data.script_tokens(_learned_tokens(encoding)),
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


def _learn(recipe: Recipe, mix: Mix, reporter: Reporter, cancel: Callable[[], bool]) -> Encoding:
    """What the recipe's method learns from the texts to learn from."""
    if recipe.method == "byte-pairs":
        return _learn_byte_pairs(recipe, mix.parts, reporter, cancel)
    texts = [text for part in mix.parts for text in part.texts()]
    reporter.stage("learning", n_tokens=0, newest="")

    def report(learning: Learning) -> None:
        reporter.stage("learning", n_tokens=learning.n_tokens, newest=learning.newest)

    return read_any(_learn_file(recipe, texts, report), recipe.method)


def _learn_file(recipe: Recipe, texts: list[str], report: Callable[[Learning], None]) -> bytes:
    """The file of what is learned by any method but byte pairs."""
    if recipe.facts.pieces is not None:
        return learn_pieces(
            texts,
            recipe.vocab_size,
            recipe.facts.pieces,
            coverage=recipe.coverage,
            byte_fallback=recipe.byte_fallback,
            normalisation=recipe.normalisation,
            split_digits=recipe.split_digits,
            special_tokens=recipe.special_tokens,
            on_progress=report,
        )
    if recipe.method == "wordpiece":
        small = recipe.small_letters
        return learn_word_pieces(
            texts, recipe.vocab_size, small_letters=small, special_tokens=recipe.special_tokens
        )
    if recipe.method == "characters":
        rest: Literal["bytes", "unknown"] = "bytes" if recipe.byte_fallback else "unknown"
        return write_listed(learn_characters(texts, recipe.vocab_size, rest))
    return write_listed(learn_words(texts, recipe.vocab_size))


def _learn_byte_pairs(
    recipe: Recipe, parts: list[data.Part], reporter: Reporter, cancel: Callable[[], bool]
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
                done += data.utf8_length(text)
        reporter.stage("counting")

    return tk.train(
        texts(),
        recipe.vocab_size,
        recipe.pattern,
        recipe.special_tokens,
        recipe.ties,
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
        "Take more text, or a smaller vocabulary."
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
    return [curve.smallest + size for size in sizes_to_draw(curve.full - curve.smallest).tolist()]


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
            typed = text.encode("utf-8")
            for loss in encoding.losses_in(text, placed):
                lost_bytes += bytes_lost(typed[loss.start : loss.end].decode("utf-8", "replace"), loss.became)
    return {
        "held_bytes": data.count_bytes(held),
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


def _read(source: dict[str, Any]) -> data.Source:
    if "text" in source:
        return data.Source(source["title"], (source["text"],), source["weight"])
    return data.read_bundled(source["key"], source["weight"])


def _give_way() -> None:
    """Let others go first on a busy processor, and take no more than so much memory."""
    if sys.platform != "win32":
        # With 5, thirty people who type in 10 KB waited 20 ms beside a training, not 7 (benchmarks.room).
        os.nice(15)
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        bounds = [MAX_MEMORY] if most == resource.RLIM_INFINITY else [MAX_MEMORY, most]
        resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), most))
    with contextlib.suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text("800")


def main() -> int:
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    _give_way()
    requests = sys.stdin.buffer
    line = requests.readline()
    cancelled = threading.Event()

    def listen() -> None:
        for _ in requests:
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
        reporter.say("error", message="There is too little memory for texts of this size. Choose less text.")
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
