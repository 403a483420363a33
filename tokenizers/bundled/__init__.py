"""The encodings that come with the app.

table               byte pairs from elsewhere: name, how each is loaded, what it is, its hue
other_families      the same of all that are not plain byte pairs
rewriting           of those, qwen, claude-2 and clip
tiktoken_files      tiktoken's encodings, from its rank files
whisper             that of Whisper
home_trained        home-trained encodings, from assets/models
"""

from __future__ import annotations

from .home_trained import load_model, train_model
from .other_families import BUNDLED as OTHER_FAMILIES
from .table import BUNDLED
from .tiktoken_files import RANK_FILES, TIKTOKEN_ENCODINGS, load_tiktoken

__all__ = [
    "BUNDLED",
    "OTHER_FAMILIES",
    "RANK_FILES",
    "TIKTOKEN_ENCODINGS",
    "train_model",
    "load_model",
    "load_tiktoken",
]
