"""The library as a command, for terminals and pipelines.

    python -m tokenizers compare ENCODING OTHER-ENCODING [FILE …] --report out.md --fail-on moved,cost:5%
    python -m tokenizers count ENCODING FILE … --frequencies out.csv
    python -m tokenizers show ENCODING TEXT-OR-FILE
    python -m tokenizers train PATTERN FILE … --vocab 32000 --out my.model      (train_command.py)

An encoding is a name, such as o200k_base, or the path of a tokenizer's file, such as tokenizer.json. The exit
code is 0; 1 if something is as ``--fail-on`` says; 2 if the command cannot do what it is asked to; 130 if
Ctrl-C ended a training early.

To add a command: its arguments in ``make_parser``, and the function that runs it.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .data import get_language
from .encoding import Encoding
from .files import load
from .files.known import named_ways
from .measure import (
    Comparison,
    TextChange,
    compare_report,
    compare_texts,
    frequencies_csv,
    report_as_html,
    token_frequencies,
)
from .registry import get_encoding
from .split import PATTERNS
from .text import FORMS, decode_file, encode_spans, spell_token
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
        ValueError, OSError: there is none, or the file cannot be read; names it.
    """
    if not os.path.exists(name) and os.sep not in name:
        return get_encoding(name)
    path = Path(name)
    beside = path.with_name(BESIDE.get(path.name, path.name))
    more = beside.read_bytes() if beside != path and beside.is_file() else b""
    pattern, normalizer = (None if told == "none" else told for told in (options.pattern, options.normalizer))
    return load(path, "/".join(path.parts[-2:]), beside=more, pattern=pattern, normalizer=normalizer)


def read_text(file: str) -> str:
    """The text of a file."""
    return decode_file(Path(file).read_bytes(), file).text


# compare


def _rules(value: str) -> list[str]:
    rules = value.split(",")
    wrong = [rule for rule in rules if not re.fullmatch(r"moved|removed|tokens|cost:\d+(\.\d+)?%", rule)]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of moved, removed, tokens and cost:5%")
    return rules


def run_compare(options: argparse.Namespace) -> int:
    """Say what differs, write the report, and check the rules."""
    comparison = Comparison(*(read_encoding(name, options) for name in (options.a, options.b)))
    texts = {file: read_text(file) for file in options.files}
    texts = texts or {code: get_language(code).text for code in LANGUAGES}
    changes = compare_texts(comparison.a, comparison.b, texts)
    print(comparison.sentence)
    print(f"{comparison.a.name:>16} {comparison.b.name:>16}")
    for change in changes:
        print(f"{change.n_a:16,} {change.n_b:16,} {change.percent:+8.1f} %  {change.name}")
    if options.out:
        report = compare_report(comparison, texts)
        report = report_as_html(report) if options.out.suffix.lower() in (".html", ".htm") else report
        # A path that a report names may hold bytes that are no text.
        options.out.write_text(report, "utf-8", "backslashreplace")
    hits = [hit for rule in options.fail_on for hit in find_hits(comparison, changes, rule)]
    for hit in hits:
        print(f"fails: {hit}", file=sys.stderr)
    return HIT if hits else FINE


def find_hits(comparison: Comparison, changes: Sequence[TextChange], rule: str) -> Iterator[str]:
    """Why a comparison fails by a rule of ``--fail-on``, as sentences; none: it passes."""
    if rule.startswith("cost:"):
        most = float(rule.removeprefix("cost:").removesuffix("%"))
        for change in changes:
            if change.percent > most:
                yield f"{change.name}: {change.percent:,.2f} % more tokens, and {most:g} % are allowed"
    elif rule == "tokens":
        tried, differing = comparison.hard
        if differing:
            yield f"{len(differing):,} of {tried:,} hard texts get other tokens"
    else:
        for what, group in (("ordinary", comparison.ordinary), ("special", comparison.special)):
            if n := len(group.moved if rule == "moved" else group.only_a):
                yield f"{what} tokens {rule}: {n:,}"


# count and show


