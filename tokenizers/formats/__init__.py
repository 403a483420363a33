"""Files of tokenizers: what pages import of ``files``."""

from __future__ import annotations

from ..files.chat_template import join_template
from ..files.chat_template import recognises as is_template_file
from ..files.hub import MAX_KEPT_BYTES as MAX_HUB_BYTES
from ..files.hub import Fetched, check_repository
from ..files.hub import fetch as fetch_from_hub
from ..files.installed import Found, find_installed
from ..files.listed_file import to_bytes as write_listed
from ..files.ranks import is_rank_file, tokens_by_rank
from ..files.reading import (
    MAX_BYTES,
    READERS,
    Reader,
    estimate_room,
    file_of,
    has_header,
    read_any,
    reader_of_saved,
    trim_to_header,
)
from ..files.storage import FORMATS, can_minbpe_read, guards_pattern, load, save
from ..files.storage import from_bytes as read_grown
from ..files.tiktoken_file import snippet as tiktoken_snippet
from ..files.tokenizer_json import recognises as is_tokenizer_json
from ..files.vocabulary_pairs import (
    from_vocab_txt,
    is_merges_txt,
    is_vocab_json,
    is_vocab_txt,
    join_vocab_and_merges,
)
from ..files.walled_ranks_file import add_walls

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MAX_HUB_BYTES",
    "READERS",
    "Fetched",
    "Found",
    "Reader",
    "add_walls",
    "can_minbpe_read",
    "check_repository",
    "estimate_room",
    "fetch_from_hub",
    "find_installed",
    "from_vocab_txt",
    "guards_pattern",
    "has_header",
    "is_merges_txt",
    "is_rank_file",
    "is_template_file",
    "is_tokenizer_json",
    "is_vocab_json",
    "is_vocab_txt",
    "join_template",
    "join_vocab_and_merges",
    "load",
    "read_any",
    "read_grown",
    "reader_of_saved",
    "file_of",
    "save",
    "tiktoken_snippet",
    "tokens_by_rank",
    "trim_to_header",
    "write_listed",
]
