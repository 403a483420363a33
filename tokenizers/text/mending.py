"""What OpenAI's code for CLIP does to a text first: ftfy, HTML's names of characters, small letters.

ftfy mends a line by what it finds in all of it: text that was decoded in the wrong character set, curly
quotes, ligatures, wide letters, control characters. Which character came from which is found by mending parts
of the line.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterator

import regex

from ..shipped import require
from .rewriting import Edit, Rewritten, change_parts, normaliser, rewrite, small_letters
from .text_map import common_prefix, common_suffix

Change = Callable[[str], str]

_LINE = regex.compile(r"[^\n]{0,999999}+\n|[^\n]{1,1000000}+")  # ftfy breaks longer ones, too
# A line of these characters alone stays as it is: ASCII without & and without control characters.
_PLAIN = regex.compile(r"[\t\n\f\r\x20-\x25\x27-\x7e]*+")
_WORD, _PART = regex.compile(r"\s+|\S+"), regex.compile(r"&[#\w]{1,32};|\X")
MAX_STEPS = 100
"""How often a line is mended until nothing changes: usually twice."""


def read_as_clip(text: str) -> Rewritten:
    """A well-formed text as CLIP sees it, but for its white space, which is no part of a token.

    >>> read_as_clip("It’s ﬁne &amp;amp; voilÃ\\xa0 L’Été").seen
    "it's fine & voilà l'été"
    >>> read_as_clip("<b> &amp;amp;amp;").seen  # ftfy leaves it, and CLIP unescapes it twice
    '<b> &amp;'
    """
    mended = mend(text)
    for _ in range(2):
        seen = mended.seen
        mended = mended.then(rewrite(seen, _edits(0, seen, html.unescape(seen), html.unescape)))
    return mended.then(small_letters(mended.seen))


def mend(text: str) -> Rewritten:
    """A well-formed text as ``ftfy.fix_text`` makes it, except that ASCII's line ends stay."""
    edits: list[Edit] = []
    fix = functools.lru_cache(maxsize=10_000)(_fix)
    unescapes = True
    for line in _LINE.finditer(text):
        unescapes = unescapes and "<" not in line[0]  # from there on, it may be HTML
        if not _PLAIN.fullmatch(line[0]):
            change = functools.partial(fix, unescapes=unescapes)
            edits += _edits(line.start(), line[0], change(line[0]), change)
    return rewrite(text, edits)


_FIXERS = (
    "fix_c1_controls fix_latin_ligatures fix_character_width uncurl_quotes "
    "fix_line_breaks fix_surrogates remove_terminal_escapes remove_control_chars"
).split()


def _fix(text: str, unescapes: bool) -> str:
    """A line or a part of one as ``ftfy.fix_and_explain`` makes it, its steps repeated until nothing changes.

    Its own function takes the square of the marks on a letter, and of names of characters within such names.

    Raises:
        ValueError: it takes more than ``MAX_STEPS``.
    """
    ftfy = require("ftfy")
    for _ in range(MAX_STEPS):
        before = text
        if unescapes:
            text = ftfy.fixes.unescape_html(text)
        text = ftfy.fix_encoding(text)
        for fixer in _FIXERS:
            text = getattr(ftfy.fixes, fixer)(text)
        text = normaliser("NFC", text)(text)
        if text == before:
            return text
    raise ValueError(
        f"HTML’s names of characters stand within one another here, more than {MAX_STEPS} deep, and ftfy, "
        "which mends texts for CLIP, would take hours. Take another part of the text."
    )


def _edits(at: int, old: str, new: str, change: Change) -> Iterator[Edit]:
    """The edits that make ``new`` of ``old``: of parts of words, where these can be changed by themselves."""
    if old == new:
        return
    for start, word, became in change_parts(at, old, new, change, _WORD):
        for begin, part, becomes in change_parts(start, word, became, change, _PART):
            same = common_prefix(part, becomes)
            end = common_suffix(part, becomes, min(len(part), len(becomes)) - same)
            if becomes and same + end == len(becomes):  # it came from what goes, too
                same, end = (same, end - 1) if end else (same - 1, end)
            yield begin + same, begin + len(part) - end, becomes[same : len(becomes) - end]
