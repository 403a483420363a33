"""Split patterns: how a text is cut into pieces before any merge (pre-tokenization).

patterns        the named patterns, each with its source, and how a text is cut by any pattern
bounded         runs a function in a process with limits on time and memory; bounded_worker is that process
engines         what runs there for a person's own pattern: check it, search texts, cut texts in any engine
dialects        whether tiktoken and Hugging Face's tokenizers cut a sample by a pattern as it is cut here
"""

from __future__ import annotations

from .bounded import BusyError
from .dialects import Difference, find_difference
from .patterns import PATTERN_LABELS, PATTERNS, find_pattern, pattern_name, split
