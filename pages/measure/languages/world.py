"""The land under the languages: Natural Earth's outline, from a file that lies here."""

from __future__ import annotations

import functools
import json
from typing import Any

import altair as alt

from tokenizers.encoding import ASSETS
from tokenizers.shipped import damaged, missing

LAND_FILE = ASSETS / "map" / "land-110m.json"
_SOUTHERNMOST = -60.0  # degrees: below lies Antarctica, where nobody speaks any of the languages


class SharedData(alt.InlineData):
    """Data that charts share. Altair copies a chart and its data more than ten times while it is built."""

    def __deepcopy__(self, memo: object) -> SharedData:
        return self


@functools.cache
def land() -> SharedData:
    """The outline of all land but Antarctica, as data that a chart holds in itself.

    Raises:
        OSError: the file is missing. ValueError: it is damaged.
    """
    try:
        topology = json.loads(LAND_FILE.read_text("utf-8"))
        topology["objects"]["land"] = _without_antarctica(topology)
        # What is not drawn need not be there.
        (geometry,) = topology["objects"]["land"]["geometries"]
        used = {arc if arc >= 0 else ~arc for polygon in geometry["arcs"] for ring in polygon for arc in ring}
        topology["arcs"] = [arc if i in used else [] for i, arc in enumerate(topology["arcs"])]
    except OSError as problem:
        raise missing(LAND_FILE, "The map's file", problem) from None
    except (ValueError, KeyError, TypeError, IndexError):
        raise damaged(LAND_FILE, "The map's file") from None
    return SharedData(values=topology, format=alt.TopoDataFormat(feature="land", type="topojson"))


def _without_antarctica(topology: dict[str, Any]) -> dict[str, Any]:
    """The land's polygons that reach farther north; each is a list of rings, a ring a list of arcs."""
    (geometry,) = topology["objects"]["land"]["geometries"]
    norths = [_north(arc, topology["transform"]) for arc in topology["arcs"]]
    kept = [
        polygon
        for polygon in geometry["arcs"]
        if max(norths[arc if arc >= 0 else ~arc] for ring in polygon for arc in ring) > _SOUTHERNMOST
    ]
    return {"type": "GeometryCollection", "geometries": [{"type": "MultiPolygon", "arcs": kept}]}


def _north(arc: list[list[int]], transform: dict[str, list[float]]) -> float:
    """The northernmost latitude of an arc, whose points are steps on a grid."""
    y, highest = 0, -(10**9)
    for _, step in arc:
        y += step
        highest = max(highest, y)
    return highest * transform["scale"][1] + transform["translate"][1]
