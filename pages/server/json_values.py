"""How many values a JSON holds, found without reading it: 2 MB of empty lists become 54 MB of objects."""

from __future__ import annotations

MOST = 200_000
"""Values in a JSON that a page of ours sends. What it holds many of, such as a text, is one value."""

_BETWEEN = "[{,"  # each value but the first of all follows one of these
_QUOTES_OF_ONE = 8  # at most: two for a text, and a value may be one and have a name


def holds_too_many(json: str, most: int = MOST) -> bool:
    """Whether a JSON holds too many values: it is not to be read then.

    Args:
        json: the text of it.
        most: how many values it may hold.

    >>> holds_too_many("[]," * MOST), holds_too_many('"' + "[]," * MOST + '"'), holds_too_many("{}")
    (True, False, False)
    >>> holds_too_many("[1, 2]", 2), holds_too_many("[1, 2]", 1)
    (False, True)
    """
    if sum(map(json.count, _BETWEEN)) <= most:  # those in texts counted too, which is quick
        return False
    without_escapes = json.replace("\\\\", "").replace('\\"', "")
    if without_escapes.count('"') > _QUOTES_OF_ONE * most:
        return True
    outside = "".join(without_escapes.split('"')[::2])
    return sum(map(outside.count, _BETWEEN)) > most
