"""Our styles and scripts need no more than the browsers that README names, phones included."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pages.server.component_files import FOLDER
from tests.browser import ROOT, expect, watched

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

TABLE = json.loads((ROOT / "tests" / "newer_features.json").read_text("utf-8"))
STYLES = {path.relative_to(FOLDER): path.read_text("utf-8") for path in sorted(FOLDER.rglob("*.css"))}
COMMENT = r"/\*.*?\*/"
STYLE = re.sub(COMMENT, "", "\n".join(STYLES.values()), flags=re.DOTALL)
SCRIPTS = "\n".join(path.read_text("utf-8") for path in FOLDER.rglob("*.js"))
SCRIPT = re.sub(r"(?:^|\s)//.*", "", re.sub(COMMENT, "", SCRIPTS, flags=re.DOTALL))
USES = {
    "property": r"(?<![\w-]){}\s*:",
    "selector": r":{}(?![\w-])",
    "at-rule": r"@{}(?![\w-])",
    "function": r"(?<![\w-]){}\(",
    "global": r"(?<![\w.'\"-]){}\b",
    "member": r"\.{}\b",
}
"""How each kind of feature is found in a style, and the last two in a script."""

OURS = (
    "bytes chunks connection difference drop grow move number resize share states sync take touched when"
).split()
"""Members that are named as newer ones of browsers, and are ours."""

NOT_NEEDED = json.loads((ROOT / "tests" / "not_needed.json").read_text("utf-8"))
"""Newer features that are used, and what happens without them."""


def test_no_style_or_script_needs_a_newer_browser() -> None:
    found = set()
    for kind, names in TABLE["newer"].items():
        source = SCRIPT if kind in ("global", "member") else STYLE
        named = [name for name in names.split() if name in source]  # the others in no time
        used = {name for name in named if re.search(USES[kind].format(re.escape(name)), source)}
        found |= used.difference(OURS) if kind == "member" else used
    assert found == NOT_NEEDED.keys()


def test_the_oldest_browsers_are_said_everywhere() -> None:
    files = ["README.md", "docs/install.md", "docs/class.md", "assets/components/too_old.js"]
    for file in files:
        text = (ROOT / file).read_text("utf-8")
        for name, version in TABLE["floor"].items():
            words = r"(?:Safari|iOS)" if name == "Safari" else name
            assert re.search(rf"{words}[^.\d]*\b{re.escape(version)}\b", text), (file, name)


@pytest.mark.parametrize(
    "path, missing",
    [("/", "Document.prototype.adoptedStyleSheets"), ("/class", "Array.prototype.toSorted")],
)
def test_an_older_browser_is_told_so(context: BrowserContext, path: str, missing: str) -> None:
    """And nothing is guessed about the server."""
    with watched(context, expected="toSorted|net::ERR_FAILED"), context.new_page() as page:
        page.clock.install()
        page.add_init_script(f"delete {missing}")
        page.route("**/static/js/index*.js", lambda route: route.abort())  # its page stays empty
        page.goto(path)
        page.clock.fast_forward(20_000)
        expect(page.get_by_role("alert")).to_contain_text("This browser is too old for Token Grove")
        expect(page.locator("#grove-waiting")).to_have_count(0)


def test_nothing_stays_highlighted_under_a_finger() -> None:
    """What is tapped counts as hovered until the next tap."""
    for name, style in STYLES.items():
        rules = re.sub(r"@media \(hover: hover\) \{[^{}]*\{[^{}]*\} \}", "", style)
        assert ":hover" not in rules, name
