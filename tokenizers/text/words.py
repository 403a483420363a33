"""Words: where each one is in a text, and whether its script shows words at all.

A **word** here is the longest run of letters, marks, digits and underscores that holds a letter or a
digit. An apostrophe (or an invisible joiner) belongs to it if it is between two such characters:
"don't" is one word, "well-known" two, "3.14" two, and "!" none. That is near the word boundaries of Unicode
Standard Annex 29, https://www.unicode.org/reports/tr29/, less its rules for full stops and commas.

Some scripts put no space between words: Thai, Lao, Khmer, Burmese and their neighbours (the line-break class
SA of Unicode Standard Annex 14), Han, Kana, Tibetan, Javanese and a few more. Only a dictionary could find
their words, and two dictionaries would not agree. So their words are not counted, and a text of which more
than ``UNSPACED_LIMIT`` of the letters are of such scripts has no word count: none is better than a wrong
one. Korean has spaces; what is between them counts as a word.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import regex

from ..arrays import U8
from ..cached import cached_property
from ..encoding import Offsets
from .text_map import TextMap

UNSPACED_LIMIT = 0.01
"""If a greater share of a text's letters is in scripts without spaces, its words are not counted."""

_FOREIGN = (
    r"[\p{LB=SA}"
    + "".join(
        rf"\p{{Script={name}}}"
        for name in "Han Hiragana Katakana Bopomofo Tibetan Javanese Balinese Yi Tangut Nushu".split()
    )
    + "ーｰ々〆]"
)

# What a character can be to a word, as bits.
_PART = 1
_CORE = 2
_LETTER = 4
_INNER = 8
_UNSPACED = 16
_CLASSES = {
    _PART: rf"[[\p{{L}}\p{{M}}\p{{N}}\p{{Pc}}]--{_FOREIGN}]",
    _CORE: r"[\p{L}\p{N}]",
    _LETTER: r"\p{L}",
    _INNER: r"['’׳״·\u00ad\u200c\u200d]",
    _UNSPACED: rf"[\p{{L}}&&{_FOREIGN}]",
}

# The rest is not assigned, or for private use: of no class, and three quarters of all code points.
_PLANES_IN_USE = (0, 0x40000), (0xE0000, 0xF0000)


@dataclass(frozen=True)
class Words:
    """The words of a text. Word i covers bytes [starts[i], ends[i]).

    Attributes:
        starts: shape (number of words,), in bytes, rising.
        ends: shape (number of words,), in bytes.
        unspaced: the share of the text's letters in scripts that put no space between words, 0 to 1.
        n_bytes: of the text.
    """

    starts: Offsets
    ends: Offsets
    unspaced: float
    n_bytes: int

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def are_shown(self) -> bool:
        """Whether the writing shows where words begin and end."""
        return self.unspaced <= UNSPACED_LIMIT

    @cached_property
    def edges_before(self) -> Offsets:
        """Shape (n_bytes + 1,): how many words began and ended before this byte. Odd: it is inside a word.

        >>> find_words("a cat").edges_before.tolist()
        [0, 2, 2, 3, 3, 4]
        """
        edges = np.zeros(self.n_bytes + 1, np.uint8)
        edges[self.starts + 1] += 1
        edges[self.ends] += 1
        return np.cumsum(edges, dtype=np.int32)


@functools.cache
def _class_table() -> U8:
    """What each character can be to a word, as bits, indexed by code point."""
    table = np.zeros(0x110000, np.uint8)
    for first, end in _PLANES_IN_USE:
        characters = "".join(map(chr, range(first, end)))
        for bit, pattern in _CLASSES.items():
            for match in regex.finditer(pattern + "+", characters, regex.V1):
                table[first + match.start() : first + match.end()] |= bit
    return table


def find_words(text: str | TextMap) -> Words:
    """Where each word of a text is; see the module for what a word is.

    >>> text = "Don't stop: naïve 3.14!"
    >>> words = find_words(text)
    >>> [text.encode()[a:b].decode() for a, b in zip(words.starts, words.ends)]
    ["Don't", 'stop', 'naïve', '3', '14']
    >>> len(find_words("東京は夜の七時")), find_words("東京は夜の七時").are_shown
    (0, False)
    """
    text_map = text if isinstance(text, TextMap) else TextMap(text)
    table = _class_table()
    if text_map.is_ascii:
        kinds = np.frombuffer(text_map.data.translate(table[:256].tobytes()), np.uint8)
    else:
        kinds = table[np.frombuffer(text_map.text.encode("utf-32-le"), np.uint32)]
    n_letters = int(np.count_nonzero(kinds & _LETTER))
    n_unspaced = int(np.count_nonzero(kinds & _UNSPACED))
    edges = _find_edges(kinds)
    places = edges if text_map.is_ascii else text_map.byte_of_char[edges]
    starts, ends = places.astype(np.int32).T
    return Words(starts, ends, n_unspaced / n_letters if n_letters else 0.0, text_map.n_bytes)


def _find_edges(kinds: U8) -> Offsets:
    """Where each word begins and where it ends, in characters, shape (number of words, 2)."""
    # Room on either side, so that every word has an edge before and after it.
    inside = np.zeros(len(kinds) + 2, bool)
    inside[1:-1] = kinds & _PART
    inner = np.flatnonzero((kinds & _INNER) > 0) + 1
    inside[inner[inside[inner - 1] & inside[inner + 1]]] = True
    edges: Offsets = np.flatnonzero(inside[1:] != inside[:-1]).reshape(-1, 2)
    # Marks and underscores alone are not a word: a run needs a letter or a digit.
    is_core = np.append((kinds & _CORE) > 0, False)
    is_word = is_core[edges[:, 0]]
    is_word[~is_word] = np.logical_or.reduceat(is_core, edges[~is_word].ravel())[::2]
    return edges.compress(is_word, axis=0)
