"""Figures of a lesson: the values of formulas over its texts, in a language of a few functions.

    tokens(word, 'gpt2')            how many tokens a text has
    tokens(a, 'gpt2') / tokens(b, 'gpt2')
    count(word, 'r') == 3           a claim

A formula is a Python expression of names, numbers, texts in quotes, + - * / and comparisons, and the
functions below. It is read by Python's parser and worked out by us: it can contain nothing else.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

from tokenizers.bpe import Stepping, step_through
from tokenizers.encoding import Encoding
from tokenizers.measure import count_tokens
from tokenizers.text import TextMap, common_prefix, common_suffix, quote

MAX_FORMULA = 300
MAX_DEPTH = 20
"""How deeply calls and operators may be nested."""
MAX_NUMBER = 1e15
"""Whole numbers up to this are exact, even as floats."""
MAX_VALUE_TEXT = 8_000
"""Characters of a text that is a formula's value."""
MAX_LEARNED_TEXT = 300
"""Characters of a text that byte pair encoding learns from, step by step."""

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
    """Graphemes, as a reader sees them."""
    return TextMap(text).n_graphemes


def _count(find: Find, text: str, part: str) -> int:
    """How often a part occurs in a text."""
    return text.count(part)


def _token(find: Find, text: str, name: str, place: int) -> str:
    """What a text's token at this place says, in quotes: 1 is the first, -1 the last."""
    return quote(find(name).token_bytes(_id(find, text, name, place)))


def _id(find: Find, text: str, name: str, place: int) -> int:
    """The id of a text's token at this place: 1 is the first, -1 the last."""
    ids = find(name).encode(text)
    if not 1 <= abs(place) <= len(ids):
        raise ValueError(f"There is no token {place:g} in {quote(text[:40].encode())}, of {len(ids)} tokens.")
    return ids[int(place) - 1 if place > 0 else int(place)]


def _spelled(find: Find, text: str, name: str) -> str:
    """All tokens of a text, with | between them."""
    encoding = find(name)
    return " | ".join(quote(encoding.token_bytes(token_id)).strip("“”") for token_id in encoding.encode(text))


def _kept(find: Find, text: str, changed: str, name: str) -> int:
    """How many tokens at the beginning and the end of two texts are the same."""
    old, new = find(name).encode(text), find(name).encode(changed)
    front = common_prefix(old, new)
    return front + common_suffix(old, new, min(len(old), len(new)) - front)


def _losses(find: Find, text: str, name: str) -> int:
    """How many places of a text do not come back."""
    return len(find(name).loses(text))


def _vocabulary(find: Find, name: str) -> int:
    """How many ids an encoding has."""
    return find(name).n_vocab


def _is_alone(find: Find, text: str, name: str) -> bool:
    """Whether a text is one token."""
    return len(find(name).encode(text)) == 1


def _is_listed(find: Find, text: str, name: str) -> bool:
    """Whether a vocabulary has a token that stands for exactly this text, however the text is cut."""
    return find(name).token_id(text.encode("utf-8")) is not None


def _listed(find: Find, name: str) -> int:
    """How many tokens an encoding has, special ones included: some ids may stand for none."""
    return count_tokens(find(name))


def _plain(find: Find, number: float) -> str:
    """A number as an id is written: without commas."""
    return f"{number:g}" if number % 1 else str(int(number))


def _never_used(find: Find, name: str) -> int:
    """How many tokens of an encoding stand for a byte that no text in UTF-8 has."""
    encoding = find(name)
    return sum(encoding.token_id(bytes([byte])) is not None for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))


def _halves(find: Find, text: str, name: str) -> int:
    """How many tokens of a text are not of whole characters: each alone is no text."""
    encoding = find(name)
    return sum("\ufffd" in encoding.decode([each]) for each in encoding.encode(text.replace("\ufffd", "?")))


def _beginning(find: Find, text: str, name: str, count: float) -> str:
    """What the first tokens of a text say without the others: � stands for a part of a character."""
    encoding = find(name)
    return encoding.decode(encoding.encode(text)[: max(0, int(count))])


def _reversed(find: Find, text: str) -> str:
    """The text backwards, grapheme by grapheme."""
    text_map = TextMap(text)
    cells = list(text_map.cells(0, text_map.n_bytes))
    return b"".join(text_map.data[start:end] for start, end in reversed(cells)).decode("utf-8")


def _quoted(find: Find, text: str) -> str:
    """A text as a token is written, with its spaces visible: “·the”."""
    return quote(text.encode("utf-8"))


