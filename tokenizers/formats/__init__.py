"""Files of tokenizers, made into encodings and written. What is in them, ``contents`` reads and checks.

reading             any file, recognised by its content; and what a session keeps of an encoding
storage             .model, in minbpe's format; and ``load``, for the kinds that are written here
tiktoken_file       .tiktoken, a rank file
walled_ranks_file   a rank file with its split pattern, in a format of our own
huggingface_file    tokenizer.json, of what is grown here
pipeline_file       tokenizer.json of any pipeline; vocab.json with merges.txt, and vocab.txt
template_file       a chat template in a file beside a tokenizer.json
sentencepiece_file  SentencePiece's .model, of every kind
gguf_file           .gguf: the tokenizer in the header of a model
gguf_pairs          those of the kind gpt2: what the name of a pre-tokeniser stands for
tekken_file         tekken.json, of Mistral AI's models
listed_file         a vocabulary of characters or of words, in a format of our own
installed           files of tokenizers in the packages that are installed here
hub                 a file of a tokenizer from Hugging Face's hub
hub_task            the same, in a process with limits

A name that several modules have, such as ``recognises``, says here which file it is about.
"""

from __future__ import annotations

from ..contents.ranks import is_rank_file, tokens_by_rank
from .hub import MAX_KEPT_BYTES as MAX_HUB_BYTES
from .hub import Fetched, check_repository
from .hub import fetch as fetch_from_hub
from .installed import Found, find_installed
from .listed_file import to_bytes as write_listed
from .pipeline_file import (
    from_vocab_txt,
    is_merges_txt,
    is_vocab_json,
    is_vocab_txt,
    join_vocab_and_merges,
)
from .pipeline_file import recognises as is_tokenizer_json
from .reading import (
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
from .storage import FORMATS, can_minbpe_read, guards_pattern
from .storage import from_bytes as read_grown
from .template_file import join_template
from .template_file import recognises as is_template_file
from .tiktoken_file import snippet as tiktoken_snippet
from .walled_ranks_file import add_walls

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
    "read_any",
    "read_grown",
    "reader_of_saved",
    "file_of",
    "tiktoken_snippet",
    "tokens_by_rank",
    "trim_to_header",
    "write_listed",
]
