"""The encodings that come with the app.

table       all of them: name, how each is loaded, what it is, its hue
published   vocabularies from elsewhere: tiktoken's, Whisper's, Qwen's, CLIP's, RWKV's, BERT's, …
absent      models whose tokenizers are not here: why, and where to find them
learned     what learned from the texts here: home-trained encodings, characters, words
"""

from __future__ import annotations

from .absent import ABSENT, Absent, find_absent, mentions
from .published import TIKTOKEN_ENCODINGS
from .table import BUNDLED, HOME_TRAINED, Entry
