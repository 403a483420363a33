"""SentencePiece's files and .gguf headers that were uploaded, on all pages: nothing fails."""

from __future__ import annotations

import pytest

from pages.explore.playground.answer import UNKNOWN
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import Pin, Workspace
from tests.gguf_cases import gguf_of, without_walls
from tests.test_gguf import SMALL
from tests.test_sentencepiece_files import trained
from tests.wire import packed
from tokenizers.encoding import Encoding
from tokenizers.files import load

TEXT = "The law  of ½ zyzzyvas, ж! the\n"
KINDS = ("as T5", "words", "small.gguf", "pairs.gguf")


def uploaded(kind: str) -> Encoding:
    """An encoding from a file."""
    if kind == "small.gguf":
        return load(SMALL.read_bytes(), kind)
    if kind == "pairs.gguf":
        return load(gguf_of("gpt2", pre="gpt-2", **without_walls()), kind)
    return load(trained(kind), kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_playground_shows_it(kind: str) -> None:
    workspace = Workspace()
    encoding = uploaded(kind)
    name = workspace.import_encoding(OwnEncoding(encoding, file=kind))
    workspace.set_text(TEXT)
    ids = encoding.encode(TEXT)
    for index in range(len(ids)):
        workspace.pin = Pin(name, index)
        inspector = packed(workspace).header["inspector"]
        assert inspector is None or all(inspector["why"])
    panel = next(panel for panel in packed(workspace).header["panels"] if panel["name"] == name)
    n_unknown = sum(flag & UNKNOWN != 0 for flag in panel["flags"])
    assert (panel["tokens"], n_unknown) == (len(ids), sum(each == encoding.unknown_id for each in ids))
