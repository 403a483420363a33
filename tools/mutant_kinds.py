"""Faults that a person could write: small changes of a Python file, each by itself.

``python -m tools.mutants`` plants them, and sees whether a test notices.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

_PAIRS: list[tuple[type[ast.cmpop], type[ast.cmpop]]] = [
    (ast.Eq, ast.NotEq),
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
]
COMPARISONS = dict(_PAIRS) | {other: one for one, other in _PAIRS}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


class Fault(NamedTuple):
    """One change of a file: the bytes [start, end) become ``after``."""

    path: str
    kind: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.kind}"

    def plant(self, source: str) -> str:
        """The source with the fault in it."""
        data = source.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


def find_faults(path: str, source: str) -> list[Fault]:
    """All faults that fit a file, in its order.

    Types, decorators, docstrings, the words of errors, and f-strings stay as they are.

    >>> faults = find_faults("a.py", "if a < b and not c:\\n    d(1)\\n")
    >>> [(fault.kind, fault.before, fault.after) for fault in faults]  # doctest: +NORMALIZE_WHITESPACE
    [('and, or', 'a < b and not c', '(a < b or not c)'), ('comparison', 'a < b', '(a <= b)'),
     ('not', 'not c', '(c)'), ('statement', 'd(1)', 'pass'), ('number', '1', '(2)')]
    """
    data = source.encode()
    starts = [0, *accumulate(len(line) for line in data.splitlines(keepends=True))]
    faults = []
    for node in _code(ast.parse(source)):
        for kind, changed in _changes(node):
            assert node.end_lineno is not None and node.end_col_offset is not None  # parsed: both are there
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before = data[start:end].decode()
            after = ast.unparse(ast.fix_missing_locations(changed))
            if not isinstance(changed, ast.stmt | ast.Slice):
                after = f"({after})"
            faults.append(Fault(path, kind, node.lineno, start, end, before, after))
    return faults


def _code(node: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    """The node and what is in it, but for what a fault cannot change, or nobody would notice."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Assert() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.keyword(arg="strict"):  # of zip: both are of one length
            return
        case ast.Expr(value=ast.Constant()):  # a docstring
            return
    if isinstance(node, ast.stmt | ast.expr):
        yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "bases", "decorator_list"):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _code(part)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The faults that fit one node: the kind, and what stands in its place."""
    match node:
        case ast.Compare(ops=[comparison]):
            other = COMPARISONS[type(comparison)]
            yield "comparison", ast.Compare(node.left, [other()], node.comparators)
        case ast.BoolOp():
            other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and, or", ast.BoolOp(other_op, node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.operand
        case ast.BinOp() if type(node.op) in OPERATORS and not isinstance(node.left, ast.JoinedStr):
            yield "operator", ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        case ast.Constant(value=bool() as value):
            yield "true, false", ast.Constant(not value)
        case ast.Constant(value=int() as number):
            yield "number", ast.Constant(number + 1)
        case ast.IfExp():
            yield "condition", ast.IfExp(node.test, node.orelse, node.body)
        case ast.If(body=[ast.Return() | ast.Raise() | ast.Continue() | ast.Break()], orelse=[]):
            yield "guard", ast.Pass()
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield "statement", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement", ast.Pass()
        case ast.Break():
            yield "loop", ast.Continue()
        case ast.Continue():
            yield "loop", ast.Break()
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            other_name = "max" if name == "min" else "min"
            yield "min, max", ast.Call(ast.Name(other_name), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr="maximum" | "minimum")):
            pass  # of NumPy: the order of what they compare changes nothing
        case ast.Call(args=[first, second, *rest]) if not isinstance(node.func, ast.Name):
            yield "arguments", ast.Call(node.func, [second, first, *rest], node.keywords)
        case ast.Slice(lower=ast.expr(), upper=ast.expr()):
            yield "slice", ast.Slice(node.lower, None, node.step)
