"""How tokens are spelt: tests/spelling.json holds Python to it here, and the browser in test_modules.py."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from pages.grow.train.progress import token_text
from tests.browser import ROOT
from tests.examples import ALL
from tokenizers.json_types import JsonObject
from tokenizers.text import quote, spell_text, spell_token

CASES = json.loads((ROOT / "tests" / "spelling.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["tokens"], ids=lambda case: case["bytes"] or "empty")
def test_a_token_is_spelt_as_the_table_says(case: JsonObject) -> None:
    assert spell_token(bytes.fromhex(case["bytes"])) == case["spelt"]


@pytest.mark.parametrize("case", CASES["quotes"], ids=lambda case: case["bytes"][:12])
def test_a_token_is_quoted_as_the_table_says(case: JsonObject) -> None:
    assert quote(bytes.fromhex(case["bytes"])) == case["quoted"]


@pytest.mark.slow
def test_nothing_is_spelt_with_what_cannot_be_seen() -> None:
    """All of Unicode, but for what this Python does not know yet.

    Of what is not assigned, or private, which is nearly all of it, make fuzz tries all, others one of 16.
    """
    for code in range(sys.maxunicode + 1):
        if not ALL and code % 16 and unicodedata.category(chr(code)) in ("Cn", "Co"):
            continue
        spelt = spell_text(chr(code))
        # Some marks of the category Cf, such as the Arabic number sign, are drawn.
        assert spelt.isprintable() or unicodedata.category(chr(code)) in ("Cn", "Cf"), f"U+{code:04X}"
        assert not any(map(str.isspace, spelt)), f"U+{code:04X}"
        assert spelt == chr(code) or spell_text(spelt) == spelt


def test_a_long_token_in_a_table_is_its_ends() -> None:
    assert token_text("あ".encode() * 400).startswith("あ" * 50 + "…")
    assert token_text("अ ".encode() * 400).startswith("अ·अ·")
