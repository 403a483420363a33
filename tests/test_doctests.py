"""The examples in the docstrings outside the library run too: those of pages, tools and benchmarks.

Pytest itself collects them from the library and the tests. What has an example must not draw when it is
imported, so it stands beside a page's own file, not in it.
"""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from tests.browser import ROOT

FOLDERS = ("pages", "tools", "benchmarks")
WITH_EXAMPLES = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples(path: Path) -> None:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE  # as in pyproject.toml
    result = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert result.attempted and not result.failed
