"""What may stand where: the walls of the house, checked from its source files."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import tokenizers as tk
from pages.session.menu import SECTIONS
from tests.browser import ROOT

PAGES_FOLDER = ROOT / "pages"
FOLDERS = [
    path
    for path in ROOT.iterdir()
    if path.is_dir() and not path.name.startswith(".") and not (path / "pyvenv.cfg").exists()
]
APP = ROOT / "app.py"
PYTHON_FILES = [APP, *sorted(path for folder in FOLDERS for path in folder.rglob("*.py"))]
LIBRARY = [path for path in PYTHON_FILES if path.is_relative_to(ROOT / "tokenizers")]
PAGES = [path for path in PYTHON_FILES if path.is_relative_to(PAGES_FOLDER)]
COMMAND = ROOT / "tokenizers" / "__main__.py"  # the library in a terminal, where it prints
MAIN = PAGES_FOLDER / "main.py"
FRAME = PAGES_FOLDER / "shared" / "frame.py"
CHARTS = PAGES_FOLDER / "shared" / "charts.py"  # an empty element as high as a chart: a number, no text
COMPONENTS_FOLDER = ROOT / "assets" / "components"
COMMON = COMPONENTS_FOLDER / "common"
CLASSROOM = COMPONENTS_FOLDER / "classroom"  # pages of our own, which draw a lesson's slides
COMPONENTS = sorted(
    path for path in COMPONENTS_FOLDER.iterdir() if path.is_dir() and path not in (COMMON, CLASSROOM)
)
COMPONENT_FILES = sorted(path for path in COMPONENTS_FOLDER.rglob("*") if path.is_file())


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


@pytest.mark.slow
def test_streamlit_is_imported_by_the_app_and_its_pages_only() -> None:
    allowed = {APP, *PAGES} - {path for path in PAGES if path.is_relative_to(PAGES_FOLDER / "session")}
    allowed.add(ROOT / "benchmarks" / "protocol.py")  # speaks its protocol
    for path in PYTHON_FILES:
        if path not in allowed and not path.is_relative_to(ROOT / "tests"):
            assert "streamlit" not in {module.split(".")[0] for module in imports(path)}, name_of(path)


@pytest.mark.parametrize("path", LIBRARY, ids=name_of)
def test_the_library_is_pure(path: Path) -> None:
    foreign = {"streamlit", "pandas", "altair", "requests", "urllib", "http", "socket", "ssl", "pages", "app"}
    assert not foreign & {module.split(".")[0] for module in imports(path)}
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print" or path == COMMAND, f"line {node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] != "tokenizers", (
                f"line {node.lineno}: import it relatively"
            )


def test_page_files_lie_in_folders_of_their_own() -> None:
    assert list(PAGES_FOLDER.glob("*.py")) == [MAIN]
    registered = {f"{section.lower()}/{name}" for section, pages in SECTIONS.items() for name in pages}
    assert registered == {
        path.parent.relative_to(PAGES_FOLDER).as_posix() for path in PAGES_FOLDER.rglob("page.py")
    }


HANDED_OVER = {
    "pages.measure.compare.state.CompareState",
    "pages.explore.merge_trees.state.MergeTreesState",
    "pages.explore.vocabulary.state.VocabularyState",
    "pages.grow.train.state.TrainState",
    "pages.learn.lessons.state.LessonsState",
    "pages.measure.vocabulary_size.state.VocabularySizeState",
}
"""What a page takes from another one: what leads over to it, by functions and methods."""


def test_a_page_takes_from_its_own_folder_and_from_what_is_shared() -> None:
    for path in PAGES:
        where = path.relative_to(PAGES_FOLDER).parts
        for module in imports(path):
            parts = module.split(".")
            if parts[0] != "pages" or parts[1] in ("shared", "session", "server") or module in HANDED_OVER:
                continue
            assert tuple(parts[1:3]) == where[:2], f"{name_of(path)} takes from another page: {module}"


def taken_from_the_library(path: Path) -> Iterator[tuple[int, str, str]]:
    """What a file takes from the library: line, face or module, name in it.

    Of a module that is imported whole (``import tokenizers as tk``), that is every attribute that is used.
    """
    whole = {"tokenizers": "tokenizers"}
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            whole |= {alias.asname or alias.name: alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tokenizers":
            for alias in node.names:
                if node.module == "tokenizers" and isinstance(getattr(tk, alias.name), ModuleType):
                    whole[alias.asname or alias.name] = f"tokenizers.{alias.name}"
                else:
                    yield node.lineno, str(node.module), alias.name
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Attribute):
            module = whole.get(ast.unparse(node.value), "")
            if module.split(".")[0] == "tokenizers":
                yield node.lineno, module, node.attr


def test_pages_import_the_library_by_its_faces() -> None:
    """A page takes what a face imports, or what a module beside the rooms has."""
    for path in PAGES:
        for line, module, name in taken_from_the_library(path):
            where = f"{name_of(path)}, line {line}: {name} of {module}"
            assert len(module.split(".")) <= 2, where
            offered = getattr(importlib.import_module(module), name, None)
            assert offered is not None and not isinstance(offered, ModuleType), where


@pytest.mark.parametrize(("room", "others"), [("families", {"bundled", "files"}), ("files", {"bundled"})])
def test_rooms_do_not_import_each_other_in_a_circle(room: str, others: set[str]) -> None:
    """Files make families of what they read; what comes with the app is made of both."""
    for path in (ROOT / "tokenizers" / room).glob("*.py"):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                taken = {(node.module or alias.name).split(".")[0] for alias in node.names}
                assert not taken & others, f"{name_of(path)}, line {node.lineno}"


def test_what_explains_or_draws_imports_encodings_and_never_the_other_way() -> None:
    """No module that ``encoding.py`` imports, directly or not, for types or not, imports it."""
    first = ROOT / "tokenizers" / "encoding.py"
    reached, waiting = {first}, [first]
    while waiting:
        path = waiting.pop()
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                modules = [folder.with_suffix(".py"), *(folder / f"{alias.name}.py" for alias in node.names)]
                assert first not in modules, f"{name_of(path)}, line {node.lineno}"
                new = {module for module in modules if module.is_file()} - reached
                reached |= new
                waiting += new


def test_what_an_encoding_can_do_is_asked_by_capability() -> None:
    """Of which class it is, only the rooms may ask that make it and read it."""
    makers = [ROOT / "tokenizers" / room for room in ("bpe", "families", "files")]
    for path in [*LIBRARY, *PAGES]:
        if path.parent in makers:
            continue
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
                kind = ast.unparse(node.args[1])
                assert not re.search(r"Encoding\b", kind), f"{name_of(path)}, line {node.lineno}: {kind}"


ROOMS = [
    *(path for path in sorted((ROOT / "tokenizers").iterdir()) if path.is_dir() and path.name[0] != "_"),
    *(PAGES_FOLDER / name for name in ("server", "session", "shared")),
]


@pytest.mark.parametrize("folder", ROOMS, ids=name_of)
def test_a_face_says_what_is_in_its_room(folder: Path) -> None:
    docstring = ast.get_docstring(parse(folder / "__init__.py")) or ""
    for path in folder.glob("*.py"):
        assert path.stem == "__init__" or re.search(rf"\b{path.stem}\b", docstring), name_of(path)


@pytest.mark.parametrize("path", [APP, *PAGES], ids=name_of)
def test_html_is_ours_alone(path: Path) -> None:
    for module in imports(path):
        assert not module.startswith(("streamlit.html", "streamlit.iframe", "streamlit.components.v1")), (
            module
        )
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            assert all(alias.asname == "st" for alias in node.names if alias.name == "streamlit")
        if isinstance(node, ast.keyword):
            assert node.arg != "unsafe_allow_html"
        if isinstance(node, ast.Attribute) and path not in (FRAME, CHARTS):
            assert node.attr not in ("html", "iframe"), f"line {node.lineno}: st.{node.attr}"


@pytest.mark.parametrize("folder", COMPONENTS, ids=name_of)
def test_a_component_has_one_page_one_style_and_modules(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert names >= {"component.css", "component.html", "index.js"}
    assert all(name.endswith(".js") for name in names - {"component.css", "component.html"})
    assert "export default class" in (folder / "index.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", COMPONENT_FILES, ids=name_of)
def test_components_write_text_only(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    makes_html = re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTML\w*|srcdoc|DOMParser"
        r"|document\.write|\beval\b|new\s+Function",
        source,
    )
    if path == COMMON / "mount.js":  # it puts component.html into its place
        assert makes_html == ["innerHTML"] and "template.innerHTML = html;" in source
    elif path.suffix == ".js":
        assert not makes_html
    elif path.suffix == ".html":
        assert not re.findall(r"<script|\son\w+\s*=|javascript:", source, re.IGNORECASE)
    # The names of SVG and its like look like addresses, and are none.
    source = re.sub(r"http://www\.w3\.org/(2000/svg|1999/xlink|1999/xhtml)\b", "", source)
    assert not re.findall(r"https?://\S+|wss?://\S+|@import|url\(\s*[\"']?//", source)


def test_modules_import_from_their_own_folder_and_from_what_is_common() -> None:
    for path in COMPONENTS_FOLDER.rglob("*.js"):
        for address in re.findall(
            r"""^(?:import|export)\b[^;]*?from "([^"]+)";""", path.read_text("utf-8"), re.M
        ):
            target = (path.parent / address).resolve()
            assert target.is_file(), f"{name_of(path)}: {address}"
            drawn = [COMPONENTS_FOLDER / "lesson"] if path.parent == CLASSROOM else []
            assert target.parent in (path.parent, COMMON, *drawn), f"{name_of(path)}: {address}"


