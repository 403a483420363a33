"""A text in lines that a trainer takes whole.

SentencePiece learns from lines. It leaves out, without an error, each line of more bytes than its limit,
and each that holds a ▅, which it uses itself for unknown characters. So longer lines are cut here, and a line
is split at each ▅: nothing else of the text is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..utf8 import first_bytes, well_formed

LONGEST_LINE = 4192
"""Bytes of a line; SentencePiece's own default."""

LEFT_OUT = "▅"
"""U+2585: the one character that SentencePiece cannot learn."""


def cut_lines(texts: Iterable[str], longest: int = LONGEST_LINE) -> Iterator[str]:
    """The lines of some texts; longer ones are cut at their last space within the limit, if there is one.

    Args:
        texts: of any length.
        longest: bytes of a line, at least 4.

    >>> list(cut_lines(["one two three\\n\\nfour▅five"], 8))
    ['one two', 'three', 'four', 'five']
    >>> list(cut_lines(["ééééé"], 8))
    ['éééé', 'é']
    """
    for text in texts:
        for line in well_formed(text).replace(LEFT_OUT, "\n").split("\n"):
            at = 0
            while 4 * (len(line) - at) > longest and len(line[at : at + longest + 1].encode()) > longest:
                part = first_bytes(line[at : at + longest], longest)
                space = part.rfind(" ", 1)
                if line[at + len(part)] == " ":  # the part ends with a word already
                    space = len(part)
                if space > 0:
                    part = part[:space]
                yield part
                at += len(part) + (space > 0)  # a space is put in front of every line anyway
            if at < len(line):
                yield line[at:]
