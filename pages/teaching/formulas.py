"""Evaluates the formulas of a lesson: small expressions over its texts, such as ``tokens(word, 'gpt2') / 2``.

A formula has names, numbers, texts in quotes, + - * /, one comparison, and the functions below
(assets/lessons/README.md describes them). Python parses it. This module evaluates only these kinds of nodes,
and limits every value. So an untrusted lesson can neither run code nor cause much work.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

from pages.teaching.drawn_tokens import graphemes_of
from tokenizers.bpe import Stepping, step_through
from tokenizers.encoding import Encoding
from tokenizers.families import Lattice, lattice_of
from tokenizers.measure import continued, count_ways, followed, follower, n_followed, why_no_ways
from tokenizers.text import TextMap, common_prefix, common_suffix, encode_spans, isolate, quote

MAX_FORMULA = 300
MAX_NUMBER = 1e15
"""Integers up to this are exact as floats."""
MAX_VALUE_BYTES = 8_000
"""The most bytes of a text that is a value."""
MAX_LEARNED_TEXT = 300
"""The most characters of a text to train byte pair encoding on, step by step."""

Value = float | int | str | bool
Find = Callable[[str], Encoding]
"""Returns an encoding by its name; raises a ValueError if there is none."""

Formula = Callable[[Mapping[str, Value], Find], Value]
"""A checked formula: computes its value from those of the texts and formulas that it uses."""


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, str) or isinstance(right, str):  # a text times a number would repeat the text
        raise TypeError
    return left * right


_OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.USub: operator.neg,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _id(text: str, encoding: Encoding, place: float) -> int:
    ids = encoding.encode(text)
    if not 1 <= abs(place) <= len(ids):
        raise ValueError(f"There is no token {place:g} in {quote(text[:40].encode())}, of {len(ids)} tokens.")
    return ids[int(place) - 1 if place > 0 else int(place)]


def _spelled(text: str, encoding: Encoding) -> str:
    tokens = (quote(encoding.token_bytes(each)).strip("“\u2068\u2069”") for each in encoding.encode(text))
    return isolate(" | ".join(tokens))


def _count_unchanged(text: str, changed: str, encoding: Encoding) -> int:
    old = encoding.encode(text)
    new = encoding.encode(changed)
    front = common_prefix(old, new)
    return front + common_suffix(old, new, min(len(old), len(new)) - front)


def _halves(text: str, encoding: Encoding) -> int:
    return sum("\ufffd" in encoding.decode([each]) for each in encoding.encode(text.replace("\ufffd", "?")))


def _never_used(encoding: Encoding) -> int:
    return sum(encoding.token_id(bytes([byte])) is not None for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))


def _reversed(text: str) -> str:
    return "".join(reversed(graphemes_of(text)))


@functools.lru_cache(maxsize=4)
def _learn(text: str) -> Stepping:
    """Train byte pair encoding on a text alone. Cached, since a lesson uses the same one several times."""
    if len(text) > MAX_LEARNED_TEXT:
        raise ValueError(
            f"A text to learn from has up to {MAX_LEARNED_TEXT} characters: this has {len(text):,}."
        )
    return step_through(text)


def _merge(text: str, step: float) -> str:
    stepping = _learn(text)
    winner = stepping.states[int(step) - 1].winner if 1 <= step <= len(stepping.states) else None
    if winner is None:
        raise ValueError(f"There is no merge {step:g} in that text.")
    return b"".join(stepping.tokens[part] for part in winner).decode("utf-8", "replace")


def _how_often(text: str, step: float) -> int:
    _merge(text, step)
    return _learn(text).states[int(step) - 1].pairs[0][1]


def learned(text: str, steps: float) -> list[bytes]:
    """The tokens of a text after so many merges of a byte pair encoding that learns from it alone.

    Raises:
        ValueError: the text is too long, or has no such merge.

    >>> learned("aaabdaaabac", 1)
    [b'aa', b'a', b'b', b'd', b'aa', b'a', b'b', b'a', b'c']
    """
    stepping = _learn(text)
    if not 0 <= steps < len(stepping.states):
        raise ValueError(f"There are {len(stepping.states) - 1} merges in that text, and not {steps:g}.")
    return [stepping.tokens[token] for piece in stepping.states[int(steps)].pieces for token in piece]


def weigh(text: str, encoding: Encoding) -> Lattice:
    """All ways in which a Unigram could cut a text.

    Raises:
        ValueError: the text is too long, or the encoding is no Unigram.
    """
    lattice = lattice_of(encoding, text)
    if lattice is None:
        raise ValueError(f"{encoding.name} weighs no ways to cut a text.")
    return lattice


def _ways(text: str, encoding: Encoding) -> int:
    """In how many ways the tokens of a Unigram or of a byte pair encoding make up a text."""
    if not why_no_ways(encoding):
        return sum(count_ways(encoding, text).values())
    return weigh(text, encoding).count_paths(lambda piece: not piece.is_unknown)


def _count_pieces(text: str, encoding: Encoding) -> int:
    """The pieces before any merge; a text without walls is one."""
    return len(encoding.splitting.pieces(text)) if encoding.splitting is not None else 1


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "tokens": lambda text, encoding: len(encoding.encode(text)),
    "special_tokens": lambda text, encoding: len(encoding.encode(text, allowed_special="all")),
    "token": lambda text, encoding, place: quote(encoding.token_bytes(_id(text, encoding, place))),
    "id": _id,
    "spelled": _spelled,
    "beginning": lambda text, encoding, number: encoding.decode(encoding.encode(text)[: max(0, int(number))]),
    "halves": _halves,
    "kept": _count_unchanged,
    "losses": lambda text, encoding: len(encode_spans(encoding, text).losses),
    "is_alone": lambda text, encoding: len(encoding.encode(text)) == 1,
    "is_listed": lambda text, encoding: encoding.token_id(text.encode()) is not None,
    "vocabulary": lambda encoding: encoding.n_vocab,
    "listed": lambda encoding: encoding.n_tokens,
    "never_used": _never_used,
    "bytes": lambda text: len(text.encode()),
    "characters": lambda text: len(text),
    "graphemes": lambda text: TextMap(text).n_graphemes,
    "count": lambda text, part: text.count(part),
    "reversed": _reversed,
    "quoted": lambda text: quote(text.encode()),
    "plain": lambda number: f"{number:g}" if number % 1 else str(int(number)),
    "merge": _merge,
    "how_often": _how_often,
    "left": lambda text, steps: len(learned(text, steps)),
    "ways": _ways,
    "pieces": _count_pieces,
    "follower": follower,
    "followed": followed,
    "n_followed": n_followed,
    "continued": continued,
}
"""The functions of formulas. A parameter's name tells its type: an encoding, a text, or else a number."""

