"""Tokenizer files: one module a format, and one table of them.

loading             the table; ``load`` any file, ``save`` one
unpack              undoes compression, and byte order marks
identify            what a file is that holds no tokenizer
trial               loads an untrusted file first, in a process with limits
ranks               .tiktoken and .ranks: tokens in base64 with their ranks
minbpe              minbpe's .model, in which a home-trained BPE is saved
tokenizer_json      tokenizer.json of any pipeline
tokenizer_json_steps  its normaliser and its pre-tokeniser, in words
tokenizer_json_pieces  a SentencePiece model, written as one
file_pairs          vocab.json with merges.txt, vocab.txt, and a chat template beside a tokenizer.json
known               ways of cutting a text by name, and vocabularies that are recognised by a digest
rwkv, clip          the vocabularies of RWKV and of CLIP, as text
sentencepiece       SentencePiece's .model, of every kind
gguf                .gguf: the tokenizer in the header of a model
gguf_header         that header, by key
gguf_pairs          those of the kinds gpt2, gemma4 and whitespace: byte pairs
npm_tiktoken        the .json of tiktoken in JavaScript
tekken              tekken.json, of Mistral AI's models
finding             tokenizer files in installed packages, and on Hugging Face's hub
"""

from __future__ import annotations

from .file_pairs import join_configs
from .finding import Found, check_repository, fetch_from_hub, find_installed
from .gguf import recognises as is_gguf
from .known import Known, way_of, ways
from .loading import (
    CONFIG,
    LABELS,
    MAX_FILE_BYTES,
    MERGES,
    RANKS,
    VOCABULARY,
    WORD_LIST,
    WRITERS,
    file_of,
    format_of,
    load,
    plain,
    recognise,
    save,
    trim,
)
from .ranks import snippet as tiktoken_snippet
from .tokenizer_json_pieces import to_bytes as pieces_to_json
from .tokenizer_json_pieces import why_other_ids
