"""Every encoding by its name: loaded on first use, once, shared by all who ask."""

from __future__ import annotations

import difflib
import functools
import threading

from .bundled import BUNDLED, Entry, load_model
from .data.corpus import LANGUAGE
from .data.models import list_models, read_recipe
from .encoding import Encoding
from .shipped import SHIPPED_FILE_ERRORS

_HOME_TRAINED = "home-trained"
_NO_HUE = 1  # for a model whose recipe cannot be read: nothing of it is drawn

GROUPS = (
    "tiktoken",
    _HOME_TRAINED,
    "byte pairs",
    "SentencePiece",
    "WordPiece",
    "longest match",
    "other families",
)
"""The groups of entries in the order of choosers; those that are not here come after them."""

_loaded: dict[str, Encoding] = {}
_locks: dict[str, threading.Lock] = {}
_registry = threading.Lock()


def _fail(problem: Exception) -> Encoding:
    raise problem.with_traceback(None)


@functools.cache
def _entries() -> dict[str, Entry]:
    """By name, in the order of ``GROUPS``; within a group, as its modules list them."""
    entries = dict(BUNDLED)
    for name in list_models():
        try:
            recipe = read_recipe(name)
        except SHIPPED_FILE_ERRORS as problem:  # it is in the choosers, and its panel says what is wrong
            entries[name] = Entry(functools.partial(_fail, problem), str(problem), _NO_HUE, _HOME_TRAINED)
            continue
        load = functools.partial(load_model, name)
        sources = [LANGUAGE + code for code in recipe.languages]
        entries[name] = Entry(load, recipe.description, recipe.hue, _HOME_TRAINED, sources.copy)
    place = {group: number for number, group in enumerate(GROUPS)}
    in_order = sorted(entries, key=lambda name: place.get(entries[name].group, len(GROUPS)))
    return {name: entries[name] for name in in_order}


def find_entry(name: str) -> Entry | None:
    """What is known of the encoding of this name before it is loaded; None: none here has this name.

    >>> entry = find_entry("bytes")
    >>> entry.group, entry.about
    ('other families', 'Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.')
    """
    return _entries().get(name)


def list_encodings() -> list[str]:
    """The names that ``get_encoding`` knows, in groups: tiktoken's, those grown here, other byte pairs, ….

    >>> list_encodings()[:3]
    ['gpt2', 'r50k_base', 'p50k_base']
    """
    return list(_entries())


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
    ValueError: There is no encoding 'cl100k'. Did you mean cl100k_im or cl100k_base? There are: gpt2, ...
    """
    entries = _entries()
    if name not in entries:
        close = difflib.get_close_matches(name, entries, n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"There is no encoding {name!r}.{hint} There are: {', '.join(entries)}.")
    with _registry:
        lock = _locks.setdefault(name, threading.Lock())
    with lock:
        if name not in _loaded:
            _loaded[name] = entries[name].load()
        return _loaded[name]


def is_loaded(name: str) -> bool:
    """Whether ``get_encoding`` gives this encoding at once.

    >>> get_encoding("bytes").name, is_loaded("bytes"), is_loaded("no such one")
    ('bytes', True, False)
    """
    return name in _loaded
