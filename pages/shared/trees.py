"""Merge trees, as our components get them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers.bpe import Node

LONGEST_TREE = 64
"""Bytes of the longest token whose merge tree is drawn beside its facts. The page Merge trees draws any."""


def describe_node(node: Node, steps: Mapping[tuple[int, int], int] | None = None) -> dict[str, Any]:
    """A merge tree. ``step``: the merge that makes a node, by number; None: no merge."""
    return {
        "id": node.token_id,
        "rank": node.rank,
        "start": node.start,
        "end": node.end,
        "step": (steps or {}).get((node.start, node.end)) if node.children else None,
        "kids": [describe_node(child, steps) for child in node.children],
    }
