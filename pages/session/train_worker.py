"""The worker process of a training. Its own process keeps the app quick.

    python -m pages.session.train_worker

Both sides send JSON, one object per line. Standard input: first the job,

    {"recipes": [{…}], "sources": [{"key": "docs", "weight": 1}, {"title": …, "text": …, "weight": 2}]}

with the fields of each ``Recipe``. The worker learns one after the other. A source has a key of
``tokenizers.data``, or a text, since own texts are never written to a file. A second line asks the worker to
stop with the merges learned so far. When standard input ends, the process ends, too. Standard output, at most
a few lines a second, each with the merges since the last one, [[left, right, count, n_tokens], …]:

    {"kind": "stage", "stage": "reading"}                    reads the sources
    {"kind": "stage", "stage": "preparing"}                  loads the compiled trainer, or compiles it
    {"kind": "stage", "stage": "splitting", "done": …, "total": …}     in bytes
    {"kind": "stage", "stage": "counting"}                   counts pieces and pairs
    {"kind": "stage", "stage": "learning", "n_bytes": …}     of byte pairs; n_bytes: of the corpus
    {"kind": "stage", "stage": "learning", "n_tokens": …, "newest": …}   of a library, if it reports them
    {"kind": "learned", "model": …}                          the file in base64; empty for byte pairs
    {"kind": "stage", "stage": "measuring"}                  encodes the held-out text
    {"kind": "measured", …}                                  see ``_report``; the next recipe follows
    {"kind": "failed", "message": …}                         of one of several recipes; the next one follows
    {"kind": "error", "message": …}                          a sentence for the page; the last line
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tokenizers as tk
from pages.session.own_encodings import REFERENCES
from pages.session.train_plan import Recipe
from tokenizers import data, kernels
from tokenizers.bpe import SMALL, HomeEncoding, Progress, home_trained, skip_specials
from tokenizers.encoding import Encoding
from tokenizers.families import learn_characters, learn_fair, learn_pieces, learn_word_pieces, learn_words
from tokenizers.files import file_of, load
from tokenizers.json_types import JsonObject
from tokenizers.measure import count_lost
from tokenizers.text import find_words

if sys.platform != "win32":
    import resource

INTERVAL = 0.15
"""The least number of seconds between two messages."""

MAX_MEMORY = 4 << 30
"""The most bytes of data of the process. The largest measured trainings took 0.6 GB."""


class Reporter:
    """Writes messages. Merges travel with the next message."""

    def __init__(self) -> None:
        self._merges: list[tuple[int, int, int, int]] = []
        self._stage = ""
        self._next = 0.0

    def say(self, kind: str, **fields: Any) -> None:
        """Write a message now."""
        print(json.dumps({"kind": kind, "merges": self._merges, **fields}), flush=True)
        self._merges = []
        self._next = time.monotonic() + INTERVAL

    def stage(self, stage: str, **fields: Any) -> None:
        """Write the present stage, unless it is unchanged and the last message is recent."""
        if stage != self._stage or time.monotonic() >= self._next:
            self._stage = stage
            self.say("stage", stage=stage, **fields)

    def merged(self, progress: Progress) -> None:
        """Write a merge, together with others."""
        self._merges.append((*progress.pair, progress.count, progress.n_tokens))
        self.stage("learning", n_bytes=progress.n_bytes)


def run(job: JsonObject, reporter: Reporter, cancel: Callable[[], bool]) -> None:
    """Learn one recipe after the other, and report the results on the held-out text.

    Raises:
        ValueError, OSError: with a sentence for the page.
    """
    reporter.stage("reading")
    recipes = [Recipe(**recipe) for recipe in job["recipes"]]
    sources = [_read(each) for each in job["sources"]]
    parts = data.part_sources(sources, recipes[0].held_out)
    if len(recipes) > 1 and not any(part.held for part in parts):
        raise ValueError(
            "There is no held-out text to compare the methods on. Hold some out under More settings, or "
            "choose a text with more lines."
        )
    facts: JsonObject = {}
    for recipe in recipes:
        try:
            encoding = _learn(recipe, parts, reporter, cancel)
        except (ValueError, OSError) as problem:
            if len(recipes) == 1:
                raise
            reporter.say("failed", message=str(problem))
        else:
            model = b"" if recipe.method == "byte-pairs" else file_of(encoding)
            reporter.say("learned", model=base64.b64encode(model).decode())
            reporter.stage("measuring")
            facts = facts or _describe(sources, parts)
            reporter.say("measured", **facts | _report(encoding, facts, parts, recipe.vocab_size))


def _describe(sources: list[data.Source], parts: list[data.SourcePart]) -> JsonObject:
    """The facts about the texts, which are the same for all encodings that learn from them."""
    described = []
    for source, part in zip(sources, parts, strict=True):
        facts = {
            "title": source.title,
            "bytes": part.n_bytes,
            "times": part.times,
            "held_bytes": data.count_bytes(part.held),
            "held_words": _count_words(part.held),
        }
        for name in REFERENCES:
            facts[name] = sum(len(tk.get_encoding(name).encode_array(text)) for text in part.held)
        described.append(facts)
    return {"n_bytes": sum(part.n_bytes for part in parts), "sources": described}


def _count_words(texts: list[str]) -> int:
    """The words of the texts; 0 if their scripts do not separate them."""
    words = [find_words(text) for text in texts]
    return sum(map(len, words)) if all(each.are_shown for each in words) else 0


def _report(
    encoding: Encoding, facts: JsonObject, parts: list[data.SourcePart], vocab_size: int
) -> JsonObject:
    """The facts about a learned encoding, such as its results on each source's held-out text."""
    return {
        "stopped": _shortfall(encoding, vocab_size),
        "sources": [
            source | _measure(encoding, part.held)
            for source, part in zip(facts["sources"], parts, strict=True)
        ],
    }


