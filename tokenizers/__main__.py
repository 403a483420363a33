"""The library as a command, for terminals and pipelines.

    python -m tokenizers compare A B [FILE …] --report out.md --fail-on moved,removed,tokens,cost:5%
    python -m tokenizers count ENCODING FILE … --frequencies out.csv
    python -m tokenizers show ENCODING TEXT-OR-FILE
    python -m tokenizers train PATTERN FILE … --vocab 32000 --out my.model      (train_command.py)

An encoding is a name, such as o200k_base, or the path of a tokenizer's file, such as tokenizer.json. The exit
code is 0; 1 if something is as ``--fail-on`` says; 2 if the command cannot do what it is asked to; 130 if
Ctrl-C ended a training early.

To add a command: a function that adds its arguments and sets ``run``, and its line in ``COMMANDS``.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from .data import get_language
from .encoding import Encoding
from .files import load
from .measure import Comparison, TextChange, compare_report, compare_texts, frequencies_csv, token_frequencies
from .registry import get_encoding
from .text import decode_file, encode_spans, spell_token
from .train_command import add_train
from .utf8 import well_formed

FINE, HIT, MISUSE = 0, 1, 2

BESIDE = {"tokenizer.json": "tokenizer_config.json", "vocab.json": "merges.txt"}
"""Files that are read with another one, if they lie in the same folder."""

LANGUAGES = ("eng", "spa", "fra", "rus", "arb", "hin", "cmn_hans", "jpn", "kor")
"""The translations of the declaration of human rights that are compared if no file is named."""

COLOURS = ("30;42", "30;46", "30;43", "30;45", "30;44")
"""Of ANSI, for tokens, one after the other: black on green, cyan, yellow, magenta, blue."""


def read_encoding(name: str, options: argparse.Namespace) -> Encoding:
    """The encoding in a file, or of this name.

    Args:
        name: a path, or a name that ``get_encoding`` knows.
        options: of all commands: what files do not hold.

    Raises:
        ValueError, OSError: there is none, or the file cannot be read.
    """
    if not os.path.isfile(name):
        return get_encoding(name)
    path = Path(name)
    beside = path.with_name(BESIDE.get(path.name, path.name))
    more = beside.read_bytes() if beside != path and beside.is_file() else b""
    pattern, normalizer = (None if told == "none" else told for told in (options.pattern, options.normalizer))
    return load(path, "/".join(path.parts[-2:]), beside=more, pattern=pattern, normalizer=normalizer)


def read_texts(files: Sequence[str]) -> dict[str, str]:
    """The texts of files, by their paths."""
    return {file: decode_file(Path(file).read_bytes()).text for file in files}


# compare


def add_compare(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``compare``."""
    parser.add_argument("a", metavar="A", help="an encoding's name, or a tokenizer's file")
    parser.add_argument("b", metavar="B", help="the encoding that replaces it")
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="texts; without one, a text in nine languages"
    )
    parser.add_argument(
        "--report", dest="out", metavar="OUT.md", type=Path, help="write a report in Markdown"
    )
    parser.add_argument(
        "--fail-on",
        type=_rules,
        default=[],
        metavar="RULES",
        help="end with 1 if so: moved,removed,tokens,cost:5%%",
    )
    parser.set_defaults(run=run_compare)


def _rules(value: str) -> list[str]:
    rules = value.split(",")
    wrong = [rule for rule in rules if not re.fullmatch(r"moved|removed|tokens|cost:\d+(\.\d+)?%", rule)]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of moved, removed, tokens and cost:5%")
    return rules


def run_compare(options: argparse.Namespace) -> int:
    """Say what differs, write the report, and check the rules."""
    comparison = Comparison(*(read_encoding(name, options) for name in (options.a, options.b)))
    texts = read_texts(options.files) or {code: get_language(code).text for code in LANGUAGES}
    changes = compare_texts(comparison.a, comparison.b, texts)
    print(comparison.sentence)
    print(f"{comparison.a.name:>16} {comparison.b.name:>16}")
    for change in changes:
        percent = "" if change.percent is None else f"{change.percent:+.1f} %"
        print(f"{change.n_a:16,} {change.n_b:16,} {percent:>9}  {change.name}")
    if options.out:
        options.out.write_text(compare_report(comparison, texts), encoding="utf-8")
    hits = [hit for rule in options.fail_on for hit in find_hits(comparison, changes, rule)]
    for hit in hits:
        print(f"fails: {hit}", file=sys.stderr)
    return HIT if hits else FINE


