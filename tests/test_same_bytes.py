"""The same request gives the same bytes in every process, however Python hashes strings there."""

from __future__ import annotations

import hashlib
import json
import os
import secrets

import pytest

import tokenizers as tk
from tests.processes import run_python
from tests.test_isolation import LINKS, OPENED, sent, session
from tests.visit import Visit
from tokenizers.data import read_bundled
from tokenizers.families import learn_pieces, learn_word_pieces
from tokenizers.files import file_of
from tokenizers.measure import Comparison

TAKE_LONG = ("languages", "merge_trees", "vocabulary", "vocabulary_size")


def digests() -> dict[str, str]:
    """What is made, and a digest of its bytes."""
    texts = [read_bundled(key).texts[0] for key in ("udhr:eng", "udhr:kor")]
    made = {ties: file_of(tk.train(texts, 400, ties=ties)) for ties in ("smallest", "first")}
    made |= {kind: learn_pieces(texts, 900, kind) for kind in ("bpe", "unigram")}
    made["word pieces"] = learn_word_pieces(texts, 900)
    hard = Comparison(tk.get_encoding("bert-uncased"), tk.get_encoding("j2")).hard
    made["comparison"] = repr(hard).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_urlsafe", lambda n_bytes: "ticket")
        patch.setattr(secrets, "token_hex", lambda n_bytes: "ticket")
        for page in LINKS:
            if page.split("/")[1] not in TAKE_LONG:
                opened = OPENED.get(page, {})
                visit = Visit(page, LINKS[page], workspace=session("secret", 0), **opened)
                made[page] = sent(visit.test._tree)
    return {what: hashlib.sha256(data).hexdigest() for what, data in made.items()}


@pytest.mark.slow
def test_no_bytes_depend_on_hash_seeds() -> None:
    script = "import json; from tests.test_same_bytes import digests; print(json.dumps(digests()))"
    here = digests()
    other_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    elsewhere = json.loads(run_python("-c", script, PYTHONHASHSEED=other_seed).stdout)
    assert here == elsewhere and len(here) > 10
