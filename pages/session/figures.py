"""Figures of a lesson: formulas over its texts, in a language of a few functions.

    tokens(word, 'gpt2')            how many tokens a text has
    tokens(a, 'gpt2') / tokens(b, 'gpt2')
    count(word, 'r') == 3           a claim

A formula is a Python expression of names, numbers, texts in quotes, + - * / and comparisons, and the
functions below. It is read by Python's parser and worked out by us: nothing else can stand in it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

from tokenizers.bpe import step_through
from tokenizers.encoding import Encoding
from tokenizers.text import TextMap, quote

MAX_FORMULA = 300

Value = float | int | str | bool
Find = Callable[[str], Encoding]

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _tokens(find: Find, text: str, name: str) -> int:
    """How many tokens a text has."""
    return len(find(name).encode(text))


def _special_tokens(find: Find, text: str, name: str) -> int:
    """How many tokens a text has if the special tokens that it spells are tokens."""
    return len(find(name).encode(text, allowed_special="all"))


def _bytes(find: Find, text: str) -> int:
    """Bytes of UTF-8."""
    return TextMap(text).n_bytes


def _characters(find: Find, text: str) -> int:
    """Code points."""
    return TextMap(text).n_chars


def _graphemes(find: Find, text: str) -> int:
    """Signs, as a reader sees them."""
    return TextMap(text).n_graphemes


def _count(find: Find, text: str, part: str) -> int:
    """How often a part stands in a text."""
    return text.count(part)


def _token(find: Find, text: str, name: str, place: int) -> str:
    """What a text's token at this place says, in quotes: 1 is the first, -1 the last."""
    ids = find(name).encode(text)
    return quote(find(name).token_bytes(ids[int(place) - 1 if place > 0 else int(place)]))


def _id(find: Find, text: str, name: str, place: int) -> int:
    """The id of a text's token at this place: 1 is the first, -1 the last."""
    return find(name).encode(text)[int(place) - 1 if place > 0 else int(place)]


def _spelled(find: Find, text: str, name: str) -> str:
    """All tokens of a text, with | between them."""
    encoding = find(name)
    return " | ".join(quote(encoding.token_bytes(token_id)).strip("“”") for token_id in encoding.encode(text))


def _kept(find: Find, text: str, changed: str, name: str) -> int:
    """How many tokens at the beginning and the end of two texts are the same."""
    old, new = find(name).encode(text), find(name).encode(changed)
    least = min(len(old), len(new))
    front = next((at for at in range(least) if old[at] != new[at]), least)
    back = next((at for at in range(least - front) if old[-1 - at] != new[-1 - at]), least - front)
    return front + back


def _losses(find: Find, text: str, name: str) -> int:
    """How many places of a text do not come back."""
    return len(find(name).loses(text))


def _vocabulary(find: Find, name: str) -> int:
    """How many ids an encoding has."""
    return find(name).n_vocab


def _is_alone(find: Find, text: str, name: str) -> bool:
    """Whether a text is one token."""
    return len(find(name).encode(text)) == 1


def _merge(find: Find, text: str, number: int) -> str:
    """What byte pair encoding joins at this step of learning from a text alone: 1 is the first."""
    stepping = step_through(text)
    winner = stepping.states[int(number) - 1].winner
    if winner is None:
        raise ValueError(f"There is no merge {number:g} in that text.")
    return b"".join(stepping.tokens[part] for part in winner).decode("utf-8", "replace")


def _left(find: Find, text: str, number: int) -> int:
    """How many tokens a text has after so many merges learned from itself."""
    return sum(map(len, step_through(text).states[int(number)].pieces))


def _ways(find: Find, text: str, name: str) -> int:
    """In how many ways a text can be cut into pieces of a vocabulary that weighs them."""
    lattice = find(name).lattice(text)
    if lattice is None:
        raise ValueError(f"{name} weighs no ways to cut a text.")
    ways = {0: 1}  # by the place that they reach
    for end in lattice.edges[1:]:
        ways[end] = sum(ways[piece.start] for piece in lattice.ending_at[end] if not piece.is_unknown)
    return ways[lattice.edges[-1]]


FUNCTIONS: dict[str, tuple[Callable[..., Value], int]] = {
    "tokens": (_tokens, 2),
    "special_tokens": (_special_tokens, 2),
    "bytes": (_bytes, 1),
    "characters": (_characters, 1),
    "graphemes": (_graphemes, 1),
    "count": (_count, 2),
    "token": (_token, 3),
    "id": (_id, 3),
    "spelled": (_spelled, 2),
    "kept": (_kept, 3),
    "losses": (_losses, 2),
    "vocabulary": (_vocabulary, 1),
    "is_alone": (_is_alone, 2),
    "merge": (_merge, 2),
    "left": (_left, 2),
    "ways": (_ways, 2),
}
"""The functions of formulas, and how many arguments each takes."""


