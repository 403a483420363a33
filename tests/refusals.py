"""What is refused: with an error that says why in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

LONGEST = 300
"""Characters: a sentence quotes no long text whole. One that lists all choices is longer."""


@contextmanager
def refused(sentence: str, longest: int = LONGEST) -> Iterator[pytest.ExceptionInfo[ValueError]]:
    """What the block does is refused, in one short line.

    Args:
        sentence: a regular expression that is found in what the error says.
        longest: how many characters it may have.
    """
    with pytest.raises(ValueError, match=sentence) as problem:
        yield problem
    said = str(problem.value)
    assert "\n" not in said and len(said) < longest and said.endswith((".", ")")), said
