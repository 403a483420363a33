"""What Vega-Lite's schema cannot say of a chart: whether what it draws is in its data, and has room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenizers.json_types import JsonObject


def missing_fields(spec: JsonObject) -> list[str]:
    """The fields of a whole chart, as Altair writes it, that its data do not have: nothing is drawn of them.

    >>> data = {"name": "d"}
    >>> spec = {"datasets": {"d": [{"a": 1}]}, "data": data, "encoding": {"x": {"field": "b"}}}
    >>> missing_fields(spec), missing_fields({**spec, "encoding": {"x": {"field": "a"}}})
    (['b'], [])
    """
    return [
        field
        for rows, channels in _drawn(spec)
        for field in _fields(channels)
        if rows and field not in rows[0]
    ]


def titles_beside(spec: JsonObject) -> list[str]:
    """The lines that stand upright beside a whole chart: if one is longer than it is high, nothing is drawn.

    >>> titles_beside({"layer": [{"encoding": {"x": {"title": "a"}, "y": {"title": ["b", "c"]}}}]})
    ['b', 'c']
    """
    lines: list[str] = []
    for view, _ in _views(spec, None):
        y = view.get("encoding", {}).get("y", {})
        for title in (y.get("title"), (y.get("axis") or {}).get("title")):
            lines += [title] if isinstance(title, str) else title or []
    return lines


def names_beside(spec: JsonObject) -> int:
    """How many names stand one below the other beside a whole chart.

    >>> data = {"datasets": {"d": [{"a": "x"}, {"a": "y"}, {"a": "x"}]}, "data": {"name": "d"}}
    >>> names_beside({**data, "encoding": {"y": {"field": "a", "type": "nominal"}}})
    2
    """
    counts = [0]
    for rows, channels in _drawn(spec):
        y = channels.get("y", {})
        if y.get("type") == "nominal":
            counts.append(len({row[y["field"]] for row in rows}))
    return max(counts)


def beyond_their_axis(spec: JsonObject) -> list[str]:
    """The fields of a whole chart with a number at which its axis has ended: it is drawn beside the chart.

    >>> data = {"datasets": {"d": [{"a": 1}, {"a": 3}]}, "data": {"name": "d"}}
    >>> y = {"field": "a", "type": "quantitative", "scale": {"domain": [0, 2]}}
    >>> beyond_their_axis({**data, "encoding": {"y": y}})
    ['a']
    """
    fields = []
    for rows, channels in _drawn(spec):
        for channel in (channels.get("x", {}), channels.get("y", {})):
            domain = (channel.get("scale") or {}).get("domain")
            if domain and channel.get("type") == "quantitative":
                numbers = [row[channel["field"]] for row in rows]
                if any(number is not None and not min(domain) <= number <= max(domain) for number in numbers):
                    fields.append(channel["field"])
    return fields


def _drawn(spec: JsonObject) -> Iterator[tuple[list[JsonObject], JsonObject]]:
    """The rows and the channels of each part of a chart, but for a map's."""
    for view, data in _views(spec, None):
        rows = spec["datasets"].get(data)
        if isinstance(rows, list):
            yield rows, view.get("encoding", {})


def _views(view: JsonObject, data: str | None) -> Iterator[tuple[JsonObject, str | None]]:
    """The view and all in it, each with the name of its data."""
    data = view.get("data", {}).get("name", data)
    yield view, data
    for key in ("layer", "concat", "hconcat", "vconcat"):
        for part in view.get(key, []):
            yield from _views(part, data)


def _fields(encoding: Any) -> Iterator[str]:
    """Every field in an encoding: of channels, of their conditions, of tooltips."""
    if isinstance(encoding, dict):
        if isinstance(encoding.get("field"), str):
            yield encoding["field"]
        encoding = list(encoding.values())
    if isinstance(encoding, list):
        for part in encoding:
            yield from _fields(part)
