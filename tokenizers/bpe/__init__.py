"""Byte pair encoding: trained, used, and explained.

plain         the algorithm as a lecture shows it, its tie rules, and a training step by step; the tests hold
              the fast forms to it
training      the trainer
counting      the pieces of a corpus, counted: of texts, of files of any size, of parts counted elsewhere
merging       its loop in pure Python; kernels/merging.py is the same, compiled
byte_pairs    an encoding on tiktoken's engine, from ranks
home          an encoding from merges that were learned here, or are in a file
incremental   after an edit, only what changed is encoded again
merge_rule    which merges happen in some bytes
trees         the merges behind a token, and every merge of a text, in order
explain       why a cut is where it is
curve         one text at every vocabulary size
results       the nodes, merges and curves that these return
"""

from __future__ import annotations

from .counting import SMALL, count_specials, read_texts, skip_specials
from .curve import counts_by_size, cuts_by_size, size_range
from .home import HomeEncoding, check_special_tokens, home_trained
from .incremental import reencode
from .plain import MAX_STEPPED_BYTES, TIE_RULES, Stepping, Ties, find_tie_rule, step_through
from .results import Merge, Node, SizeCurve, Sizes
from .training import STOPPED_BY_YOU, Progress
from .trees import counts_after, forest, merge_tree, trace
