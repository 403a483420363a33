"""Merge trees, as our components get them."""

from __future__ import annotations

from collections.abc import Mapping

from tokenizers.bpe import Node
from tokenizers.json_types import JsonObject

LONGEST_TREE = 64
"""Bytes of the longest token whose merge tree is drawn beside its facts. The page Merge trees draws any."""


def describe_node(node: Node, steps: Mapping[tuple[int, int], int] | None = None) -> JsonObject:
    """A merge tree. ``step``: the merge that makes a node, by number; None: no merge."""
    return {
        "id": node.token_id,
        "rank": node.rank,
        "start": node.start,
        "end": node.end,
        "step": (steps or {}).get((node.start, node.end)) if node.children else None,
        "kids": [describe_node(child, steps) for child in node.children],
    }