def test_of_its_namesakes_the_app_takes_one_engine_alone() -> None:
    """The compiled module of one is an engine of ours; ``import tokenizers`` is ours even so."""
    assert Path(tk.__file__).parent == ROOT / "tokenizers"
    loading = [
        path for path in ROOT.glob("[pt]*/**/*.py") if "huggingface.tokenizers" in path.read_text("utf-8")
    ]
    assert [path.name for path in loading if path.parent.name != "tests"] == ["engines.py"]
    everywhere = " ".join(path.read_text("utf-8") for path in ROOT.glob("*.txt"))
    assert "transformers" not in everywhere


def test_every_requirement_is_pinned_too() -> None:
    def names(file: str) -> set[str]:
        lines = re.findall(r"^[A-Za-z0-9._-]+", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        return {name.lower().replace("_", "-") for name in lines if not name.startswith("-")}

    assert names("requirements.txt") | names("requirements-dev.txt") <= names("constraints.txt")


def test_a_commit_is_checked_by_what_make_lint_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.split("\nlint:")[1].split("\n\n")[0].splitlines()[1:]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe] == re.findall(
        r"entry: (.+)", hooks
    )


@pytest.mark.parametrize("path", sorted(PAGES_FOLDER.rglob("page.py")), ids=name_of)
def test_a_page_file_has_no_text_that_streamlit_would_draw(path: Path) -> None:
    """Of the file that it runs, Streamlit draws every string that stands alone, but the first."""
    for node in parse(path).body[1:]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            raise AssertionError(f"line {node.lineno}: {node.value.value!r}")


@pytest.mark.parametrize("path", sorted((ROOT / "tests").glob("*.py")), ids=name_of)
def test_no_test_looks_at_the_clock_on_the_wall_or_sleeps(path: Path) -> None:
    clock = r"\b(time|datetime)\.(sleep|time|monotonic|perf_counter|now)(_ns)?\(|\bwait_for_timeout\("
    found = re.search(rf".*({clock}).*", path.read_text("utf-8"))
    assert found is None, found[0]
