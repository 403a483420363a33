"""What no page and no component writes: HTML of its own, and addresses of other hosts."""

from __future__ import annotations

import re
from pathlib import Path

from tests.browser import ROOT

APP, PAGES_FOLDER = ROOT / "app.py", ROOT / "pages"
PAGES = sorted(PAGES_FOLDER.rglob("*.py"))
COMPONENTS = ROOT / "assets" / "components"
MAY_WRITE_HTML = ("pages/shared/frame.py", "pages/shared/charts.py")  # our styles; an empty box


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines_with(pattern: str, paths: list[Path]) -> list[str]:
    """The lines of these files in which a regular expression is found, with where they stand."""
    return [
        f"{name_of(path)}:{number}: {line}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


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
