r"""A regular expression of a person's own, read before it is compiled: what will it need?

The regex library writes repeats out when it compiles: ``a{99999999}`` takes 23 GB, and so do a few repeats
inside one another. While a pattern runs, the library remembers for each round of a repeated group which other
ways are left to try: ``(?:a?b?)*`` on ten megabytes takes one gigabyte.

So a pattern is read once, by the rules of its syntax alone, without compiling anything:

- ``parts``: how many characters and groups it has once its repeats are written out as often as they must
  occur; a class counts for as many as it is spelled with. Too many are refused.
- ``is_plain``: whether it is made of few parts and well-known constructs only. The time that such a pattern
  takes can be limited from inside, and its memory grows with the text. So it is run here on short
  texts.
- ``is_flat``: whether it is plain, and no group of it repeats without a small bound. Its memory does not
  depend on the text, so it is run here on any text.

Every other one goes to a process with limits (``bounded.py``).

- ``least``: how many characters a match has at least, as far as the syntax shows; where it does not, 0.

>>> read_pattern(r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+")
Reading(parts=18, is_plain=True, is_flat=True, least=1)
>>> read_pattern(r"(?:a{300}){300}|b")
Reading(parts=90301, is_plain=False, is_flat=False, least=1)
>>> read_pattern(r"(?:a?b?)*")
Reading(parts=3, is_plain=True, is_flat=False, least=0)
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

MAX_LENGTH = 4000
"""Characters of a pattern. The longest that a published tokenizer has is a few hundred."""

MAX_PARTS = 20_000
"""Parts of a pattern, its repeats written out: some 10 MB once compiled."""

MAX_PLAIN_PARTS = 2_000
"""Parts of a plain pattern: less than 1 MB once compiled, so that some of them can be kept."""

SHORT = 10_000
"""Characters of a text on which any plain pattern is run here: at most some 30 MB for a moment."""

MAX_ROUNDS = 32
"""How often groups of a flat pattern may repeat, those inside one another multiplied."""

MAX_DEPTH = 30
"""Groups inside one another in a flat pattern."""

_ESCAPE = (
    r"\\(?:[dswhDSWntrfvbBAZ]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}"
    r"|[pP](?:\{\^?[A-Za-z_]+\}|[A-Z])|[^\w\s])"
)
_ITEM = regex.compile(
    rf"""
      (?P<repeat>  (?: [*+?] | \{{ (?: (?P<least>[0-9]+) (?P<range>,[0-9]*)? | (?P<upto>,[0-9]+) ) \}} )
                   [?+]? )
    | (?P<open>    (?!\(\?\#) \( (?: \?: | \?[=!>] | \?<[=!] | \?P?<[A-Za-z_]\w*> | \?-?[ims]: )? (?![?*]) )
    | (?P<close>   \) )
    | (?P<or>      \| )
    | (?P<comment> \(\?\#[^)]*\) )
    | (?P<cluster> \\[XR] )
    | (?P<plain>   {_ESCAPE} | [^\\\[\](){{}}*+?|]
                   | \[\^?\]? (?: \[:\^?[a-z]+:\] | [^\]\[\\] | {_ESCAPE} )* \] )
    | (?P<strange_open>  \( )
    | (?P<strange> \\. | \[\^?\]? (?: \[:\^?\w+:\] | \\. | [^\]\\] )* \] | . )
    """,
    regex.VERBOSE | regex.DOTALL | regex.ASCII,
)
_FLAGS = regex.compile(r"\(\?[ims]+\)")
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
_ANCHORS = ("^", "$", r"\b", r"\B", r"\A", r"\Z")
# The match begins only here; a brace that may stand for errors that are allowed; what follows is a name.
_UNSURE = (r"\K", "{", r"\g", r"\L")
_SET_OPERATION = regex.compile(r"--|&&|~~|\|\|")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a pattern will need, as far as its text shows (see the module)."""

    parts: int
    is_plain: bool
    is_flat: bool
    least: int


@dataclass(slots=True)
class _Group:
    """A group while it is read: its parts, and the largest product of rounds in it."""

    parts: int = 0
    rounds: int = 1
    last_parts: int = 0  # parts of the last item, which a quantifier that follows repeats
    last_rounds: int = 0  # rounds of the last item; 0: it is not a group
    counts_none: bool = False  # whether it takes no characters, as a look-around, or an unknown number
    least: int | None = None  # characters that its shortest finished alternative takes
    so_far: int = 0  # characters that the current alternative takes at least, so far
    last_least: int = 0  # characters that the last item takes at least

    @property
    def shortest(self) -> int:
        """Characters that it takes at least."""
        if self.counts_none:
            return 0
        return self.so_far if self.least is None else min(self.least, self.so_far)

    def take(self, least: int) -> None:
        """Add an item that takes at least so many characters to the current alternative."""
        self.so_far += least
        self.last_least = least


def read_pattern(pattern: str) -> Reading:
    """Read a pattern without compiling it (see the module).

    A pattern that is not valid is read too, in some way: it is not flat, or its compilation will say.
    """
    leading = _FLAGS.match(pattern)
    is_plain = is_flat = not regex.search(r"\(\?\w*x", pattern)
    is_sure = True  # of how much a match takes at least
    stack = [_Group()]
    for item in _ITEM.finditer(pattern, leading.end() if leading else 0):
        kind, group = item.lastgroup, stack[-1]
        if kind in ("open", "strange_open"):
            # What follows a strange "(" may be a name, as in "(?P=name)", and no part of a match.
            stack.append(_Group(counts_none=item[0] in _LOOKS or kind == "strange_open"))
            is_plain = is_plain and kind == "open" and len(stack) <= MAX_DEPTH
        elif kind == "close":
            if len(stack) > 1:
                inner = stack.pop()
                group = stack[-1]
                group.parts += inner.parts + 1
                group.last_parts, group.last_rounds = inner.parts + 1, inner.rounds
                group.take(inner.shortest)
            else:
                is_plain = False
        elif item["repeat"]:
            least, most = _counts(item)
            group.parts += max(0, least - 1) * group.last_parts
            group.last_parts *= max(1, least)
            group.so_far += (least - 1) * group.last_least
            group.last_least *= least
            if group.last_rounds:
                rounds = group.last_rounds * (most or 1)
                is_flat = is_flat and most is not None and rounds <= MAX_ROUNDS
                group.rounds = max(group.rounds, rounds)
                group.last_rounds = rounds
        elif kind == "or":
            group.last_parts = group.last_rounds = group.last_least = 0
            group.least = group.so_far if group.least is None else min(group.least, group.so_far)
            group.so_far = 0
        elif kind != "comment":
            group.last_parts = len(item[0]) if item[0].startswith("[") else 1
            group.parts += group.last_parts
            group.take(int(item[0] not in _ANCHORS and (kind != "strange" or item[0].startswith("["))))
            group.last_rounds = int(kind == "cluster")  # it remembers its rounds as a group does
            is_sure = is_sure and item[0] not in _UNSURE
            is_plain = is_plain and kind != "strange" and not _SET_OPERATION.search(item[0])
    while len(stack) > 1:  # not closed
        is_plain = False
        inner = stack.pop()
        stack[-1].parts += inner.parts
        stack[-1].take(0)
    is_plain = is_plain and stack[0].parts <= MAX_PLAIN_PARTS
    return Reading(stack[0].parts, is_plain, is_plain and is_flat, stack[0].shortest if is_sure else 0)


def _counts(item: regex.Match[str]) -> tuple[int, int | None]:
    """How often a repeat repeats at least and at most; None: without a bound."""
    if item["least"] is not None:
        least = int(item["least"][:12])
        if item["range"] is None:
            return least, least
        return least, int(item["range"][1:13]) if len(item["range"]) > 1 else None
    if item["upto"] is not None:
        return 0, int(item["upto"][1:13])
    return {"*": (0, None), "+": (1, None), "?": (0, 1)}[item["repeat"][0]]


def too_much(pattern: str) -> str:
    """What is too much about a pattern, as the end of a sentence; empty: nothing that can be seen.

    >>> too_much("a{99999999}")
    'it has 99,999,999 parts once its repeats are written out, and 20,000 are the limit here'
    """
    if len(pattern) > MAX_LENGTH:
        return f"it has {len(pattern):,} characters, and {MAX_LENGTH:,} are the limit here"
    if not regex.search(r"\(\?\w*x", pattern):  # there, a number may be in a comment
        parts = read_pattern(pattern).parts
        if parts > MAX_PARTS:
            many = f"{parts:,}" if parts < 10**15 else "more than 1,000,000,000,000,000"
            return (
                f"it has {many} parts once its repeats are written out, and {MAX_PARTS:,} are the limit here"
            )
    return ""
