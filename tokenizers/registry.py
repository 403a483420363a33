"""Every encoding by its name: loaded on first use, once, shared by all who ask."""

from __future__ import annotations

import difflib
import threading

from .bundled import BUNDLED, Entry
from .data.models import FIRST_MODEL
from .encoding import Encoding

FIRST_ENCODINGS = ("o200k_base", "cl100k_base", "gpt2", FIRST_MODEL)
"""The encodings that pages open with, in this order."""

_loaded: dict[str, Encoding] = {}
_locks: dict[str, threading.Lock] = {}


def find_entry(name: str) -> Entry | None:
    """What is known of the encoding of this name before it is loaded; None: none here has this name.

    >>> entry = find_entry("bytes")
    >>> entry.maker, entry.about
    ('without a model', 'Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.')
    """
    return BUNDLED.get(name)


def list_encodings() -> list[str]:
    """The names that ``get_encoding`` knows, by maker: OpenAI's, the home-trained ones, and others.

    >>> list_encodings()[:3]
    ['o200k_base', 'o200k_harmony', 'cl100k_base']
    """
    return list(BUNDLED)


def encoding_title(name: str) -> str:
    """An encoding as choosers call it: models that use it, and its name. A person's own have a name alone.

    >>> encoding_title("o200k_base"), encoding_title("grove-udhr-8k"), encoding_title("mine")
    ('GPT-4o, GPT-5 (o200k_base)', 'Home-trained (grove-udhr-8k)', 'mine')
    """
    entry = find_entry(name)
    return f"{entry.models} ({name})" if entry and entry.models else name


def chooser_title(name: str) -> str:
    """As ``encoding_title``, with other names that people look for, since a chooser searches its labels.

    >>> chooser_title("cl100k_base")
    'GPT-4 (cl100k_base), also GPT-3.5, embeddings'
    """
    entry = find_entry(name)
    return encoding_title(name) + (f", also {entry.also}" if entry and entry.also else "")


def short_title(name: str) -> str:
    """An encoding where space is short, as in a chart's legend: one model, and its name.

    >>> short_title("o200k_base"), short_title("bytes")
    ('GPT-4o · o200k_base', 'bytes')
    """
    model = model_name(name)
    return f"{model} · {name}" if model != name else name


def model_name(name: str) -> str:
    """An encoding in a sentence: the model that is known best. Without a model, the encoding's name.

    >>> model_name("gpt2"), model_name("o200k_base"), model_name("grove-udhr-8k")
    ('GPT-2', 'GPT-4o', 'Home-trained')
    """
    entry = find_entry(name)
    return entry.models.split(", ")[0] if entry and entry.models else name


def sources_learned(name: str) -> frozenset[str]:
    """The keys of the bundled texts that the encoding of this name learned from. Nothing is loaded.

    >>> "udhr:kor" in sources_learned("grove-udhr-8k"), "udhr:kor" in sources_learned("words")
    (True, True)
    >>> sources_learned("gpt2")
    frozenset()
    """
    entry = find_entry(name)
    return frozenset(entry.sources()) if entry is not None else frozenset()


def get_encoding(name: str) -> Encoding:
    """The encoding of that name. The first call loads it; later calls share it.

    Raises:
        ValueError: no such encoding (names the close matches and the list), or its file is damaged.
        OSError: its file is missing.

    >>> get_encoding("cl100k_base").n_vocab
    100277
    >>> get_encoding("cl100k")
    Traceback (most recent call last):
    ...
    ValueError: There is no tokenizer 'cl100k'. Did you mean cl100k_im or cl100k_base? There are: ...
    """
    if name not in BUNDLED:
        words = {each: f"{of.models}, {of.also}, {each}".lower().split(", ") for each, of in BUNDLED.items()}
        called = {word: each for each in words for word in words[each] if word}
        close = difflib.get_close_matches(name.lower(), called, cutoff=0.5)
        hint = f" Did you mean {' or '.join(dict.fromkeys(called[word] for word in close))}?" if close else ""
        raise ValueError(f"There is no tokenizer {name!r}.{hint} There are: {', '.join(BUNDLED)}.")
    with _locks.setdefault(name, threading.Lock()):
        if name not in _loaded:
            _loaded[name] = BUNDLED[name].load(name)
        return _loaded[name]


def is_loaded(name: str) -> bool:
    """Whether ``get_encoding`` gives this encoding at once.

    >>> get_encoding("bytes").name, is_loaded("bytes"), is_loaded("no such one")
    ('bytes', True, False)
    """
    return name in _loaded