def run_count(options: argparse.Namespace) -> int:
    """Say how many tokens each file has."""
    encoding = read_encoding(options.a, options)
    texts = list(map(read_text, options.files))
    counts = [token_frequencies(encoding, [text]) for text in texts]
    for file, text, of_file in zip(options.files, texts, counts, strict=True):
        print(f"{of_file.sum():12,} tokens {len(well_formed(text).encode()):12,} bytes  {file}")
    if options.out:
        options.out.write_text(frequencies_csv(encoding, sum(counts[1:], counts[0])), "utf-8")
    return FINE


def run_show(options: argparse.Namespace) -> int:
    """Print the tokens of a text, one after the other, and their ids."""
    encoding = read_encoding(options.a, options)
    is_file = os.path.exists(options.text) and not os.path.isdir(options.text)  # or a pipe
    text = read_text(options.text) if is_file else options.text
    ids = encode_spans(encoding, text).ids.tolist()
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")  # https://no-color.org
    for number, token in enumerate(map(encoding.token_bytes, ids), 1):
        colour = COLOURS[number % len(COLOURS)]
        shown = f"\x1b[{colour}m{spell_token(token)}\x1b[0m" if in_colour else spell_token(token)
        ends_line = token.endswith(b"\n") or number == len(ids)
        print(shown, end="\n" if ends_line else "" if in_colour else "|")
    print(f"{len(ids):,} token{'s' * (len(ids) != 1)}:", *ids)
    return FINE


# All commands


def make_parser() -> argparse.ArgumentParser:
    """The commands with their arguments. ``run`` is the function that runs one."""

    def add_command(name: str, about: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=about, description=about)

    parser = argparse.ArgumentParser(prog="python -m tokenizers", description="Text to tokens and back.")
    parser.add_argument("--pattern", default="", help="the split pattern of files without it: gpt4, none, …")
    forms = ["none", *FORMS]
    parser.add_argument("--normalizer", default="", choices=forms, help="the normal form of files without it")
    parser.set_defaults(files=(), a="", b="", out=None, pattern_name="")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    out: dict[str, Any] = {"dest": "out", "type": Path}

    compare = add_command("compare", "Show what differs between two encodings, and what it costs.")
    compare.add_argument("a", metavar="ENCODING", help="an encoding's name, or a tokenizer's file")
    compare.add_argument("b", metavar="OTHER-ENCODING", help="the encoding that replaces it")
    compare.add_argument("files", metavar="FILE", nargs="*", default=(), help="texts, or else nine languages")
    compare.add_argument("--report", metavar="OUT", help="write a report: OUT.md, or OUT.html", **out)
    rules = "end with 1 if so: moved,removed,tokens,cost:5%%"
    compare.add_argument("--fail-on", metavar="RULES", type=_rules, default=[], help=rules)
    compare.set_defaults(run=run_compare)

    count = add_command("count", "Count the tokens of files.")
    count.add_argument("a", metavar="ENCODING")
    count.add_argument("files", metavar="FILE", nargs="+")
    count.add_argument("--frequencies", metavar="OUT.csv", help="write how often each token occurs", **out)
    count.set_defaults(run=run_count)

    show = add_command("show", "Print the tokens of a text, and their ids.")
    show.add_argument("a", metavar="ENCODING")
    show.add_argument("text", metavar="TEXT-OR-FILE")
    show.set_defaults(run=run_show)

    add_train(add_command("train", "Learn a vocabulary from text files of any size."))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # it may be ASCII, and a path may be no text
    parser = make_parser()
    options = parser.parse_args(arguments)
    names = ["none", *PATTERNS]
    for told, more in ((options.pattern, named_ways()), (options.pattern_name, ())):
        if re.fullmatch(r"\w[\w.-]+", told) and told not in (*names, *more):
            parser.error(f"There is no split pattern named {told!r}. There are: {', '.join(names)}.")
    out = options.out
    if out and (out.is_dir() or not out.parent.is_dir()):
        parser.error(f"{out} cannot be written: it is a folder, or there is no folder {out.parent}.")
    if out and out.resolve() in [Path(file).resolve() for file in (*options.files, options.a, options.b)]:
        parser.error(f"{out} is read, and would be overwritten. Write to another file.")
    exit_code = FINE
    try:
        exit_code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads, such as ``head``, has enough; at the exit, the rest goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError) as problem:
        system = problem if isinstance(problem, OSError) and problem.filename else None
        print(f"{system.filename}: {system.strerror}." if system else problem, file=sys.stderr)
        return MISUSE
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