def check_formula(formula: str, texts: Collection[str], figures: Collection[str], where: str) -> None:
    """Refuse what is no formula, before anything is worked out.

    Args:
        formula: to check.
        texts, figures: the names that may stand in it.
        where: what to call its place in a message.

    Raises:
        ValueError: with a sentence for whoever wrote it.

    >>> check_formula("tokens(word, 'gpt2') + open('x')", ["word"], [], "[figures] cost")
    Traceback (most recent call last):
    ...
    ValueError: [figures] cost: there is no function open. There are: tokens, special_tokens, bytes, ...
    """
    if len(formula) > MAX_FORMULA:
        raise ValueError(f"{where}: a formula has up to {MAX_FORMULA} characters.")
    try:
        tree = ast.parse(formula, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{where}: this is no formula: {formula[:80]!r}.") from None
    _check(tree.body, {*texts, *figures}, where)


def _check(node: ast.expr, names: Collection[str], where: str) -> None:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
        return
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise ValueError(
                f"{where} names {node.id[:40]!r}, which is neither a text nor a figure before it."
            )
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _check(node.operand, names, where)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        _check(node.left, names, where)
        _check(node.right, names, where)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        _check(node.left, names, where)
        _check(node.comparators[0], names, where)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise ValueError(
                f"{where}: there is no function {node.func.id[:40]}. There are: {', '.join(FUNCTIONS)}."
            )
        if len(node.args) != FUNCTIONS[node.func.id][1]:
            raise ValueError(f"{where}: {node.func.id} takes {FUNCTIONS[node.func.id][1]} values.")
        for argument in node.args:
            _check(argument, names, where)
    else:
        raise ValueError(
            f"{where}: a formula has names, numbers, + - * /, one comparison and functions alone."
        )


class Figures:
    """The figures of a lesson, each worked out once, when it is asked for.

    Args:
        texts: by name.
        formulas: by name; each may name the texts, and the figures before it.
        find: gives an encoding by its name.

    >>> from tokenizers import get_encoding
    >>> figures = Figures({"word": "hello world"}, {"n": "tokens(word, 'gpt2')"}, get_encoding)
    >>> figures.value("n * 2"), figures.in_words("n"), figures.value("n == 2")
    (4, '2', True)
    """

    def __init__(self, texts: Mapping[str, str], formulas: Mapping[str, str], find: Find) -> None:
        self._texts, self._formulas, self._find = texts, formulas, find
        self._values: dict[str, Value] = {}

    def value(self, formula: str) -> Value:
        """What a checked formula comes to.

        Raises:
            ValueError, OSError: an encoding is not here, or a value makes no sense in it.
        """
        try:
            return self._work_out(ast.parse(formula, mode="eval").body)
        except (TypeError, ZeroDivisionError, IndexError, OverflowError):
            raise ValueError(f"This formula comes to nothing: {formula}") from None

    def in_words(self, name: str) -> str:
        """A figure as it is written in a sentence: 1,234, 4.9, or a text.

        >>> from tokenizers import get_encoding
        >>> Figures({}, {"third": "10 / 3", "many": "4096 * 8"}, get_encoding).in_words("third")
        '3.3'
        """
        value = self._named(name)
        if isinstance(value, str):
            return value
        return f"{value:,}" if float(value).is_integer() and isinstance(value, int) else f"{value:,.1f}"

    def _named(self, name: str) -> Value:
        if name in self._texts:
            return self._texts[name]
        if name not in self._values:
            self._values[name] = self.value(self._formulas[name])
        return self._values[name]

    def _work_out(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            value: Value = node.value  # type: ignore[assignment]  # of the kinds that were checked
            return value
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.UnaryOp):
            return -self._work_out(node.operand)  # type: ignore[operator]
        if isinstance(node, ast.BinOp):
            result: Value = _OPERATORS[type(node.op)](self._work_out(node.left), self._work_out(node.right))
            return result
        if isinstance(node, ast.Compare):
            left, right = self._work_out(node.left), self._work_out(node.comparators[0])
            return bool(_OPERATORS[type(node.ops[0])](left, right))
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        function, _ = FUNCTIONS[node.func.id]
        return function(self._find, *map(self._work_out, node.args))