# Learning


def _learn(
    recipe: Recipe, parts: list[data.SourcePart], reporter: Reporter, cancel: Callable[[], bool]
) -> Encoding:
    """Learn an encoding by the recipe's method."""
    if recipe.method == "byte-pairs":
        return _learn_byte_pairs(recipe, parts, reporter, cancel)
    texts = _texts_of(recipe, parts)
    size = recipe.vocab_size
    specials = recipe.special_tokens
    reporter.stage("learning", n_tokens=0, newest="")
    if recipe.facts.pieces is not None:
        file = learn_pieces(
            texts,
            size,
            recipe.facts.pieces,
            coverage=recipe.coverage,
            byte_fallback=recipe.byte_fallback,
            normalisation=recipe.normalisation,
            split_digits=recipe.split_digits,
            special_tokens=specials,
            on_progress=lambda now: reporter.stage("learning", n_tokens=now.n_tokens, newest=now.newest),
        )
    elif recipe.method == "fair":
        each = [_texts_of(recipe, [part]) for part in parts]
        return learn_fair(each, size, recipe.pattern, specials)
    elif recipe.method == "wordpiece":
        file = learn_word_pieces(texts, size, small_letters=recipe.small_letters, special_tokens=specials)
    elif recipe.method == "characters":
        file = learn_characters(texts, size, "bytes" if recipe.byte_fallback else "unknown")
    else:
        file = learn_words(texts, size)
    return load(file, recipe.method)


def _texts_of(recipe: Recipe, parts: list[data.SourcePart]) -> list[str]:
    """What a library's trainer reads."""
    texts = (text for part in parts for text in part.texts())
    return list(skip_specials(texts, recipe.special_tokens) if recipe.skip_specials else texts)


def _learn_byte_pairs(
    recipe: Recipe, parts: list[data.SourcePart], reporter: Reporter, cancel: Callable[[], bool]
) -> HomeEncoding:
    total = sum(part.n_bytes for part in parts)
    if total > SMALL:
        reporter.stage("preparing")
        kernels.ready_to_train()

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
        skip_specials=recipe.skip_specials,
    )


def _shortfall(encoding: Encoding, vocab_size: int) -> str | None:
    """Why the vocabulary is smaller than the recipe asks for; None: it is not."""
    trained = home_trained(encoding)
    if trained is not None:
        return trained.stopped
    if encoding.n_tokens >= vocab_size:
        return None
    return (
        f"It stopped at {encoding.n_tokens:,} of {vocab_size:,} tokens: the text has nothing more to learn. "
        "Choose more text, or a smaller vocabulary."
    )


# Measuring


def _measure(encoding: Encoding, held: list[str]) -> dict[str, int]:
    """Measure an encoding on held-out text: tokens, and lost bytes."""
    tokens = lost = 0
    for text in held:
        placed = encoding.place(text)
        tokens += len(placed.ids)
        lost += count_lost(encoding, text, placed)
    return {"held_tokens": tokens, "lost_bytes": lost}


def _read(source: JsonObject) -> data.Source:
    if "text" in source:
        return data.Source(source["title"], (source["text"],), source["weight"])
    return data.read_bundled(source["key"], source["weight"])


def _limit_resources() -> None:
    """Lower the priority of this process, and limit its memory."""
    if sys.platform != "win32":
        # With 5, thirty people who type in 10 KB waited 20 ms beside a training, not 7 (benchmarks.room).
        os.nice(15)
        with contextlib.suppress(ValueError):  # a lower bound holds already
            resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
    with contextlib.suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text("800")


def main() -> int:
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    _limit_resources()
    requests = sys.stdin.buffer
    line = requests.readline()
    cancelled = threading.Event()

    def listen() -> None:
        for _ in requests:
            cancelled.set()
        os._exit(0)  # the app has ended

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
    os._exit(code)  # the reading thread would block a normal exit
