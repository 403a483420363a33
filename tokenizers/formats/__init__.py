"""Files of tokenizers: what pages import of ``files``."""

from __future__ import annotations

from ..files.gguf import recognises as is_gguf
from ..files.hub import Fetched, check_repository
from ..files.hub import fetch as fetch_from_hub
from ..files.installed import Found, find_installed
from ..files.loading import (
    CONFIG,
    LABELS,
    MAX_BYTES,
    MERGES,
    RANKS,
    VOCABULARY,
    WORD_LIST,
    WRITERS,
    estimate_memory,
    file_of,
    format_of,
    load,
    save,
    trim,
)
from ..files.minbpe import can_minbpe_read, guards_pattern
from ..files.ranks import snippet as tiktoken_snippet
from ..files.word_list import to_bytes as write_word_list

__all__ = [
    "CONFIG",
    "LABELS",
    "MAX_BYTES",
    "MERGES",
    "RANKS",
    "VOCABULARY",
    "WORD_LIST",
    "WRITERS",
    "Fetched",
    "Found",
    "can_minbpe_read",
    "check_repository",
    "estimate_memory",
    "fetch_from_hub",
    "file_of",
    "find_installed",
    "format_of",
    "guards_pattern",
    "is_gguf",
    "load",
    "save",
    "tiktoken_snippet",
    "trim",
    "write_word_list",
]
