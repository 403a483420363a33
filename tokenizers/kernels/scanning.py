"""Splitting at the speed of reading: the named patterns as small state machines.

A regular expression engine tries the alternatives of a pattern one after the other at each place. The
named patterns need no trying: the class of a character (a letter, a number, white space, ...) says
which alternative can match there, and each alternative is a run of characters of some classes. So
a scanner is: look at one character, then skip over runs.

    text     I t ' s     1 2 3 4 5 \\n
    classes  U L o L   s N N N N N n      UPPER LOWER other SPACE NUMBER NEWLINE
    pieces   --- === - ----- === -        gpt4: It 's _ 123 45 \\n

``regex`` remains the judge: it is asked for the class of every character there is, so both follow the
same version of Unicode, and the tests hold the pieces equal.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import regex
import tiktoken

from ..arrays import I64, Bytes
from ..split.patterns import KNOWN
from . import kernel

# Every character is of exactly one class; a set of classes is a sum.
UPPER = 1  # Lu, Lt
LOWER = 2  # Ll
CASELESS = 4  # Lm, Lo: o200k_base takes them for upper and for lower
MARK = 8
NUMBER = 16
SPACE = 32  # white space but for \r and \n
NEWLINE = 64  # \r, \n
OTHER = 128

LETTER = UPPER | LOWER | CASELESS
WHITE = SPACE | NEWLINE
UPPERISH = UPPER | CASELESS | MARK
LOWERISH = LOWER | CASELESS | MARK
SYMBOL = OTHER | MARK  # [^\s\p{L}\p{N}]

CLASSES = {  # most characters come first
    OTHER: r"[^\p{L}\p{M}\p{N}\s]",
    CASELESS: r"[\p{Lm}\p{Lo}]",
    LOWER: r"\p{Ll}",
    UPPER: r"[\p{Lu}\p{Lt}]",
    MARK: r"\p{M}",
    NUMBER: r"\p{N}",
    SPACE: r"[^\S\r\n]",
    NEWLINE: r"[\r\n]",
}

APOSTROPHE = 0x27
BLANK = 0x20
SLASH = 0x2F

EACH = 0x0101010101010101  # times a byte: this byte, eight times

SCANNERS: dict[str, int] = {pattern.name: pattern.scanner for pattern in KNOWN if pattern.scanner is not None}
"""The patterns that have a scanner, by the number that ``scan`` knows them by."""


CODES = np.r_[:0xD800, 0xE000:0x40000, 0xE0000:0xF0000]
"""The characters of the planes in use. All others are of class ``OTHER``."""


@functools.cache
def engine_classes() -> Bytes:
    """The class of every character, as tiktoken's engine knows them.

    It may follow another version of Unicode than ``regex``. Of a text, the engine encodes what a pattern
    matches, and drops the rest. First it finds the few characters that are not in the class of ``regex``,
    then the class of each of these.
    """
    classes, assigned = character_classes().copy(), character_classes()[CODES]
    others = {f"[^{pattern}]": CODES[assigned == number] for number, pattern in CLASSES.items()}
    wrong = "".join(_matches(pattern, _text(codes)) for pattern, codes in others.items())
    for number, pattern in CLASSES.items():
        classes[list(map(ord, _matches(pattern, wrong)))] = number
    return classes


def _matches(pattern: str, text: str) -> str:
    """What tiktoken's engine keeps of a text."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    engine = tiktoken.Encoding("", pat_str=f"{pattern}+", mergeable_ranks=ranks, special_tokens={})
    return engine.decode(engine.encode_ordinary(text))


def _text(codes: I64) -> str:
    """The characters of these codes."""
    return codes.astype("<u4").tobytes().decode("utf-32-le")


@functools.cache
def character_classes() -> Bytes:
    """The class of every character, shape (0x110000,), as ``regex`` knows them.

    >>> [int(character_classes()[ord(character)]) for character in "Aaあ\u03017 \\n!"]
    [1, 2, 4, 8, 16, 32, 64, 128]
    """
    classes = np.full(0x110000, OTHER, dtype=np.uint8)
    for kind, pattern in CLASSES.items():
        for run in regex.finditer(f"{pattern}+", _text(CODES)):
            classes[CODES[run.start() : run.end()]] = kind
    return classes


