r"""A person's regular expression over many short texts, quickly and under a time-out.

``pattern.search`` on each of 200,000 tokens spends nearly all of its time on being called. So the
texts are joined, with a **wall** between them, a character that none of them has, and the pattern is
rewritten so that it sees each text as the whole string that it was: what could match the wall no
longer does, and the ends of a string become the walls. One scan then answers for a thousand texts.

    ^ ?[A-Z][a-z]+$     becomes     █ ?[A-Z][a-z]+(?=\n?█)     (█ stands for the wall)

Only what is understood is rewritten: literals, classes, the usual escapes, groups, lookarounds,
repeats, back references. Anything else (``\X``, recursion, sets in sets, flags in the middle) is
searched for text by text. Both ways give what ``pattern.search`` on each text gives.

**The interpreter's lock.** By default the regex module lets other threads run during each search,
and then waits for its turn again, five milliseconds each time if one of them is busy: a vocabulary
would take minutes. So it is kept, but only as long as a slice of the work may take; what takes
longer is done again text by text, with others running.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence

import regex

WALL = "\uffff"
"""The wall between two texts. It will never be a character; a text that has it even so is searched alone."""

_SLICE = 1024
"""Texts that are joined for one scan."""

_SCAN_SECONDS = 0.03
"""How long a scan may keep other threads waiting; a usual one takes a millisecond or two."""

_SEARCH_SECONDS = 0.001
"""The same for one text alone."""

_CROWD = 0.4
"""If a greater share of the texts matches, searching each alone is quicker than collecting matches."""


class _Strange(Exception):
    """A pattern holds something that is not rewritten."""


def matching(
    pattern: regex.Pattern[str], texts: Sequence[str], timeout: float, *, harmless: int = 0
) -> list[int]:
    """Which texts the pattern matches somewhere: their places in the list, in order.

    Args:
        pattern: as a person wrote it, compiled.
        texts: such as all tokens of a vocabulary.
        timeout: seconds for all of them together.
        harmless: up to which length of a text the pattern surely needs no time-out.

    Raises:
        TimeoutError: they took longer.

    >>> matching(regex.compile("^a.$"), ["ab", "xab", "ac\\n", "a\\n", "ab"], 1.0)
    [0, 2, 4]
    """
    deadline = time.perf_counter() + timeout
    scan = rewritten(pattern.pattern, pattern.flags)
    places: list[int] = []
    crowded = False
    for start in range(0, len(texts), _SLICE):
        part = texts[start : start + _SLICE]
        hits = None
        if scan is not None and not (crowded and harmless):
            hits = _scan(scan, part)
        if hits is None:
            hits = list(_one_by_one(pattern, part, deadline, harmless))
        crowded = len(hits) > _CROWD * len(part)
        places.extend(start + place for place in hits)
        if time.perf_counter() > deadline:
            raise TimeoutError
    return places


def search(query: str, flags: int, texts: Sequence[str], timeout: float, harmless: int) -> list[int]:
    """As ``matching``, from the text of a pattern: what ``bounded.run`` can be asked for.

    Raises:
        ValueError: it is not valid; says where. TimeoutError, MemoryError: it needs too much.
    """
    try:
        pattern = regex.compile(query, flags, cache_pattern=False)
    except regex.error as problem:
        raise ValueError(str(problem)) from None
    except (RecursionError, OverflowError):
        raise MemoryError from None
    return matching(pattern, texts, timeout, harmless=harmless)


def _scan(scan: regex.Pattern[str], texts: Sequence[str]) -> list[int] | None:
    """The places of the texts that match; None if they must be searched one by one."""
    joined = WALL + WALL.join(texts) + WALL
    if joined.count(WALL) != len(texts) + 1:
        return None
    try:
        ends = [match.end() for match in scan.finditer(joined, concurrent=False, timeout=_SCAN_SECONDS)]
    except TimeoutError:
        return None
    if not ends:
        return []
    # Each match ends at the wall behind its text. Two matches in one text count once; an empty one
    # before the first wall or behind the last is in none.
    walls = itertools.accumulate((len(text) + 1 for text in texts), initial=0)
    number = {at: count for count, at in enumerate(walls)}
    return [number[end] - 1 for end in dict.fromkeys(ends) if number.get(end)]


def _one_by_one(
    pattern: regex.Pattern[str], texts: Sequence[str], deadline: float, harmless: int
) -> Iterator[int]:
    """The places of the texts that match, each searched alone."""
    again = itertools.repeat
    search = pattern.search
    for start in range(0, len(texts), 64):
        part = texts[start : start + 64]
        # By position (pos, endpos, concurrent, partial, timeout): by name, each call takes twice as long.
        limit = None if max(map(len, part)) <= harmless else _SEARCH_SECONDS
        try:
            matches = list(
                map(search, part, again(None), again(None), again(False), again(False), again(limit))
            )
        except TimeoutError:
            matches = []
            for text in part:
                left = deadline - time.perf_counter()
                if left <= 0:
                    raise TimeoutError from None
                matches.append(search(text, concurrent=True, timeout=left))
        yield from (start + i for i, match in enumerate(matches) if match)
        if time.perf_counter() > deadline:
            raise TimeoutError


# Rewriting

_FLAGS = regex.IGNORECASE | regex.MULTILINE | regex.DOTALL
_USUAL = regex.UNICODE | regex.VERSION0
_GROUP = regex.compile(r"\((?:\?(?:[:>=!]|<[=!]|P?<[A-Za-z_]\w*>))?(?![?*])")
_REPEAT = regex.compile(r"(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})[?+]?")
_ESCAPE = regex.compile(
    r"\\(?:[dswDSWntrfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[pP]\{[^{}]+\}|[^\w\s])", regex.ASCII
)
_CLASS = regex.compile(
    r"\[\^?\]?(?:[^\]\[\\]|\\(?:[dswDSWntrfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[pP]\{[^{}]+\}|[^\w\s]))*\]",
    regex.ASCII,
)
_REFERENCE = regex.compile(r"\\[1-9](?![0-9])")


def rewritten(query: str, flags: int = 0) -> regex.Pattern[str] | None:
    """The pattern for joined texts; each of its matches reaches to the wall behind its text.

    None: there is something in it that is not rewritten.

    >>> rewritten("^[^a]$").pattern.replace(WALL, "█")
    '(?:█[^█a](?=\\\\n?█))[^█]*+'
    >>> rewritten(r"\\X") is None
    True
    """
    flags &= ~_USUAL
    leading = regex.match(r"\(\?[ims]+\)", query)  # compiled, it is among the flags
    if leading:
        query = query[leading.end() :]
    if flags & ~_FLAGS or WALL in query:
        return None
    try:
        changed = "".join(_rewrite(query, flags))
        # The walls are far fewer than the characters: to look for them first is quicker than to look back.
        first = f"(?<={WALL})"
        if changed.startswith(first) and "|" not in changed:
            changed = WALL + changed.removeprefix(first)
        return regex.compile(f"(?:{changed})[^{WALL}]*+", flags, cache_pattern=False)
    except (_Strange, regex.error, RecursionError, OverflowError, MemoryError, ValueError):
        return None


def _rewrite(query: str, flags: int) -> Iterator[str]:
    many, all_characters = flags & regex.MULTILINE, flags & regex.DOTALL
    ends = {
        "^": f"(?<=[{WALL}\\n])" if many else f"(?<={WALL})",
        "$": f"(?=[{WALL}\\n])" if many else f"(?=\\n?{WALL})",
        "\\A": f"(?<={WALL})",
        "\\Z": f"(?={WALL})",
        "\\b": "\\b",  # neither the wall nor the end of a string is a letter
        "\\B": "\\B",
    }
    at = 0
    while at < len(query):
        char = query[at]
        end = query[at : at + 2] if char == "\\" else char
        if end in ends:
            yield ends[end]
            at += len(end)
            if _REPEAT.match(query, at):
                raise _Strange  # to repeat an end of the string means nothing
        elif char == ".":
            yield f"[^{WALL}]" if all_characters else f"[^\\n{WALL}]"
            at += 1
        elif char in "|)":
            yield char
            at += 1
        elif not (match := _next(query, at)):
            raise _Strange
        else:
            yield match[0] if match.re in (_GROUP, _REPEAT, _REFERENCE) else _never_wall(match[0], flags)
            at = match.end()


_LITERAL = regex.compile(r"[^\\\[\](){}*+?.^$|]")


def _next(query: str, at: int) -> regex.Match[str] | None:
    for kind in (_LITERAL, _REPEAT, _GROUP, _CLASS, _ESCAPE, _REFERENCE):
        match = kind.match(query, at)
        if match:
            return match
    return None


def _never_wall(one: str, flags: int) -> str:
    """What matches one character, without the wall."""
    if len(one) == 1 or not regex.compile(one, flags).match(WALL):
        return one
    if one in ("\\D", "\\S", "\\W"):
        return f"[^{one.lower()}{WALL}]"
    if one.startswith("[^") and one[2] not in "]-" and "--" not in one and "&&" not in one:
        return f"[^{WALL}{one[2:]}"
    return f"(?:(?!{WALL}){one})"
