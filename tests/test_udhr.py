"""The declaration is here, whole and as published."""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path

import pytest

from tests.refusals import refused
from tokenizers.data import udhr
from tokenizers.data.udhr import UDHR_FILE, get_language, language_titles, list_languages


def test_the_file_is_the_published_one() -> None:
    content = lzma.decompress(UDHR_FILE.read_bytes())
    assert (
        hashlib.sha256(content).hexdigest()
        == "741f35a8c939c4895ed44001d3763344d290db5428a92c0906ccf4d6897195b0"
    )
    assert UDHR_FILE.stat().st_size < 2_100_000


def test_list_languages() -> None:
    languages = list_languages()
    assert all(language.text == language.text.strip() for language in languages)
    assert sum(language.latitude is None for language in languages) == 11


def test_language_titles_are_in_order() -> None:
    titles = language_titles()
    assert set(titles) == {language.code for language in list_languages()}
    in_order = list(titles.values())
    assert (in_order[0], in_order[-1]) == ("Abkhaz", "Zulu")
    assert in_order.index("English") < in_order.index("Éwé") < in_order.index("Faroese")


def test_says_what_is_wrong(tmp_path: Path) -> None:
    with refused("list_languages"):
        get_language("?")
    with pytest.raises(OSError, match="git checkout"):
        udhr._read(tmp_path / "none")
    whole = UDHR_FILE.read_bytes()
    bad_line = lzma.compress(b"[]\n")
    for content in (b"", b"no xz at all", whole[:5000], whole[:9000] + b"x" + whole[9001:], bad_line):
        (tmp_path / "damaged").write_bytes(content)
        with pytest.raises(ValueError, match="is damaged. .*git checkout"):
            udhr._read(tmp_path / "damaged")
