"""Arguments of a wrong type, refused with a sentence that names the argument.

Without these, ``encode(None)`` would end deep inside with "'NoneType' object has no attribute 'encode'".
They cost some tens of nanoseconds, so also what is called for each token can afford them.
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Iterable
from typing import Any


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


def check_whole_number(value: Any, argument: str) -> int:
    """A whole number as Python's int, NumPy's integers included.

    Raises:
        TypeError: anything else: 300.0 and "300" too.

    >>> check_whole_number(300, "vocab_size")
    300
    >>> check_whole_number(300.5, "vocab_size")
    Traceback (most recent call last):
    ...
    TypeError: Give vocab_size as a whole number, not as 300.5.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise wrong_type(argument, "a whole number", value) from None


def check_whole_numbers(values: Any, argument: str) -> list[int]:
    """Whole numbers, as a list.

    Raises:
        TypeError: no iterable, text or bytes, or something in it that is no whole number.

    >>> check_whole_numbers((5, 17), "ids")
    [5, 17]
    """
    numbers = check_list(values, argument, "a list of whole numbers")
    return [check_whole_number(number, f"each of {argument}") for number in numbers]


def check_list(values: Any, argument: str, wanted: str) -> list[Any]:
    """What an iterable holds, as a list; text and bytes are no lists here.

    Raises:
        TypeError: no iterable, or text or bytes.
    """
    if isinstance(values, (str, bytes, bytearray)) or not isinstance(values, Iterable):
        raise wrong_type(argument, wanted, values)
    return list(values)


def check_encoding(value: Any, argument: str) -> None:
    """Refuse what is no encoding: its name, say.

    Raises:
        TypeError: it is none.

    >>> check_encoding("gpt2", "enc")
    Traceback (most recent call last):
    ...
    TypeError: Give enc as an encoding such as get_encoding("gpt2"), not as 'gpt2'.
    """
    if not hasattr(value, "token_bytes") or isinstance(value, type):
        raise wrong_type(argument, 'an encoding such as get_encoding("gpt2")', value)
