"""The command ``train``: a vocabulary from text files of any size.

    python -m tokenizers train gpt4o corpus/*.txt --vocab 32000 --out my.model

Ctrl-C ends it early: the merges learned so far are saved. They are the first ones of the whole vocabulary.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from . import kernels
from .amounts import bytes_in_words, plural
from .bpe import SMALL, TIE_RULES, HomeEncoding, Progress, count_specials, read_texts
from .bpe.training import train
from .families import learn_fair
from .files import save
from .split.patterns import PATTERNS
from .utf8 import utf8_length

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def add_train(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``train``."""
    names = ", ".join(PATTERNS)
    parser.add_argument("pattern_name", metavar="PATTERN", help=f"{names}, none, or your own regex")
    parser.add_argument("files", metavar="FILE", nargs="+", help="a text in UTF-8")
    parser.add_argument("--vocab", metavar="N", type=int, default=32_000, help="tokens in all (32000)")
    endings = ".model, .tiktoken, .tiktoken.json, .json, .sentencepiece.model"
    parser.add_argument("--out", metavar="PATH", type=Path, required=True, help=endings)
    parser.add_argument("--special", metavar="TOKEN", action="append", default=[], help="a special token")
    parser.add_argument(
        "--skip-special", action="store_true", help="leave out special tokens that stand in the texts"
    )
    parser.add_argument("--ties", choices=TIE_RULES, default="smallest", help="which of equal pairs is first")
    parser.add_argument(
        "--fair",
        action="store_true",
        help="each FILE is one language: learn each merge from the one with the most tokens so far",
    )
    parser.set_defaults(run=run_train)


def run_train(options: argparse.Namespace) -> int:
    """Train, save, and return the exit code.

    Raises:
        ValueError, OSError: with a sentence.
    """
    pattern = None if options.pattern_name == "none" else options.pattern_name
    sizes = [Path(path).stat().st_size for path in options.files]
    of_all = f" of {bytes_in_words(sum(sizes))}" if all(sizes) else ""  # what a pipe holds is not known
    progress, interrupted = _ProgressLine(), threading.Event()
    if sum(sizes) > SMALL:
        progress.write("Preparing the trainer: at the first training, ten seconds")
        kernels.ready_to_train()
    in_text: Counter[str] = Counter()

    def texts() -> Iterator[str]:
        done = 0
        for text in read_texts(options.files, pattern, options.special):
            progress.write(f"Reading: {bytes_in_words(done)}{of_all}")
            in_text.update(count_specials(text, options.special))
            yield text
            done += utf8_length(text)

    def report(now: Progress) -> None:
        progress.write(f"Learning merge {now.done:,} of {now.total:,}")

    def stop(*signal_and_frame: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, before)  # a second Ctrl-C ends the process

    before = signal.signal(signal.SIGINT, stop)
    if options.fair:
        trained = _train_fairly(options, pattern)
    else:
        trained = train(
            texts(),
            options.vocab,
            pattern,
            options.special,
            options.ties,
            report,
            interrupted.is_set,
            skip_specials=options.skip_special,
        )
    signal.signal(signal.SIGINT, before)
    if interrupted.is_set() and not trained.merges:
        progress.end("Stopped before the first merge, so nothing was saved.")
        return INTERRUPTED
    _save(trained, options.out)
    stopped = f"{trained.stopped} " if trained.stopped else ""
    progress.end(f"{stopped}Saved {trained.n_tokens:,} tokens in {options.out}.{_say_of(in_text, options)}")
    if options.json:
        result = {"file": str(options.out), "tokens": trained.n_tokens, "merges": len(trained.merges)}
        json.dump(result | {"stopped": trained.stopped or None}, sys.stdout)
        sys.stdout.write("\n")
    return INTERRUPTED if interrupted.is_set() else 0


def _save(trained: HomeEncoding, path: Path) -> None:
    """Save what was learned; if the format cannot hold it, in another one, so that the work is not lost."""
    try:
        save(trained, path)
    except ValueError as problem:
        instead = save(trained, path.with_suffix(".minbpe"))
        raise ValueError(f"{problem} It is kept as minbpe’s .model, in {instead}.") from None


def _train_fairly(options: argparse.Namespace, pattern: str | None) -> HomeEncoding:
    """Train on files of one language each. Ctrl-C ends it, since the library has no result half way."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    each = [list(read_texts([file], pattern, options.special)) for file in options.files]
    return learn_fair(each, options.vocab, pattern, options.special)


def _say_of(in_text: Counter[str], options: argparse.Namespace) -> str:
    """What became of the special tokens that stand in the texts, in sentences; empty: there are none."""
    if not in_text:
        return ""
    found = ", ".join(f"{special} {plural(count, 'time')}" for special, count in in_text.most_common())
    became = "learned as text: --skip-special leaves it out"
    if options.skip_special:
        became = "left out"
    return f" In the texts: {found}. That was {became}."


class _ProgressLine:
    """A line on a terminal that is overwritten; in a log, a line every ten seconds."""

    def __init__(self) -> None:
        on_terminal = sys.stderr.isatty()
        self._begin, self._end = ("\r\x1b[K", "") if on_terminal else ("", "\n")
        self._interval = 0.2 if on_terminal else 10.0
        self._next = 0.0

    def write(self, text: str) -> None:
        """Show how far the work is, unless that was shown a moment ago."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._interval
            sys.stderr.write(f"{self._begin}{text}{self._end}")
            sys.stderr.flush()

    def end(self, text: str) -> None:
        """Show the result."""
        sys.stderr.write(f"{self._begin}{text}\n")
