"""Arguments of a wrong type, refused with a sentence that names the argument.

Without these, ``encode(None)`` would end deep inside with "'NoneType' object has no attribute 'encode'".
They cost some tens of nanoseconds, which even a function called for each token can afford.
"""

from __future__ import annotations

import operator
import os
import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def wrong_type(argument: str, wanted: str, value: object) -> TypeError:
    """The error for an argument of a wrong type.

    >>> wrong_type("text", "a string", None)
    TypeError('Give text as a string, not as None.')
    """
    return TypeError(f"Give {argument} as {wanted}, not as {reprlib.repr(value)}.")


def check_string(value: Any, argument: str) -> str:
    """A string, as it is.

    Raises:
        TypeError: anything else.

    >>> check_string("the cat", "text")
    'the cat'
    """
    if not isinstance(value, str):
        raise wrong_type(argument, "a string", value)
    return value


def check_bytes(value: Any, argument: str) -> bytes:
    """Bytes, as they are, or those of a ``bytearray``.

    Raises:
        TypeError: anything else.

    >>> check_bytes(bytearray(b"hi"), "data")
    b'hi'
    """
    if not isinstance(value, (bytes, bytearray)):
        raise wrong_type(argument, "bytes", value)
    return bytes(value)


def check_whole_number(value: Any, argument: str) -> int:
    """A whole number as Python's int, NumPy's integers included.

    Raises:
        TypeError: anything else: 300.0, "300" and True too.

    >>> check_whole_number(300, "vocab_size")
    300
    >>> check_whole_number(300.5, "vocab_size")
    Traceback (most recent call last):
    ...
    TypeError: Give vocab_size as a whole number, not as 300.5.
    """
    if isinstance(value, bool):  # Python takes True for 1, but nobody means token 1 by it
        raise wrong_type(argument, "a whole number", value)
    try:
        return operator.index(value)
    except TypeError:
        raise wrong_type(argument, "a whole number", value) from None


def check_whole_numbers(values: Any, argument: str) -> list[int]:
    """Whole numbers, as a list.

    Raises:
        TypeError: not an iterable, or text or bytes, or something in it that is not a whole number.

    >>> check_whole_numbers((5, 17), "ids")
    [5, 17]
    """
    numbers = check_list(values, argument, "a list of whole numbers")
    return [check_whole_number(number, f"each of {argument}") for number in numbers]


def check_list(values: Any, argument: str, wanted: str) -> list[Any]:
    """What an iterable holds, as a list; text and bytes do not count as lists.

    Raises:
        TypeError: no iterable, or text or bytes.
    """
    if isinstance(values, (str, bytes, bytearray)) or not isinstance(values, Iterable):
        raise wrong_type(argument, wanted, values)
    return list(values)


def check_pairs(values: list[Any], argument: str) -> list[tuple[int, int]]:
    """Pairs of whole numbers, as tuples.

    Raises:
        TypeError: something that is no such pair.

    >>> check_pairs([(104, 105), [256, 33]], "merges")
    [(104, 105), (256, 33)]
    """
    pairs = []
    for pair in values:
        try:
            left, right = pair
            # A tuple of plain integers stays the same object: there may be hundreds of thousands of them.
            is_plain = type(pair) is tuple and type(left) is int and type(right) is int
            pairs.append(pair if is_plain else (operator.index(left), operator.index(right)))
        except (TypeError, ValueError):
            raise wrong_type(f"each of {argument}", "a pair of whole numbers", pair) from None
    return pairs


def check_numbers(values: Any, argument: str) -> npt.NDArray[np.int64]:
    """Whole numbers, as an array; an array stays as it is.

    Raises:
        TypeError: something else.

    >>> check_numbers([300, 400], "sizes").tolist()
    [300, 400]
    """
    if not isinstance(values, np.ndarray):
        numbers = check_whole_numbers(values, argument)
        try:
            values = np.array(numbers, dtype=np.int64)
        except OverflowError:
            too_large = next(number for number in numbers if not -(1 << 63) <= number < 1 << 63)
            raise wrong_type(argument, "whole numbers of up to 63 bits", too_large) from None
    if not np.issubdtype(values.dtype, np.integer):
        raise wrong_type(argument, "whole numbers", values.tolist())
    checked: npt.NDArray[np.int64] = values
    return checked


def check_path(value: Any) -> str | os.PathLike[str]:
    """The path of a file: a string or a ``pathlib.Path``.

    Raises:
        TypeError: anything else.
    """
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type("path", "a string or a Path", value)
    return value


def check_callable(value: Any, argument: str) -> None:
    """Refuse what is neither a function nor None.

    Raises:
        TypeError: it is something else.
    """
    if value is not None and not callable(value):
        raise wrong_type(argument, "a function, or leave it out", value)


def check_encoding(value: Any, argument: str) -> None:
    """Refuse anything but an encoding, such as the name of one.

    Raises:
        TypeError: it is none.

    >>> check_encoding("gpt2", "enc")
    Traceback (most recent call last):
    ...
    TypeError: Give enc as an encoding such as get_encoding("gpt2"), not as 'gpt2'.
    """
    if not hasattr(value, "name") or isinstance(value, type):
        raise wrong_type(argument, 'an encoding such as get_encoding("gpt2")', value)
