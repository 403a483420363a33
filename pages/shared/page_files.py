"""The files of pages that other pages link to, as in ``pages/main.py``."""

from __future__ import annotations

PLAYGROUND = "explore/playground/page.py"
MERGE_TREES = "explore/merge_trees/page.py"
BRING = "grow/bring/page.py"
TRAIN = "grow/train/page.py"
BY_HAND = "grow/by_hand/page.py"
