"""What a normaliser makes of a text has a limit."""

from __future__ import annotations

import pytest

from tokenizers import get_encoding


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claude-2", "j2"])
def test_what_a_normaliser_makes_of_a_text_has_a_limit(name: str) -> None:
    """One character becomes eighteen; what is typed is within the limit, and what would be cut is not."""
    enc = get_encoding(name)
    assert enc.longest_text is not None
    enc.place("a" * 1000 + "\ufdfa" * 10)
    with pytest.raises(ValueError, match=r"makes .* MB of this text before it cuts it"):
        enc.place("\ufdfa" * (enc.longest_text // 6))
