"""What may stand where: the walls that ruff's banned imports cannot hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.browser import ROOT

APP, PAGES_FOLDER = ROOT / "app.py", ROOT / "pages"
PAGES = sorted(PAGES_FOLDER.rglob("*.py"))
COMPONENTS = ROOT / "assets" / "components"
COMMON, CLASSROOM = COMPONENTS / "common", COMPONENTS / "classroom"
MAY_WRITE_HTML = ("pages/shared/frame.py", "pages/shared/charts.py")  # our styles; an empty box


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), name_of(path))


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it; relative ones are left out."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def lines_with(pattern: str, paths: list[Path]) -> list[str]:
    """The lines of these files in which a regular expression is found, with where they stand."""
    return [
        f"{name_of(path)}:{number}: {line}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


HANDED_OVER = {
    "pages.measure.compare.state.CompareState",
    "pages.explore.merge_trees.state.MergeTreesState",
    "pages.explore.vocabulary.state.VocabularyState",
    "pages.grow.train.state.TrainState",
    "pages.learn.lessons.state.LessonsState",
    "pages.measure.vocabulary_size.state.VocabularySizeState",
}
"""What a page takes from another one: what leads over to it, by functions and methods."""


def test_pages_import_their_own_the_shared_and_the_librarys_faces() -> None:
    for path in PAGES:
        own_folder = path.relative_to(PAGES_FOLDER).parts[:2]
        for module in imports(path):
            root, *parts = module.split(".")
            if root == "pages" and parts[0] not in ("shared", "session", "server", "teaching"):
                is_own = tuple(parts[:2]) == own_folder
                assert is_own or module in HANDED_OVER, f"{name_of(path)} takes from another page: {module}"
            if root == "tokenizers" and len(parts) > 1:  # of a room, what its face imports
                where = f"{name_of(path)} takes from inside a room: {module}"
                assert len(parts) == 2, where
                room = import_module(f"tokenizers.{parts[0]}")
                assert not isinstance(getattr(room, parts[1]), ModuleType), where


def test_html_is_ours_alone() -> None:
    assert not lines_with(r"unsafe_allow_html|components\.v1", [APP, *PAGES])
    others = [path for path in [APP, *PAGES] if name_of(path) not in MAY_WRITE_HTML]
    assert not lines_with(r"\.(html|iframe)\(", others)


MAKES_HTML = (
    r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTML|srcdoc|DOMParser"
    r"|document\.write|\beval\b|new\s+Function"
)


def test_components_write_text_only() -> None:
    (line,) = lines_with(MAKES_HTML, [*COMPONENTS.rglob("*.js")])
    assert line.startswith("assets/components/common/mount.js:") and "template.innerHTML = html;" in line
    assert not lines_with(r"(?i)<script|\son\w+\s*=|javascript:", [*COMPONENTS.rglob("*.html")])


def test_components_ask_no_other_host() -> None:
    files = [path for path in COMPONENTS.rglob("*") if path.is_file()]
    # The names of SVG and its like look like addresses, and are none.
    address = r"https?://(?!www\.w3\.org/(2000/svg|1999/xlink|1999/xhtml)\b)|wss?://"
    assert not lines_with(rf"{address}|@import|url\(\s*[\"']?//", files)
