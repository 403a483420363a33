"""Our styles and scripts need no more than the browsers that README names, phones included."""

from __future__ import annotations

import re

from pages.server.component_files import FOLDER

STYLES = {
    path.relative_to(FOLDER).as_posix(): path.read_text("utf-8") for path in sorted(FOLDER.rglob("*.css"))
}


def test_nothing_stays_highlighted_under_a_finger() -> None:
    """What is tapped counts as hovered until the next tap."""
    for name, style in STYLES.items():
        rules = re.sub(r"@media \(hover: hover\) \{[^{}]*\{[^{}]*\} \}", "", style)
        assert ":hover" not in rules, name
