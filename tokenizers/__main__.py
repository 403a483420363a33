"""The library as a command, for terminals and pipelines.

    python -m tokenizers count FILE … --in ENCODING …
    python -m tokenizers chat REQUEST.json … --in ENCODING …
    python -m tokenizers show ENCODING TEXT-OR-FILE --why
    python -m tokenizers compare ENCODING OTHER-ENCODING [FILE …] --report out.md --fail-on moved,cost:5%
    python -m tokenizers train PATTERN FILE … --vocab 32000 --out my.model      (train_command.py)

An encoding is a name, such as o200k_base, or the path of a tokenizer's file, such as tokenizer.json. A text
is a file, or "-" for the standard input (but not for train). With ``--json``, the result is one JSON object
on one line. The exit code is 0; 1 if something is as ``--fail-on`` says; 2 if the command cannot do what it
is asked to; 130 if Ctrl-C ended it early.

To add a command: its arguments in ``make_parser``, and the function that runs it.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .amounts import plural
from .data import get_language
from .encoding import Encoding
from .files import load
from .files.file_pairs import join_configs
from .files.known import named_ways
from .json_types import JsonObject
from .measure import (
    FORMULAS,
    Comparison,
    TextChange,
    compare_report,
    compare_texts,
    count_chat,
    frequencies_csv,
    report_as_html,
    template_title,
    token_frequencies,
)
from .registry import get_encoding
from .split import PATTERNS
from .text import (
    CSV_ENCODING,
    FORMS,
    TEMPLATES,
    Chat,
    Spans,
    decode_file,
    encode_spans,
    parse_chat,
    spell_token,
)
from .train_command import INTERRUPTED, add_train
from .utf8 import utf8_length

FINE = 0
HIT = 1
MISUSE = 2

CONFIGS = ("tokenizer_config.json", "chat_template.jinja", "additional_chat_templates/tool_use.jinja")
"""Files that are read with a tokenizer.json, if they lie in the same folder."""

LANGUAGES = ("eng", "spa", "fra", "rus", "arb", "hin", "cmn_hans", "jpn", "kor")
"""The translations of the declaration of human rights that are compared if no file is named."""

STANDARD_INPUT = "-"

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
        try:
            return get_encoding(name)
        except ValueError as problem:
            raise ValueError(f"There is no file {name!r} here. {problem}") from None
    path = Path(name)
    merges = path.with_name("merges.txt")
    more = b""
    if path.name == "vocab.json" and merges.is_file():
        more = merges.read_bytes()
    elif path.name == "tokenizer.json":
        configs = [path.parent / config for config in CONFIGS]
        found = {config.name: config.read_bytes() for config in configs if config.is_file()}
        more = join_configs(found) if found else b""
    pattern, normalizer = (None if told == "none" else told for told in (options.pattern, options.normalizer))
    return load(
        path,
        "/".join(path.parts[-2:]),
        beside=more,
        pattern=pattern,
        normalizer=normalizer,
        lowercase=None if options.lowercase is None else options.lowercase == "yes",
    )


def read_text(file: str) -> str:
    """The text of a file, or of the standard input, which is "-". Says so if its character set is a guess."""
    data = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
    decoded = decode_file(data, file)
    if decoded.is_guess:
        print(f"{file}: {decoded.how}", file=sys.stderr)
    return decoded.text


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
    hits = [hit for rule in options.fail_on for hit in find_hits(comparison, changes, rule)]
    if options.json:
        rows = [
            {"file": each.name, "bytes": each.n_bytes, "a": each.n_a, "b": each.n_b, "percent": each.percent}
            for each in changes
        ]
        print_json(
            {"a": options.a, "b": options.b, "summary": comparison.sentence, "files": rows, "fails": hits}
        )
    else:
        print(comparison.sentence)
        print(f"{comparison.a.name:>16} {comparison.b.name:>16}")
        for change in changes:
            print(f"{change.n_a:16,} {change.n_b:16,} {change.percent:+8.1f} %  {change.name}")
    if options.out:
        report = compare_report(comparison, texts)
        report = report_as_html(report) if options.out.suffix.lower() in (".html", ".htm") else report
        # A path that a report names may hold bytes that are no text.
        options.out.write_text(report, "utf-8", "backslashreplace")
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


# count, show and chat


class Counted(NamedTuple):
    """A text, and how many tokens it has in each encoding, by name."""

    name: str
    n_bytes: int
    n_tokens: Mapping[str, int]

    def as_json(self) -> JsonObject:
        """The numbers, with the bytes per token in each encoding; null: there is no token."""
        ratios = {name: round(self.n_bytes / n, 4) if n else None for name, n in self.n_tokens.items()}
        return {"bytes": self.n_bytes, "tokens": self.n_tokens, "bytes_per_token": ratios}


def run_count(options: argparse.Namespace) -> int:
    """Print how many tokens each file has in each encoding, and all files together."""
    encodings = {name: read_encoding(name, options) for name in options.encodings}
    texts = list(map(read_text, options.files))
    if options.out:
        if len(encodings) > 1:
            raise ValueError("--frequencies writes the tokens of one tokenizer. Name one.")
        (encoding,) = encodings.values()
        options.out.write_text(frequencies_csv(encoding, token_frequencies(encoding, texts)), CSV_ENCODING)
    rows = []
    for file, text in zip(options.files, texts, strict=True):
        n_tokens = {name: len(encoding.encode_array(text)) for name, encoding in encodings.items()}
        rows.append(Counted(file, utf8_length(text), n_tokens))
    sums = {name: sum(row.n_tokens[name] for row in rows) for name in encodings}
    together = Counted("together", sum(row.n_bytes for row in rows), sums)
    if options.json:
        of_files = [{"file": row.name} | row.as_json() for row in rows]
        return print_json({"files": of_files, "together": together.as_json()})
    short = [name if len(name) < 25 else f"..{name[-22:]}" for name in encodings]
    print("".join(f"{name:>26}" for name in short))
    print(f"{'tokens':>13}{'bytes/token':>13}" * len(encodings) + f"{'bytes':>15}  file")
    for row in [*rows, together] if len(rows) > 1 else rows:
        for n in row.n_tokens.values():
            ratio = f"{row.n_bytes / n:.3f}" if n else "-"
            print(f"{n:13,}{ratio:>13}", end="")
        print(f"{row.n_bytes:15,}  {row.name}")
    return FINE


def run_show(options: argparse.Namespace) -> int:
    """Print the tokens of a text, one after the other, their ids, and why each begins where it does."""
    encoding = read_encoding(options.a, options)
    text = options.text
    if text == STANDARD_INPUT or (os.path.exists(text) and not os.path.isdir(text)):  # or a pipe
        text = read_text(text)
    elif os.sep in text and Path(text).suffix and len(text.split()) == 1:
        print(f"There is no file {text}: its name itself is shown as tokens.", file=sys.stderr)
    spans = encode_spans(encoding, text)
    ids, starts, ends = (each.tolist() for each in (spans.ids, spans.starts, spans.ends))
    tokens = list(map(encoding.token_bytes, ids))
    if options.json:
        rows = []
        for number, token in enumerate(tokens):
            row = {
                "id": ids[number],
                "bytes": token.hex(),
                "text": spell_token(token),
                "start": starts[number],
                "end": ends[number],
            }
            if options.why:
                row["why"] = reason_of(spans, number)
            rows.append(row)
        return print_json({"encoding": options.a, "tokens": rows})
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")  # https://no-color.org
    for number, token in enumerate(tokens, 1):
        colour = COLOURS[number % len(COLOURS)]
        shown = f"\x1b[{colour}m{spell_token(token)}\x1b[0m" if in_colour else spell_token(token)
        ends_line = token.endswith(b"\n") or number == len(ids)
        between = "" if in_colour else "|"
        print(shown, end="\n" if ends_line else between)
    print(f"{plural(len(ids), 'token')}:", *ids)
    for number, pair in enumerate(itertools.pairwise(tokens), 1):
        if options.why:
            cut = "|".join(map(spell_token, pair))
            print(f"byte {starts[number]:,}: {cut}\n    {reason_of(spans, number)}")
    return FINE


def reason_of(spans: Spans, number: int) -> str:
    """Why a token begins where it does."""
    start = int(spans.starts[number])
    if number and start == int(spans.starts[number - 1]):
        return "It begins where the token before it does: both are of the same bytes of the text."
    return spans.reason(start) or "This model gives no reason."


def run_chat(options: argparse.Namespace) -> int:
    """Print how many tokens chats have in templates and by OpenAI's formula, and what is not used of them.

    Without ``--in``, the templates are those that come with the app and take the chat.
    """
    names = options.encodings or [template.encoding for template in TEMPLATES.values()]
    encodings = {name: read_encoding(name, options) for name in names}
    rows = []
    for file in options.files:
        try:
            chat = parse_chat(read_text(file))
        except ValueError as problem:
            raise ValueError(f"{file}: {problem}") from None
        for name, encoding in encodings.items():
            try:
                rows.append({"file": file, "encoding": name} | count_in_template(chat, encoding))
            except ValueError as problem:
                if options.encodings:
                    raise ValueError(f"{file} in {name}: {problem}") from None
                rows.append({"file": file, "encoding": name, "refused": str(problem)})
    counted = [row for row in rows if "refused" not in row]
    exit_code = FINE if counted else MISUSE
    if options.json:
        print_json({"chats": rows})
        return exit_code
    titles = [f"({title})" for title in FORMULAS]
    print(
        f"{'tokens':>10}{'template':>10}{titles[0]:>18}{titles[1]:>10}  tokenizer, chat (by OpenAI's formula)"
    )
    for row in counted:
        published = row["published"].values()
        by_formula = "{:18,}{:10,}".format(*published)
        print(
            f"{row['tokens']:10,}{row['template_tokens']:10,}{by_formula}  {row['encoding']}, {row['file']}"
        )
        if options.prompt:
            print(row["text"])
    notes: dict[str, list[str]] = {}  # with the encodings of which each is true
    for row in rows:
        for note in [row["refused"]] if "refused" in row else row["notes"]:
            notes.setdefault(f"{row['file']}: {note}", []).append(row["encoding"])
    for note, true_of in notes.items():
        print(f"{note} ({', '.join(true_of)})", file=sys.stderr)
    return exit_code


def count_in_template(chat: Chat, encoding: Encoding) -> JsonObject:
    """A chat in the template of an encoding, or in its own, as JSON has it."""
    count = count_chat(chat, chat.settings.template or template_title(encoding), encoding, get_encoding)
    of_template = [len(ids) for part, ids in zip(count.parts, count.ids, strict=True) if part.of_template]
    ids = list(itertools.chain(*count.ids))
    return {
        "tokens": len(ids),
        "template_tokens": sum(of_template),
        "published": count.rows[-1].published,
        "notes": [*count.notes, count.remark] if count.remark else count.notes,
        "text": "".join(part.text for part in count.parts),
        "ids": ids,
    }


def print_json(value: object) -> int:
    """Print a result as JSON in ASCII, which any terminal can show, and return the exit code."""
    print(json.dumps(value))
    return FINE


# All commands


def add_compare(command: argparse.ArgumentParser) -> None:
    """The arguments of ``compare``."""
    command.add_argument("a", metavar="ENCODING", help="a tokenizer's name, or its file")
    command.add_argument("b", metavar="OTHER-ENCODING", help="the tokenizer that replaces it")
    command.add_argument("files", metavar="FILE", nargs="*", default=(), help="texts, or else nine languages")
    command.add_argument(
        "--report", metavar="OUT", help="write a report: OUT.md, or OUT.html", dest="out", type=Path
    )
    rules = "end with 1 if so: moved,removed,tokens,cost:5%%"
    command.add_argument("--fail-on", metavar="RULES", type=_rules, default=[], help=rules)
    command.set_defaults(run=run_compare)


def add_json(parser: argparse.ArgumentParser) -> None:
    """The argument ``--json``, which may stand before the command or behind it."""
    about = "print the result as JSON"
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=about)


def make_parser(prog: str) -> argparse.ArgumentParser:
    """The commands with their arguments. ``run`` is the function that runs one."""

    def add_command(name: str, about: str, usage: str | None = None) -> argparse.ArgumentParser:
        """Add a command; ``usage`` is written where argparse would name the options before the files."""
        command = commands.add_parser(name, help=about, description=about, usage=usage)
        add_json(command)
        return command

    parser = argparse.ArgumentParser(prog=prog, description="Text to tokens and back.")
    add_json(parser)
    parser.add_argument("--pattern", default="", help="the split pattern of files without it: gpt4, none, …")
    forms = ["none", *FORMS]
    parser.add_argument("--normalizer", default="", choices=forms, help="the normal form of files without it")
    parser.add_argument("--lowercase", choices=["yes", "no"], help="whether a vocab.txt is of small letters")
    parser.set_defaults(json=False, files=(), encodings=(), a="", b="", out=None, pattern_name="")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_compare(add_command("compare", "Show what differs between two tokenizers, and what it costs."))

    inside: dict[str, Any] = {
        "dest": "encodings",
        "nargs": "+",
        "action": "extend",
        "default": [],
        "metavar": "ENCODING",
    }
    usage = "%(prog)s FILE … --in ENCODING … [--json] [--frequencies OUT.csv]"
    count = add_command("count", "Count the tokens of files, one by one and together.", usage)
    count.add_argument("files", metavar="FILE", nargs="+", help="a text")
    count.add_argument("--in", help="the tokenizers, by name or as files", required=True, **inside)
    count.add_argument(
        "--frequencies", metavar="OUT.csv", help="write how often each token occurs", dest="out", type=Path
    )
    count.set_defaults(run=run_count)

    usage = "%(prog)s FILE … [--in ENCODING …] [--json] [--prompt]"
    chat = add_command("chat", "Count the tokens of chats in templates, and by OpenAI's formula.", usage)
    chat.add_argument("files", metavar="FILE", nargs="+", help="JSON: messages, or a whole request to an API")
    chat.add_argument("--in", help="whose templates; without it, those that come with the app", **inside)
    chat.add_argument("--prompt", action="store_true", help="print the text that a model reads, too")
    chat.set_defaults(run=run_chat)

    show = add_command("show", "Print the tokens of a text, and their ids.")
    show.add_argument("a", metavar="ENCODING")
    show.add_argument("text", metavar="TEXT-OR-FILE")
    show.add_argument("--why", action="store_true", help="say of each cut why it is there")
    show.set_defaults(run=run_show)

    add_train(add_command("train", "Learn a vocabulary from text files of any size."))
    return parser


def main(arguments: Sequence[str] | None = None, prog: str = "python -m tokenizers") -> int:
    """Run a command and return its exit code.

    Args:
        arguments: those of the command line; None: of this process.
        prog: what the command line begins with, for the help.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # it may be ASCII, and a path may be no text
    parser = make_parser(prog)
    options = parser.parse_args(arguments)
    names = ["none", *PATTERNS]
    for told, more in ((options.pattern, named_ways()), (options.pattern_name, ())):
        if re.fullmatch(r"\w[\w.-]+", told) and told not in (*names, *more):
            parser.error(f"There is no split pattern named {told!r}. There are: {', '.join(names)}.")
    out = options.out
    if out and (out.is_dir() or not out.parent.is_dir()):
        parser.error(f"{out} cannot be written: it is a folder, or its folder does not exist.")
    read = (*options.files, *options.encodings, options.a, options.b)
    if out and out.resolve() in [Path(file).resolve() for file in read]:
        parser.error(f"{out} is read, and would be overwritten. Write to another file.")
    exit_code = FINE
    try:
        exit_code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads, such as ``head``, has enough; at the exit, the rest goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, ValueError) as problem:
        system = problem if isinstance(problem, OSError) and problem.filename else None
        print(f"{system.filename}: {system.strerror}." if system else problem, file=sys.stderr)
        return MISUSE
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