_TEXTS = ("text", "changed", "part")
PARAMETERS = {name: tuple(inspect.signature(function).parameters) for name, function in FUNCTIONS.items()}


def check_formula(formula: str, names: Collection[str], where: str) -> Formula:
    """Refuse an invalid formula, before any evaluation; returns a function that evaluates it.

    Args:
        formula: the formula.
        names: the texts and formulas that it may use.
        where: its place in the lesson, for a message.

    Raises:
        ValueError: with a sentence for the lesson's author.

    >>> check_formula("tokens(word, 'gpt2') + open('x')", ["word"], "[figures] cost")
    Traceback (most recent call last):
    ...
    ValueError: [figures] cost: there is no function open. There are: tokens, special_tokens, token, ...
    """
    if len(formula) > MAX_FORMULA:
        raise ValueError(f"{where}: a formula has up to {MAX_FORMULA} characters.")
    try:
        node = ast.parse(formula, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{where}: this is no formula: {formula[:80]!r}.") from None
    return _compile(node, names, where)


def _compile(node: ast.expr, names: Collection[str], where: str) -> Formula:
    operate: Callable[..., Any]
    operands: list[ast.expr]
    match node:
        case ast.Constant(value=value) if type(value) in (int, float, str):
            return lambda values, find: _checked(value, node)
        case ast.Name(id=name) if name in names:
            return lambda values, find: values[name]
        case ast.Name(id=name):
            raise ValueError(f"{where} names {name[:40]!r}, which is neither a text nor a figure before it.")
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATIONS:
            operate = _OPERATIONS[type(op)]
            operands = [operand]
        case (
            ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right])
        ) if type(op) in _OPERATIONS:
            operate = _OPERATIONS[type(op)]
            operands = [left, right]
        case ast.Call(func=ast.Name(id=name), args=operands, keywords=[]) if name in FUNCTIONS:
            if len(operands) != len(PARAMETERS[name]):
                raise ValueError(f"{where}: {name} takes {', '.join(PARAMETERS[name])}.")
            parts = [_compile(operand, names, where) for operand in operands]
            return lambda values, find: _checked(
                _call(name, [part(values, find) for part in parts], find), node
            )
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            raise ValueError(f"{where}: there is no function {name[:40]}. There are: {', '.join(FUNCTIONS)}.")
        case _:
            raise ValueError(
                f"{where}: a formula has names, numbers, + - * /, one comparison and functions alone."
            )
    compiled = [_compile(operand, names, where) for operand in operands]
    return lambda values, find: _checked(operate(*(part(values, find) for part in compiled)), node)


def _checked(value: Any, node: ast.expr) -> Value:
    """The value of a part of a formula, within the limits."""
    if isinstance(value, str):
        is_small = len(value.encode()) <= MAX_VALUE_BYTES
    else:
        is_small = math.isfinite(value) and abs(value) <= MAX_NUMBER
    if not is_small:
        raise ValueError(f"{ast.unparse(node)[:80]}: this comes to more than a formula may come to.")
    result: Value = value
    return result


def _call(name: str, arguments: list[Any], find: Find) -> Value:
    given = []
    for parameter, argument in zip(PARAMETERS[name], arguments, strict=True):
        if isinstance(argument, str) != (parameter == "encoding" or parameter in _TEXTS):
            raise ValueError(f"{name} takes {', '.join(PARAMETERS[name])}, and not {argument!r:.40}.")
        given.append(find(argument) if parameter == "encoding" else argument)
    return FUNCTIONS[name](*given)


def evaluate(formula: str, values: Mapping[str, Value], find: Find) -> Value:
    """Evaluate a formula.

    Args:
        formula: the formula.
        values: the values of the texts and formulas that it uses.
        find: returns an encoding by its name.

    Raises:
        ValueError, OSError: an encoding cannot be loaded, or the formula has no value within the limits.

    >>> from tokenizers import get_encoding
    >>> evaluate("tokens(word, 'gpt2') * 2", {"word": "hello world"}, get_encoding)
    4
    """
    try:
        return check_formula(formula, values, "The lesson")(values, find)
    except (TypeError, ZeroDivisionError, OverflowError, UnicodeEncodeError):
        raise ValueError(f"This formula has no value: {formula}.") from None