@functools.lru_cache(maxsize=4)
def _learn(text: str) -> Stepping:
    """Byte pair encoding, learned from a text alone, without walls.

    The formulas of a lesson ask for the same one. It has 2.5 MB at most; of a person's own lesson, it stays
    until four others have come.
    """
    if len(text) > MAX_LEARNED_TEXT:
        raise ValueError(
            f"A text to learn from has up to {MAX_LEARNED_TEXT} characters: this has {len(text):,}."
        )
    return step_through(text)


def _merge(find: Find, text: str, number: float) -> str:
    """What byte pair encoding joins at this step of learning from a text alone: 1 is the first."""
    stepping = _learn(text)
    winner = stepping.states[int(number) - 1].winner if 1 <= number <= len(stepping.states) else None
    if winner is None:
        raise ValueError(f"There is no merge {number:g} in that text.")
    return b"".join(stepping.tokens[part] for part in winner).decode("utf-8", "replace")


def _learned(text: str, number: float) -> list[bytes]:
    """The tokens of a text after so many merges learned from itself."""
    stepping = _learn(text)
    if not 0 <= number < len(stepping.states):
        raise ValueError(f"There are {len(stepping.states) - 1} merges in that text, and not {number:g}.")
    return [stepping.tokens[token] for piece in stepping.states[int(number)].pieces for token in piece]


def _left(find: Find, text: str, number: float) -> int:
    """How many tokens a text has after so many merges learned from itself."""
    return len(_learned(text, number))


def _cut(find: Find, text: str, number: float) -> str:
    """All tokens of a text after so many merges learned from itself, with | between them."""
    return " | ".join(quote(token).strip("“”") for token in _learned(text, number))


def _how_often(find: Find, text: str, number: float) -> int:
    """How often the pair that byte pair encoding joins at this step occurs in the text: 1 is the first."""
    _merge(find, text, number)
    return _learn(text).states[int(number) - 1].pairs[0][1]


def _ways(find: Find, text: str, name: str) -> int:
    """In how many ways a text can be cut into pieces of a vocabulary that weighs them."""
    lattice = find(name).lattice(text)
    if lattice is None:
        raise ValueError(f"{name} weighs no ways to cut a text.")
    return lattice.count_paths(lambda piece: not piece.is_unknown)


_TEXT, _NAME, _NUMBER = "a text", "the name of an encoding, in quotes", "a number"

FUNCTIONS: dict[str, tuple[Callable[..., Value], tuple[str, ...]]] = {
    "tokens": (_tokens, (_TEXT, _NAME)),
    "special_tokens": (_special_tokens, (_TEXT, _NAME)),
    "bytes": (_bytes, (_TEXT,)),
    "characters": (_characters, (_TEXT,)),
    "graphemes": (_graphemes, (_TEXT,)),
    "reversed": (_reversed, (_TEXT,)),
    "plain": (_plain, (_NUMBER,)),
    "quoted": (_quoted, (_TEXT,)),
    "count": (_count, (_TEXT, _TEXT)),
    "token": (_token, (_TEXT, _NAME, _NUMBER)),
    "id": (_id, (_TEXT, _NAME, _NUMBER)),
    "spelled": (_spelled, (_TEXT, _NAME)),
    "beginning": (_beginning, (_TEXT, _NAME, _NUMBER)),
    "halves": (_halves, (_TEXT, _NAME)),
    "kept": (_kept, (_TEXT, _TEXT, _NAME)),
    "losses": (_losses, (_TEXT, _NAME)),
    "vocabulary": (_vocabulary, (_NAME,)),
    "listed": (_listed, (_NAME,)),
    "never_used": (_never_used, (_NAME,)),
    "is_listed": (_is_listed, (_TEXT, _NAME)),
    "is_alone": (_is_alone, (_TEXT, _NAME)),
    "merge": (_merge, (_TEXT, _NUMBER)),
    "how_often": (_how_often, (_TEXT, _NUMBER)),
    "left": (_left, (_TEXT, _NUMBER)),
    "cut": (_cut, (_TEXT, _NUMBER)),
    "ways": (_ways, (_TEXT, _NAME)),
}
"""The functions of formulas, and what each takes."""


