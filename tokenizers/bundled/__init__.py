"""The byte pair encodings that come with the app.

tiktoken_files      tiktoken's encodings, from its rank files
grown               those that were grown here
"""

from __future__ import annotations

from .grown import grow, load_model
from .tiktoken_files import TIKTOKEN_ENCODINGS, load_tiktoken

__all__ = ["TIKTOKEN_ENCODINGS", "grow", "load_model", "load_tiktoken"]
