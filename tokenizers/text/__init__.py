"""Texts, and where tokens are in them: spans, graphemes, words, Unicode, files, chats, exports.

text_map        a text in bytes, characters, UTF-16 units and graphemes; what two texts have in common
spans           the tokens of a text with their places, and the walls between its pieces
rewriting       what an encoding makes of a text before it cuts it; what each normal form of Unicode changes
mending         what CLIP does to a text first: ftfy, HTML's names of characters, small letters
plain_reasons   why there is a cut, for people who have not heard of merges
facts           everything that is known about one token in its text
html            tokens in colour, as HTML; picture: as SVG
spelling        tokens spelled for people, in one way everywhere; GPT-2's characters for bytes
words           the words of a text
scripts         the scripts of characters and tokens; words that mix scripts, characters that look like others
code_points     what Unicode says about a character
chunks          a long text in chunks of so many tokens, or in pages to show
files           uploaded files read as text
charsets        guesses of their character set
chat            messages with a model's special tokens, by templates that come with the app
chat_json       chats as JSON: messages, or a whole request
chat_requests   requests to OpenAI's Responses API and to Anthropic's, as those that templates take
chat_settings   what a request says of the prompt besides messages and tools
tool_schemas    the tools of a chat, and in TypeScript, as harmony has them
uploaded_chat   chats in the template of an uploaded file
jinja_tasks     renders such a template, in a process with limits
decoding        token ids back to text
export          tokens as CSV and JSON, in cells that no spreadsheet runs
"""

from __future__ import annotations

from ..utf8 import text_of
from .charsets import CHARSETS
from .chat import ROLES, TEMPLATES, Chat, Message
from .chat_json import parse_chat
from .chunks import Page, cut_chunks, paginate
from .code_points import CATEGORIES, KINDS, UNICODE_VERSION, code_point, count_assigned, find_kinds
from .decoding import MAX_IDS, decode_ids, parse_ids
from .export import CSV_ENCODING, EXPORTS, SAFE_CELLS, encode_file, safe_cell, spellings_of, tokens_csv
from .facts import MAX_LISTED, token_facts
from .files import MAX_TEXT_BYTES, check_size, decode_file
from .html import MOST_DRAWN
from .picture import DARK, LIGHT, draw_coloured_text, draw_picture
from .plain_reasons import explain_plainly
from .rewriting import FORMS, NormalForm, normal_form
from .scripts import COMMON, PART_OF_CHARACTER, looks_like, mixed_words
from .spans import Spans, encode_spans, only_here
from .spelling import isolate, quote, spell_alone, spell_change, spell_text, spell_token
from .text_map import TextMap, common_prefix, common_suffix
from .words import Words, find_words
