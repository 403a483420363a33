"""Every encoding by its name: loaded on first use, once, shared by all who ask."""

from __future__ import annotations

import difflib
import functools
import threading
from collections.abc import Callable

from .bundled import load_model, tiktoken_files
from .checks import check_string
from .data.models import list_models, read_recipe
from .encoding import Encoding
from .families import characters, raw_bytes, words

FAMILIES = (raw_bytes, characters, words)
"""The modules of the families other than byte pairs. Each has ``BUNDLED``, how to load its encodings by name,
and ``ABOUT``, a sentence on each."""

_loaded: dict[str, Encoding] = {}
_locks: dict[str, threading.Lock] = {}
_registry = threading.Lock()


def _loaders() -> dict[str, Callable[[], Encoding]]:
    """name: how to load it; tiktoken's first, then the models that were grown here, then other families."""
    loaders: dict[str, Callable[[], Encoding]] = {**tiktoken_files.BUNDLED}
    for name in _model_names():
        loaders[name] = functools.partial(load_model, name)
    for family in FAMILIES:
        loaders.update(family.BUNDLED)
    return loaders


@functools.cache
def _model_names() -> list[str]:
    return list_models()


def list_encodings() -> list[str]:
    """The names that ``get_encoding`` knows, tiktoken's first, then those grown here, then other families'.

    >>> list_encodings()[:3]
    ['gpt2', 'r50k_base', 'p50k_base']
    """
    return list(_loaders())


def kind_of(name: str) -> str:
    """Where the encoding of this name comes from, as choosers group them. Nothing is loaded.

    >>> kind_of("gpt2"), kind_of("grove-udhr-8k"), kind_of("words")
    ('tiktoken', 'home-trained', 'other families')
    """
    if is_home_trained(name):
        return "home-trained"
    return "tiktoken" if name in tiktoken_files.BUNDLED else "other families"


def describe(name: str) -> str:
    """What the encoding of this name is, in a sentence, if it did not come with tiktoken. Nothing is loaded.

    Raises:
        ValueError: there is no description of this name.

    >>> describe("bytes")
    'Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.'
    """
    if is_home_trained(name):
        return read_recipe(name).description
    for family in FAMILIES:
        about: dict[str, str] = family.ABOUT
        if name in about:
            return about[name]
    raise ValueError(f"There is no description of {name!r} here.")


def is_home_trained(name: str) -> bool:
    """Whether the encoding of this name was grown here. Nothing is loaded.

    >>> is_home_trained("grove-udhr-8k"), is_home_trained("gpt2")
    (True, False)
    """
    return name in _model_names()


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
    ValueError: There is no encoding 'cl100k'. Did you mean cl100k_im or cl100k_base? There are: gpt2, ...
    """
    check_string(name, "name")
    loaders = _loaders()
    if name not in loaders:
        close = difflib.get_close_matches(name, loaders, n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"There is no encoding {name!r}.{hint} There are: {', '.join(loaders)}.")
    with _registry:
        lock = _locks.setdefault(name, threading.Lock())
    with lock:
        if name not in _loaded:
            _loaded[name] = loaders[name]()
        return _loaded[name]
