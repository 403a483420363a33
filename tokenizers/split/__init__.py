"""How a text is cut into pieces before any merge (pre-tokenization): split patterns, ours and one's own.

patterns        the named patterns, and cutting a text by any pattern
own_pattern     what a pattern of one's own will need, read from its text
safe_pattern    which patterns of a tokenizer.json may run in Hugging Face's engine
regex_tasks     what is done with such a pattern: compile, cut, look for a match
bounded         those tasks in a process with limits; bounded_worker is its other side
dialects        how tiktoken and Hugging Face's tokenizers read a pattern, by trying
engine_tasks    the trial itself
"""

from __future__ import annotations

from .bounded import BusyError
from .dialects import Trial, Trials, try_pattern
from .patterns import PATTERN_LABELS, PATTERNS, find_pattern, pattern_name, split

__all__ = [
    "PATTERN_LABELS",
    "PATTERNS",
    "BusyError",
    "Trial",
    "Trials",
    "find_pattern",
    "pattern_name",
    "split",
    "try_pattern",
]
