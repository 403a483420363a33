"""Cells of a CSV file that a spreadsheet would run as a formula, made harmless.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, whoever wrote it, and
a formula can send what else is in the sheet to a stranger. Tokens and texts begin with anything. Source:
OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

import re

# At the beginning, and behind what some spreadsheets take for the end of a cell. Some leave out a tab or a
# line end before such a character. Japanese spreadsheets take the wide characters for the others.
_FORMULA_STARTS = "=+\\-@＝＋－＠"
_WOULD_RUN = re.compile(rf"^'*(?=[\t\r\n])|(^|[;\t\r\n])'*(?=[{_FORMULA_STARTS}])")

SAFE_CELLS = (
    "In the CSV, an apostrophe comes before a text that a spreadsheet would run as a formula: one that "
    "begins with =, +, - or @."
)
"""What a page says beside such a file."""


def safe_cell(text: str) -> str:
    r"""The text of a cell, with an apostrophe before what a spreadsheet would run.

    A text that already begins with an apostrophe gets another one, so that one can be taken off again.

    >>> print(safe_cell("=1+1"), safe_cell("-"), safe_cell("a-b"), safe_cell("'=x"), safe_cell("x;=1"))
    '=1+1 '- a-b ''=x x;'=1
    >>> safe_cell("\t=1"), safe_cell("\r")
    ("'\t'=1", "'\r")
    """
    return _WOULD_RUN.sub(lambda match: f"{match[0]}'", text)