@kernel
def scan(data: Bytes, text_ends: I64, start: int, scanner: int, classes: Bytes, ends: I64) -> int:
    """Cut texts into pieces, and write where each piece ends; stop when ``ends`` is full.

    Args:
        data: the texts in UTF-8, one after the other.
        text_ends: where each text ends; no piece reaches over the end of its text.
        start: where to begin: at 0 or at the end of a piece.
        scanner: the pattern, as a number from ``SCANNERS``.
        classes: of each character.
        ends: what is written.

    Returns:
        How many pieces were cut.
    """
    n_pieces = 0
    text = np.searchsorted(text_ends, start, side="right")
    while text < len(text_ends):
        stop = text_ends[text]
        while start < stop:
            if n_pieces == len(ends):
                return n_pieces
            if scanner == 0:
                start = end_of_gpt2_piece(data, start, stop, classes)
            elif scanner == 1:
                start = end_of_gpt4_piece(data, start, stop, classes, LETTER, 3)
            elif scanner == 2:
                start = end_of_gpt4o_piece(data, start, stop, classes, 3)
            elif scanner == 3:  # qwen
                start = end_of_gpt4_piece(data, start, stop, classes, LETTER, 1)
            elif scanner == 4:  # qwen3.5
                start = end_of_gpt4_piece(data, start, stop, classes, LETTER | MARK, 1)
            else:  # tekken
                start = end_of_gpt4o_piece(data, start, stop, classes, 1)
            ends[n_pieces] = start
            n_pieces += 1
        text += 1
    return n_pieces


@kernel
def end_of_gpt2_piece(data: Bytes, start: int, stop: int, classes: Bytes) -> int:
    """Where the piece that begins at ``start`` ends, by GPT-2's pattern."""
    end = end_of_contraction(data, start, stop, 0)
    if end > start:
        return end
    body = start + 1 if data[start] == BLANK else start
    if body < stop:
        kind, width = class_at(data, body, classes)
        for kinds in (LETTER, NUMBER, SYMBOL):
            if kind & kinds:
                return skip(data, body + width, stop, kinds, classes)
    return end_of_white_space(data, start, stop, 0, classes)


@kernel
def end_of_gpt4_piece(
    data: Bytes, start: int, stop: int, classes: Bytes, letters: int, most_digits: int
) -> int:
    """Where the piece that begins at ``start`` ends, by cl100k_base's pattern or one of Qwen's.

    Args:
        letters: the classes of which words are.
        most_digits: of a piece.
    """
    end = end_of_contraction(data, start, stop, 1)
    if end > start:
        return end
    kind, width = class_at(data, start, classes)
    if kind & (LETTER | SPACE | SYMBOL):  # a letter, or what may come before a word
        end = skip(data, start + width, stop, letters, classes)
        if kind & letters or end > start + width:
            return end
    if kind & NUMBER:
        return end_of_numbers(data, start, stop, classes, most_digits)
    body = start + 1 if data[start] == BLANK else start
    end = skip(data, body, stop, SYMBOL & ~letters, classes)
    if end > body:
        return skip(data, end, stop, NEWLINE, classes)
    return end_of_white_space(data, start, stop, NEWLINE, classes)


@kernel
def end_of_gpt4o_piece(data: Bytes, start: int, stop: int, classes: Bytes, most_digits: int) -> int:
    """Where the piece that begins at ``start`` ends, by o200k_base's pattern or tekken's."""
    kind, width = class_at(data, start, classes)
    # A mark belongs to a word itself. The other characters here may come before one.
    body = start + width if kind & (SPACE | OTHER) else start
    end = end_of_cased_word(data, body, stop, classes)
    if end > body:  # tekken has no contractions
        return end if most_digits == 1 else end_of_contraction(data, end, stop, 1)
    if kind & NUMBER:
        return end_of_numbers(data, start, stop, classes, most_digits)
    body = start + 1 if data[start] == BLANK else start
    end = skip(data, body, stop, SYMBOL, classes)
    if end > body:
        while end < stop and (data[end] == SLASH or classes[data[end]] == NEWLINE):
            end += 1
        return end
    return end_of_white_space(data, start, stop, NEWLINE, classes)


@kernel
def end_of_cased_word(data: Bytes, start: int, stop: int, classes: Bytes) -> int:
    """Where upper*lower+ ends, or else upper+lower*; ``start`` if neither matches.

    Caseless letters and marks count for both. If no lower one follows the upper ones, upper* has to
    give back, up to the last one that could pass for lower.
    """
    if start < stop and ord("a") <= data[start] <= ord("z"):  # most words: nothing to give back
        return skip(data, start + 1, stop, LOWERISH, classes)
    upper_end = last_lowerish_end = start
    while upper_end < stop:
        kind, width = class_at(data, upper_end, classes)
        if not kind & UPPERISH:
            break
        upper_end += width
        if kind & LOWERISH:
            last_lowerish_end = upper_end
    end = skip(data, upper_end, stop, LOWERISH, classes)
    if end > upper_end:
        return end
    return last_lowerish_end if last_lowerish_end > start else upper_end