def find_hits(comparison: Comparison, changes: Sequence[TextChange], rule: str) -> Iterator[str]:
    """Why a comparison fails by a rule of ``--fail-on``, as sentences; none: it passes."""
    if rule.startswith("cost:"):
        most = float(rule.removeprefix("cost:").removesuffix("%"))
        for change in changes:
            if change.percent is not None and change.percent > most:
                yield f"{change.name}: {change.percent:,.2f} % more tokens, and {most:g} % are allowed"
    elif rule == "tokens" and comparison.hard.differing:
        yield f"{len(comparison.hard.differing):,} of {comparison.hard.tried:,} hard texts get other tokens"
    for what, group in (("ordinary", comparison.ordinary), ("special", comparison.special)):
        count = {"moved": group.counts.moved, "removed": group.counts.only_a}.get(rule, 0)
        if count:
            yield f"{what} tokens {rule}: {count:,}"


# count and show


def add_count(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``count``."""
    parser.add_argument("encoding", metavar="ENCODING")
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument(
        "--frequencies", dest="out", metavar="OUT.csv", type=Path, help="write how often each token occurs"
    )
    parser.set_defaults(run=run_count)


def run_count(options: argparse.Namespace) -> int:
    """Say how many tokens each file has."""
    encoding = read_encoding(options.encoding, options)
    texts = read_texts(options.files)
    counts = [token_frequencies(encoding, [text]) for text in texts.values()]
    for (file, text), of_file in zip(texts.items(), counts, strict=True):
        print(f"{of_file.sum():12,} tokens {len(well_formed(text).encode()):12,} bytes  {file}")
    if options.out:
        options.out.write_text(frequencies_csv(encoding, sum(counts[1:], counts[0])), encoding="utf-8")
    return FINE


def add_show(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``show``."""
    parser.add_argument("encoding", metavar="ENCODING")
    parser.add_argument("text", metavar="TEXT-OR-FILE")
    parser.set_defaults(run=run_show)


def run_show(options: argparse.Namespace) -> int:
    """Print the tokens of a text, one after the other, and their ids."""
    encoding = read_encoding(options.encoding, options)
    is_file = os.path.exists(options.text) and not os.path.isdir(options.text)  # or a pipe
    text = read_texts([options.text])[options.text] if is_file else options.text
    ids = encode_spans(encoding, text).ids.tolist()
    between = "" if use_colours() else "|"
    for number, token in enumerate(map(encoding.token_bytes, ids), 1):
        at_end = "\n" if token.endswith(b"\n") or number == len(ids) else between
        print(paint(spell_token(token), COLOURS[number % len(COLOURS)]), end=at_end)
    print(f"{len(ids):,} tokens:", *ids)
    return FINE


# All commands

COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "compare": ("what differs between two encodings, and what it does to texts", add_compare),
    "count": ("the tokens of files", add_count),
    "show": ("the tokens of a text", add_show),
    "train": ("learn a vocabulary from text files of any size", add_train),
}
"""By name: what it is for, and what adds its arguments."""


def use_colours() -> bool:
    """Whether the terminal shows colours, and nobody has turned them off (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text: str, colour: str) -> str:
    """A text in a colour of ANSI, where the terminal shows colours."""
    return f"\x1b[{colour}m{text}\x1b[0m" if use_colours() else text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tokenizers", description="Text to tokens and back.")
    parser.add_argument("--pattern", default="", help="the split pattern of files without it: gpt4, none, …")
    parser.add_argument("--normalizer", default="", help="the normal form of files without it: NFC, none, …")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (purpose, add_arguments) in COMMANDS.items():
        add_arguments(commands.add_parser(name, help=purpose, description=purpose))
    options = parser.parse_args(arguments)
    out = getattr(options, "out", None)
    if out and out.resolve() in [Path(file).resolve() for file in options.files]:
        parser.error(f"{out} is one of the texts, and would be overwritten. Write to another file.")
    exit_code = FINE
    try:
        exit_code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads, such as ``head``, has enough; at the exit, the rest goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return MISUSE
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