def check_formula(formula: str, texts: Collection[str], formulas: Collection[str], where: str) -> None:
    """Refuse what is no formula, before anything is worked out.

    Args:
        formula: to check.
        texts, formulas: the names that it may contain.
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
    _check(tree.body, {*texts, *formulas}, where, MAX_DEPTH)


def _check(node: ast.expr, names: Collection[str], where: str, deeper: int) -> None:
    if not deeper:
        raise ValueError(f"{where}: this formula is too deep: give its parts names in [figures].")
    deeper -= 1
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        if isinstance(node.value, bool):
            raise ValueError(f"{where}: {node.value} is no number and no text.")
        _bound(node.value, where)
        return
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise ValueError(
                f"{where} names {node.id[:40]!r}, which is neither a text nor a figure before it."
            )
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _check(node.operand, names, where, deeper)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        _check(node.left, names, where, deeper)
        _check(node.right, names, where, deeper)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        _check(node.left, names, where, deeper)
        _check(node.comparators[0], names, where, deeper)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise ValueError(
                f"{where}: there is no function {node.func.id[:40]}. There are: {', '.join(FUNCTIONS)}."
            )
        takes = FUNCTIONS[node.func.id][1]
        if len(node.args) != len(takes):
            raise ValueError(f"{where}: {node.func.id} takes {', '.join(takes)}.")
        for argument in node.args:
            _check(argument, names, where, deeper)
    else:
        raise ValueError(
            f"{where}: a formula has names, numbers, + - * /, one comparison and functions alone."
        )


def _bound(value: Value, where: str) -> Value:
    """The value, if it is one that a sentence can name.

    Raises:
        ValueError: it is too long, too large or no number.
    """
    if isinstance(value, str):
        if len(value) > MAX_VALUE_TEXT:
            raise ValueError(f"{where}: this comes to a text of more than {MAX_VALUE_TEXT:,} characters.")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError(f"{where}: this text has half of a pair of UTF-16, which no text may have.")
    elif not (abs(value) <= MAX_NUMBER and math.isfinite(value)):
        raise ValueError(f"{where}: this comes to a number beyond {MAX_NUMBER:.0e}.")
    return value


def _number(value: Value) -> float:
    """A number, and not a text: a text times a number would be that text many times."""
    if isinstance(value, str):
        raise TypeError
    return value


class Formulas:
    """The formulas of a lesson, each worked out once, when its figure is asked for.

    Args:
        texts: by name.
        formulas: by name; each may name the texts, and the formulas before it.
        find: gives an encoding by its name.

    >>> from tokenizers import get_encoding
    >>> formulas = Formulas({"word": "hello world"}, {"n": "tokens(word, 'gpt2')"}, get_encoding)
    >>> formulas.value("n * 2"), formulas.figure("n"), formulas.value("n == 2")
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
        except (TypeError, ZeroDivisionError, OverflowError):
            raise ValueError(f"This formula has no value: {formula}") from None

    def figure(self, name: str) -> str:
        """The value of a named formula as it is written in a sentence: 1,234, 4.9, or a text.

        >>> from tokenizers import get_encoding
        >>> Formulas({}, {"third": "10 / 3", "many": "4096 * 8"}, get_encoding).figure("third")
        '3.3'
        """
        value = self._named(name)
        if isinstance(value, str):
            return value
        return f"{value:,}" if float(value).is_integer() and isinstance(value, int) else f"{value:,.1f}"

    def _named(self, name: str) -> Value:
        if name in self._texts:
            return self._texts[name]
        for before, formula in self._formulas.items():  # in order, so each finds those that it needs
            if name in self._values:
                break
            if before not in self._values:
                self._values[before] = self.value(formula)
        return self._values[name]

    def _work_out(self, node: ast.expr) -> Value:
        return _bound(self._unbounded(node), ast.unparse(node)[:80])

    def _unbounded(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            value: Value = node.value  # type: ignore[assignment]  # of the kinds that were checked
            return value
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.UnaryOp):
            return -_number(self._work_out(node.operand))
        if isinstance(node, ast.BinOp):
            left, right = self._work_out(node.left), self._work_out(node.right)
            if not isinstance(node.op, ast.Add):  # texts can only be joined
                left, right = _number(left), _number(right)
            result: Value = _OPERATORS[type(node.op)](left, right)
            return result
        if isinstance(node, ast.Compare):
            left, right = self._work_out(node.left), self._work_out(node.comparators[0])
            return bool(_OPERATORS[type(node.ops[0])](left, right))
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        function, takes = FUNCTIONS[node.func.id]
        arguments = [self._work_out(argument) for argument in node.args]
        for argument, kind in zip(arguments, takes, strict=True):
            if isinstance(argument, str) == (kind is _NUMBER):
                raise ValueError(f"{node.func.id} takes {', '.join(takes)}: see {ast.unparse(node)[:80]}")
        return function(self._find, *arguments)
