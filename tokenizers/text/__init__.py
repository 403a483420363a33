"""A text by itself and under its tokens: characters, graphemes, words, files, pages.

text_map    a text in bytes, characters, UTF-16 units and graphemes
spans       where tokens and walls are in it
facts       what is known about one token in its text
alignment   where they are when a library normalises the text first, and what is lost then
rewriting   what an encoding makes of a text before it cuts it
spelling    how a token is spelt for people, in one way everywhere
byte_characters     how files of byte-level encodings spell it
words, scripts      words to count, and scripts of characters and of tokens
code_points         what Unicode says about a character
look_alikes         characters that look like others, and words that mix scripts
common_ends         what two versions of a text have in common
normal_forms        NFC, NFD, NFKC and NFKD, and what each changes
chunks, paging      a long text in parts: of so many tokens, or to be shown
files, charsets     files that people bring, and the character sets they are written in
chat        messages with their special tokens
uploaded_chat, jinja_tasks   the same in a template that came with a file, rendered in a process with limits
decoding, export, cells     ids back to text; tables to take along, and cells that no spreadsheet runs
"""

from __future__ import annotations

from .cells import SAFE_CELLS, safe_cell
from .charsets import CHARSETS
from .chat import ROLES, TEMPLATES, Message, Part, encode_parts, spells_special
from .chunks import cut_chunks
from .code_points import (
    CATEGORIES,
    KINDS,
    UNICODE_VERSION,
    code_point,
    code_space,
    find_kinds,
)
from .common_ends import common_prefix, common_suffix
from .decoding import decode_ids, parse_ids
from .export import EXPORTS, MAX_TOKENS, tokens_csv
from .facts import MAX_LISTED, text_of, token_facts
from .files import MAX_BYTES, DecodedFile, check_size, decode_file
from .look_alikes import look_alikes_problem, looks_like, mixed_words
from .normal_forms import FORMS, NormalForm, normal_form
from .paging import Page, paginate
from .scripts import COMMON, PART_OF_CHARACTER
from .spans import Spans, encode_spans, only_here
from .spelling import quote, spell_change, spell_text, spell_token
from .text_map import LONGEST_GRAPHEME, TextMap
from .uploaded_chat import MAX_WRITTEN, render_uploaded
from .words import Words, find_words

__all__ = [
    "CATEGORIES",
    "CHARSETS",
    "COMMON",
    "DecodedFile",
    "EXPORTS",
    "FORMS",
    "KINDS",
    "LONGEST_GRAPHEME",
    "MAX_BYTES",
    "MAX_LISTED",
    "MAX_TOKENS",
    "MAX_WRITTEN",
    "Message",
    "NormalForm",
    "PART_OF_CHARACTER",
    "Page",
    "Part",
    "ROLES",
    "SAFE_CELLS",
    "Spans",
    "TEMPLATES",
    "TextMap",
    "UNICODE_VERSION",
    "Words",
    "check_size",
    "code_point",
    "common_prefix",
    "common_suffix",
    "code_space",
    "cut_chunks",
    "decode_file",
    "decode_ids",
    "encode_parts",
    "encode_spans",
    "find_kinds",
    "find_words",
    "look_alikes_problem",
    "looks_like",
    "mixed_words",
    "normal_form",
    "only_here",
    "paginate",
    "parse_ids",
    "quote",
    "render_uploaded",
    "safe_cell",
    "spell_change",
    "spell_text",
    "spell_token",
    "spells_special",
    "text_of",
    "token_facts",
    "tokens_csv",
]
