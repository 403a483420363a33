"""The pre-tokenisers that llama.cpp names: new names go to assets/pre_tokenisers/llama_cpp.json.

    python -m tools.llama_cpp_names FILE

FILE is llama.cpp's src/llama-vocab.cpp. There, each name stands for a kind, and each kind for the regular
expressions that split a text one after the other. A name that the table lacks is added with the steps of a
kind that is there, or with steps of its own. Its row says that only llama.cpp is known to split so. A kind
that llama.cpp handles by code of its own cannot be read here: the tool names it, and nothing is added. Rows
that are there stay.

Then ``tools.known_llama_cpp`` writes the ids of all names for the tests.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers.files.known import FILE
from tokenizers.files.tokenizer_json import BYTE_LEVEL
from tools.options import read_options

_BRANCH = re.compile(r'((?:tokenizer_pre == "[^"]*"\s*(?:\|\|)?\s*)+)\) \{(.*?)\}', re.DOTALL)
_CASE = re.compile(r"((?:case LLAMA_VOCAB_PRE_TYPE_\w+:\s*|default:\s*)+)(.*?)break;", re.DOTALL)
_KIND = re.compile(r"PRE_TYPE_(\w+)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Named(NamedTuple):
    """What the source says of a name.

    Attributes:
        patterns: the regular expressions of its kind, in order; None: llama.cpp has other code for it.
        settings: of the row: ``looks_up`` and ``adds_first``, where they are true.
    """

    patterns: tuple[str, ...] | None
    settings: Mapping[str, bool]


def read_source(source: str) -> dict[str, Named]:
    """By its name, each pre-tokeniser of the text of llama-vocab.cpp.

    Raises:
        ValueError: the text holds none.

    >>> source = '''
    ...     case LLAMA_VOCAB_PRE_TYPE_TEA:
    ...         regex_exprs = {
    ...             // "as published",
    ...             "\\\\\\\\p{N}",
    ...         };
    ...         break;
    ...     if (tokenizer_pre == "tea" ||
    ...             tokenizer_pre == "mint") {
    ...         pre_type = LLAMA_VOCAB_PRE_TYPE_TEA;
    ...         ignore_merges = true;
    ...     }'''
    >>> read_source(source)["mint"]
    Named(patterns=('\\\\p{N}',), settings={'looks_up': True})
    """
    code = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
    patterns: dict[str, tuple[str, ...] | None] = {}
    for labels, body in _CASE.findall(code):
        is_plain = "regex_exprs" in body and "byte_encode = false" not in body
        listed = tuple(map(ast.literal_eval, _STRING.findall(body)))
        # A property that Unicode does not have stands for a function.
        is_plain = is_plain and not any(r"\p{Han}" in each or r"\p{AFMoE" in each for each in listed)
        patterns |= dict.fromkeys(_KIND.findall(labels), listed if is_plain else None)
    named: dict[str, Named] = {}
    for names, body in _BRANCH.findall(code):
        if kind := _KIND.search(body):
            flags = {"looks_up": "ignore_merges = true", "adds_first": "add_bos = true"}
            settings = {flag: True for flag, line in flags.items() if line in body}
            found = Named(patterns.get(kind[1]), settings)
            named |= {str(ast.literal_eval(name)): found for name in _STRING.findall(names)}
    if not named:
        raise ValueError("It names no pre-tokeniser: give llama.cpp's src/llama-vocab.cpp.")
    return named


def add_names(table: dict[str, dict[str, Any]], named: Mapping[str, Named]) -> list[str]:
    """Add the names that the table lacks.

    Args:
        table: the content of llama_cpp.json; changed.
        named: of ``read_source``.

    Returns:
        The names that cannot be added, because llama.cpp has code of its own for them.

    >>> table = {"steps": {"tea": ["x"]}, "names": {"tea": {"steps": "tea"}}}
    >>> kinds = {"tea": Named(("x",), {}), "mint": Named(("x",), {"looks_up": True})}
    >>> add_names(table, kinds | {"rye": Named(("y",), {}), "own": Named(None, {})})
    ['own']
    >>> table["names"]["mint"], table["steps"]["rye"][0]
    ({'steps': 'tea', 'looks_up': True, 'evidence': 'llama.cpp'}, 'y')
    """
    rows = table["names"]
    known = {found.patterns: rows[name] for name, found in named.items() if name in rows}
    missing = {name: found for name, found in named.items() if name not in rows}
    for name, found in missing.items():
        if found.patterns is None:
            continue
        if found.patterns not in known:
            known[found.patterns] = {"steps": name}
            table["steps"][name] = [*found.patterns, BYTE_LEVEL]
        same = known[found.patterns]
        rows[name] = {"steps": same["steps"], **found.settings, "evidence": "llama.cpp"}
        if "deviation" in same:
            rows[name]["deviation"] = same["deviation"]
    return [name for name, found in missing.items() if found.patterns is None]


def write_table(table: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of llama_cpp.json: each entry on a line."""
    parts = []
    for key, rows in table.items():
        lines = [f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items()]
        parts.append(f'"{key}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    """Add the names."""
    source = Path(read_options(__doc__, "source").source).read_text("utf-8")
    table = json.loads(FILE.read_text("utf-8"))
    for name in add_names(table, read_source(source)):
        print(f"{name}: llama.cpp has code of its own for it; read it there")
    FILE.write_text(write_table(table), "utf-8")


if __name__ == "__main__":
    main()
