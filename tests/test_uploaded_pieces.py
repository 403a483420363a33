""".gguf headers that were uploaded, on the playground: nothing fails."""

from __future__ import annotations

import pytest

from pages.explore.playground.answer import UNKNOWN
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import Pin, Workspace
from tests.gguf_cases import gguf_of, without_walls
from tests.test_gguf import SMALL
from tests.wire import packed
from tokenizers.files import load

TEXT = "The law  of ½ zyzzyvas, ж! the\n"
FILES = {"pieces": SMALL.read_bytes(), "pairs": gguf_of("gpt2", pre="gpt-2", **without_walls())}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_the_playground_shows_it(kind: str) -> None:
    workspace = Workspace()
    encoding = load(FILES[kind], kind)
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
