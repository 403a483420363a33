"""The app as tests in Firefox and WebKit open it: ``python -m tests.engines.served run app.py …``.

Each page loads ``in_page.js`` first. With ``OLDER`` in the environment, it also loads ``older.js``, which
takes away what browsers of 2023 do not have; in styles and HTML, words that they do not know are spoilt.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

OLDER = "TOKEN_GROVE_TEST_OLDER"
_HERE = Path(__file__).parent
_NOT_YET = re.compile(r"\b(light-dark\(|has\(|popover|content-visibility|scrollbar-gutter|text-wrap)")


def prepare(folder: Path, older: bool) -> None:
    """Put pages and components that are changed so into a folder, and have the app take them from there."""
    from pages.server import component_files, page_script

    scripts = ["in_page.js", *(["older.js"] if older else [])]
    components = folder / "components"
    shutil.copytree(component_files.FOLDER, components)
    for name in scripts:
        shutil.copy(_HERE / name, components)
    for path in components.rglob("*.*") if older else ():
        if path.suffix in (".css", ".html"):
            path.write_text(_without_new_words(path.read_text("utf-8")), "utf-8")
    component_files.FOLDER = components

    def with_scripts(page: Path, components: str) -> Path:
        tags = "".join(f'<script src="{components}/{name}"></script>' for name in scripts)
        copy = folder / page.name
        copy.write_text(page.read_text("utf-8").replace("<head>", f"<head>{tags}", 1), "utf-8")
        return copy

    page_script.PAGE = with_scripts(page_script.PAGE, "./components/test")
    from pages.learn.classroom import routes

    for page in routes._PAGES.glob("*.html"):
        with_scripts(page, "$components")
    routes._PAGES = folder


def _without_new_words(source: str) -> str:
    """A style or HTML with words in place of new ones that no browser understands.

    >>> _without_new_words("<p popover> :has(b)")
    '<p no-popover> :no-has(b)'
    """
    return _NOT_YET.sub(r"no-\1", source)


if __name__ == "__main__":
    from streamlit.web.cli import main

    sys.path.insert(0, os.getcwd())
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), bool(os.environ.get(OLDER)))
        sys.exit(main(prog_name="streamlit"))