@kernel
def end_of_contraction(data: Bytes, start: int, stop: int, any_case: int) -> int:
    """Where 's, 't, 'm, 'd, 'll, 've or 're ends; ``start`` if there is none."""
    if start + 1 >= stop or data[start] != APOSTROPHE:
        return start
    fold = 0x20 if any_case else 0  # the bit in which upper and lower case differ
    first = data[start + 1] | fold
    if first == ord("s") or first == ord("t") or first == ord("m") or first == ord("d"):
        return start + 2
    if start + 2 >= stop:
        return start
    if any_case and data[start + 1] == 0xC5 and data[start + 2] == 0xBF:  # the long s, which is an s too
        return start + 3
    second = data[start + 2] | fold
    if first == ord("l") and second == ord("l"):
        return start + 3
    if (first == ord("v") or first == ord("r")) and second == ord("e"):
        return start + 3
    return start


@kernel
def end_of_numbers(data: Bytes, start: int, stop: int, classes: Bytes, most: int) -> int:
    """Where one to so many numbers end."""
    for _ in range(most):
        if start < stop:
            kind, width = class_at(data, start, classes)
            if kind & NUMBER:
                start += width
            else:
                break
    return start


@kernel
def end_of_white_space(data: Bytes, start: int, stop: int, newlines: int, classes: Bytes) -> int:
    r"""Where ``\s*[\r\n]+|\s+(?!\S)|\s+`` ends; with ``newlines`` 0, where ``\s+(?!\S)|\s+`` does.

    That is after the last newline of the run. If it has none: at the end of the text; or before its
    last character, which goes with the word that follows; or, if that is its only one, after it.
    """
    end = last = after_newline = start
    while end < stop:
        kind, width = class_at(data, end, classes)
        if not kind & WHITE:
            break
        last = end
        end += width
        if kind & newlines:
            after_newline = end
    if after_newline > start:
        return after_newline
    return end if end == stop or last == start else last


@kernel
def skip(data: Bytes, i: int, stop: int, kinds: int, classes: Bytes) -> int:
    """The first place from ``i`` on where there is a character of another kind, or ``stop``."""
    while i < stop:
        if kinds & LOWER and i + 8 <= stop:  # most of them are ASCII letters: eight at a time
            i += count_letters(data, i, 0x20 if kinds & UPPER else 0)
            if i == stop:
                break
        kind, width = class_at(data, i, classes)
        if not kind & kinds:
            break
        i += width
    return i


@kernel
def count_letters(data: Bytes, i: int, fold: int) -> Any:
    """How many of the eight bytes from ``i`` on are ASCII letters, up to the first that is none.

    Without a branch or a loop: in the numbers here, bit 7 of each byte tells of that byte.

    Args:
        fold: 0x20, the bit in which upper and lower case differ; or 0, and upper case letters are none.
    """
    bytes_ = word_at(data, i) | fold * EACH
    letters = (bytes_ + (0x80 - ord("a")) * EACH) & ~(bytes_ + (0x7F - ord("z")) * EACH)
    others = (~letters | bytes_) & ~(0x7F * EACH)
    before = ~others & (others - 1)  # all bits before the first of the others
    return (before >> 7 & EACH) * EACH >> 56


@kernel
def word_at(data: Bytes, i: int) -> Any:
    """The eight bytes from ``i`` on as a number. One instruction does it: there is no loop in a key."""
    place, word = np.uint64(i), np.uint64(0)
    for k in range(8):
        word |= np.uint64(data[place + np.uint64(k)]) << np.uint64(8 * k)
    return np.int64(word)


@kernel
def class_at(data: Bytes, i: int, classes: Bytes) -> tuple[Any, int]:
    """The class of the character at ``i``, and how many bytes it has."""
    byte = np.int64(data[i])
    if byte < 0x80:
        return classes[byte], 1
    second = data[i + 1] & 0x3F
    if byte < 0xE0:
        return classes[(byte & 0x1F) << 6 | second], 2
    third = data[i + 2] & 0x3F
    if byte < 0xF0:
        return classes[(byte & 0x0F) << 12 | second << 6 | third], 3
    return classes[(byte & 0x07) << 18 | second << 12 | third << 6 | data[i + 3] & 0x3F], 4
