"""Texts, and where tokens are in them: spans, graphemes, words, Unicode, files, chats, exports.

text_map            a text in bytes, characters, UTF-16 units and graphemes
spans               the tokens of a text with their places, and the walls between its pieces
rewriting           what an encoding makes of a text before it cuts it
facts               everything that is known about one token in its text
spelling            tokens spelled for people, in one way everywhere
byte_characters     GPT-2's characters for bytes, in which token files spell tokens
words, scripts      the words of a text; the scripts of characters and tokens
code_points         what Unicode says about a character
look_alikes         characters that look like others, and words that mix scripts
normal_forms        NFC, NFD, NFKC and NFKD, and what each changes
common_ends         the common prefix and suffix of two texts
chunks, paging      a long text in chunks of so many tokens, or in pages to show
files, charsets     uploaded files read as text, and guesses of their character set
chat                messages with a model's special tokens
uploaded_chat       messages in the chat template of an uploaded file
jinja_tasks         renders such a template, in a process with limits
decoding            token ids back to text
export, cells       tokens as CSV and JSON, in cells that no spreadsheet runs
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
