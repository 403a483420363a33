"""The trial of an untrusted file: a crash or a waste is one sentence, and a pass is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenizers as tk
from tests.refusals import refused
from tokenizers.bundled.published import ENCODINGS_DIR
from tokenizers.files import loading
from tokenizers.split import bounded

RANKS = b"".join(b"%b %d\n" % (data, rank) for rank, data in enumerate([b"AA==", b"AQ=="]))


@pytest.mark.parametrize(
    "body, message",
    [
        ("import os; os.kill(os.getpid(), 11)", "crashes, or needs more than"),
        ("bytearray(1 << 40)", "crashes, or needs more than"),
        ("while True: pass", "longer than 1 seconds"),
        ("raise ValueError('It is odd.')", "It is odd."),
    ],
)
def test_what_goes_wrong_in_a_trial_is_a_sentence(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tmp_path / "task.py"
    task.write_text(f"def load(*_):\n    {body}\n")
    monkeypatch.setattr(loading, "_TRIAL", task)
    monkeypatch.setattr(loading, "TRIAL_SECONDS", 1.0)
    with refused(message):
        tk.load(RANKS, pattern="gpt2", is_trusted=False)


@pytest.mark.slow
def test_an_untrusted_file_tells_how_much_memory_it_takes() -> None:
    data = (ENCODINGS_DIR / "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4").read_bytes()  # r50k_base
    assert 5 << 20 < tk.load(data, pattern="gpt2", is_trusted=False).memory < 500 << 20
    assert tk.load(data, pattern="gpt2").memory == 0, "it was not tried"


@pytest.mark.slow
def test_an_untrusted_file_is_tried_once_and_a_refusal_is_the_same_sentence() -> None:
    with refused("Some of the 256 bytes are not among its tokens"):
        tk.load(RANKS, pattern="gpt2", is_trusted=False)
    grove = tk.train("abab", 257, None)
    files = [tk.files.ranks.to_bytes(grove), tk.files.minbpe.to_bytes(grove)]
    for data in files:
        assert tk.load(data, pattern=None, is_trusted=False).encode("abab") == [256, 256]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded, "run", None)
        for data in files:
            tk.load(data, pattern="gpt4", is_trusted=False)
