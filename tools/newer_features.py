"""What of CSS and JavaScript the oldest browsers that we support do not have: tests/newer_features.json.

    npm pack @mdn/browser-compat-data && tar xf mdn-browser-compat-data-*.tgz
    python -m tools.newer_features package/data.json

To support other browsers, change ``FLOOR`` and run it. README, docs/install.md, docs/class.md and
assets/components/too_old.js name the same ones; tests/test_supported_browsers.py holds them to it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.options import read_options

FILE = Path(__file__).resolve().parent.parent / "tests" / "newer_features.json"
FLOOR = {"Safari": "16.4", "Chrome": "111", "Firefox": "115"}
KINDS = {"properties": "property", "selectors": "selector", "at-rules": "at-rule", "types": "function"}
"""The parts of the data's CSS, and what a name in them is."""

Support = dict[str, Any]


def is_old_enough(support: Support) -> bool:
    """Whether all browsers have a feature at the floor, whole and by its own name."""
    for browser, statements in support.items():
        floor = FLOOR.get(browser.partition("_")[0].title())  # safari_ios has Safari's
        listed = statements if isinstance(statements, list) else [statements]
        if floor is not None and not any(_is_there(each, floor) for each in listed):
            return False
    return True


def newer_features(data: dict[str, Any]) -> dict[str, list[str]]:
    """The names that no older feature of the same kind has, by kind.

    A member of an interface that is newer itself is left out: nothing gives one.
    """
    old: dict[str, set[str]] = defaultdict(set)
    new: dict[str, set[str]] = defaultdict(set)
    for kind, name, support in [*_css(data["css"]), *_javascript(data)]:
        names = old if is_old_enough(support) else new
        names[kind].add(name)
    return {kind: sorted(names - old[kind]) for kind, names in sorted(new.items())}


def _css(css: dict[str, Any]) -> Iterator[tuple[str, str, Support]]:
    for part, kind in KINDS.items():
        for path, support in _features(css[part]):
            if kind == "function" or len(path) == 1:
                yield kind, path[-1], support


def _javascript(data: dict[str, Any]) -> Iterator[tuple[str, str, Support]]:
    for interface, content in (data["javascript"]["builtins"] | data["api"]).items():
        support = content.get("__compat", {}).get("support", {})
        yield "global", interface, support
        if is_old_enough(support):
            for path, support_of_member in _features(content):
                if len(path) == 1:
                    yield "member", path[0].removesuffix("_static"), support_of_member


def _features(node: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Support]]:
    """All features below a node, by their paths from there."""
    for name, inner in node.items():
        if name == "__compat":
            yield path, inner["support"]
        elif isinstance(inner, dict):
            yield from _features(inner, (*path, name))


def _is_there(statement: dict[str, Any], floor: str) -> bool:
    limits = ("flags", "prefix", "alternative_name", "partial_implementation", "version_removed")
    added = statement.get("version_added")
    if not isinstance(added, str) or added == "preview" or any(statement.get(each) for each in limits):
        return False
    return _version(added.lstrip("≤")) <= _version(floor)


def _version(written: str) -> list[int]:
    return [int(part) for part in written.split(".")]


if __name__ == "__main__":
    data = json.loads(Path(read_options(__doc__, "data").data).read_text("utf-8"))
    newer = {kind: " ".join(names) for kind, names in newer_features(data).items()}
    table = {"data": data["__meta"]["version"], "floor": FLOOR, "newer": newer}
    FILE.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
