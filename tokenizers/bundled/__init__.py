"""The byte pair encodings that come with the app.

table               every one from elsewhere: its name, how it is loaded, what it is, its hue
tiktoken_files      tiktoken's encodings, from its rank files
last_merges         where the last merge of each of their tokens joins its two parents, worked out beforehand
tekken              that of Mistral AI's newer models
whisper             that of Whisper
grown               those that were grown here
"""

from __future__ import annotations

from .grown import grow, load_model
from .table import BUNDLED
from .tiktoken_files import RANK_FILES, TIKTOKEN_ENCODINGS, load_tiktoken

__all__ = ["BUNDLED", "RANK_FILES", "TIKTOKEN_ENCODINGS", "grow", "load_model", "load_tiktoken"]
