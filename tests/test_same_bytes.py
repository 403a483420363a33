"""The same request gives the same bytes in every process, however Python hashes strings there."""

from __future__ import annotations

import pytest

from tests.processes import run_python

SCRIPT = """
import hashlib, json, secrets
secrets.token_urlsafe = secrets.token_hex = lambda n_bytes: "ticket"
import tokenizers as tk
from tests.test_isolation import LINKS, sent, session
from tests.visit import Visit
from tokenizers.data import read_bundled
from tokenizers.families import learn_pieces, learn_word_pieces
from tokenizers.files import file_of
from tokenizers.measure import Comparison

texts = [read_bundled(key).texts[0] for key in ("udhr:eng", "udhr:kor")]
made = {ties: file_of(tk.train(texts, 400, ties=ties)) for ties in ("smallest", "first")}
made |= {kind: learn_pieces(texts, 900, kind) for kind in ("bpe", "unigram")}
made["word pieces"] = learn_word_pieces(texts, 900)
made["comparison"] = repr(Comparison(*map(tk.get_encoding, ("bert-uncased", "j2"))).hard).encode()
take_long = ("languages", "merge_trees", "vocabulary", "vocabulary_size")
for page in LINKS:
    if page.split("/")[1] not in take_long:
        made[page] = sent(Visit(page, LINKS[page], workspace=session("secret", 0)).test._tree)
print(json.dumps({what: hashlib.sha256(data).hexdigest() for what, data in made.items()}, indent=0))
"""


@pytest.mark.slow
def test_no_bytes_depend_on_hash_seeds() -> None:
    one, other = (run_python("-c", SCRIPT, PYTHONHASHSEED=seed).stdout for seed in "12")
    assert one == other and one.count("\n") > 10
