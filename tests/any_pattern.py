"""A strategy for regular expressions of every kind that people write, strange ones too."""

from __future__ import annotations

from hypothesis import strategies as st

ATOMS = [
    *"a b A . [ab] [^a] [^\\n] [^]a] [^-a] []a] [a-c^] [^\\]] [^\\d] [\\W] [^\\W\\d] é ß İ 👍 - ] }".split(),
    *"\\n \\d \\D \\w \\W \\s \\S \\. \\- \\x61 \\u0061 \\p{Lu} \\P{Lu} \\p{Cn} \\p{^L} \\p{Any}".split(),
    " ",
]
STRANGE = [
    *"\\X \\R [[:alpha:]] \\m \\K \\uffff".split(),
    "\uffff",
    "[\uffffa]",
    "[^\uffff]",
    "\\N{DIGIT ONE}",
]
ENDS = [*"^ $ \\A \\Z \\b \\B \\G (?<=a) (?<!a) (?=b) (?!b) (?<=^a) (?!$) (?<![^a]) (?<=\\W)".split()]
REPEATS = ["", "", "", "*", "+", "?", "*?", "+?", "*+", "{2}", "{1,2}", "{,2}", "{"]
GROUPS = [
    *"(PART) (?:PART) (?>PART) (PART)\\1 (?P<x>PART)(?P=x) (PART)?(?(1)a|b) (?i:PART)".split(),
    *"(?=PART) (?!PART) (?<=PART) (?<!PART) (PART|)".split(),
]


@st.composite
def any_pattern(draw: st.DrawFn, depth: int = 2) -> str:
    branches = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        parts = []
        for _ in range(draw(st.integers(0, 3))):
            kind = draw(st.integers(0, 24))
            part = draw(st.sampled_from(STRANGE if kind == 0 else ENDS if kind < 9 else ATOMS))
            if depth and draw(st.integers(0, 3)) == 0:
                part = draw(st.sampled_from(GROUPS)).replace("PART", draw(any_pattern(depth - 1)))
            parts.append(part + draw(st.sampled_from(REPEATS)))
        branches.append("".join(parts))
    return "|".join(branches)
