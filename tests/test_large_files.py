"""Files of large vocabularies are read in bulk, and mean the same as read piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

from tokenizers import get_encoding
from tokenizers.files import gguf, gguf_file
from tokenizers.files import sentencepiece_proto as proto
from tokenizers.files.protobuf import write_field

NAMES = ["<unk>", "a", "\n\t\n\x02ab", "x" * 120, "y" * 300, "\n" * 40, "ü", "\n\x0b\n\x02ab\x15", "b"]


@pytest.mark.parametrize("at_once", [1, 7, 64, proto._AT_ONCE])
def test_pieces_are_read_wherever_they_stand(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """Long names, names that look like pieces, pieces without a kind: however much is looked through."""
    monkeypatch.setattr(proto, "_AT_ONCE", at_once)
    scores = [-float(number) for number in range(len(NAMES))]
    kinds = [proto.UNKNOWN, *[proto.NORMAL] * (len(NAMES) - 2), proto.USER_DEFINED]
    model = proto.write_model(NAMES, scores, kinds, kind=proto.BPE)
    bare = write_field(1, write_field(1, b"bare") + write_field(2, -0.5))  # without a kind
    turned = write_field(1, write_field(2, -0.25) + write_field(1, b"turned"))
    file = proto.read_model(turned + model + bare)
    assert file.pieces == ["turned", *NAMES, "bare"]
    assert file.scores.tolist() == [-0.25, *scores, -0.5]
    assert file.kinds.tolist() == [proto.NORMAL, *kinds, proto.NORMAL]


def test_a_file_that_ends_within_a_piece_is_refused() -> None:
    """At whichever byte it was cut off."""
    model = b"".join(proto.write_pieces(NAMES, [0.0] * len(NAMES), [proto.NORMAL] * len(NAMES)))
    for size in range(len(model)):
        with pytest.raises(ValueError, match=r"cut off|unknown piece|no pieces|is empty"):
            proto.read_model(model[:size])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claude-2", "j2"])
def test_what_a_normaliser_makes_of_a_text_has_a_limit(name: str) -> None:
    """One character becomes eighteen; what is typed is within the limit, and what would be cut is not."""
    enc = get_encoding(name)
    assert enc.longest_text is not None
    enc.place("a" * 1000 + "\ufdfa" * 10)
    with pytest.raises(ValueError, match=r"makes .* MB of this text before it cuts it"):
        enc.place("\ufdfa" * (enc.longest_text // 6))


@pytest.mark.filterwarnings("error")
def test_a_score_that_is_no_number_is_refused_without_a_warning() -> None:
    """Also one of the kind that warns when it is cast."""
    scores = np.array([0x7FA00000, 0], dtype="<u4").view("<f4")
    header = gguf.write_header(
        {
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.tokens": ["<unk>", "a"],
            "tokenizer.ggml.scores": scores,
            "tokenizer.ggml.token_type": np.array([2, 1], dtype=np.int32),
        }
    )
    with pytest.raises(ValueError, match="no number within reason"):
        gguf_file.from_bytes(header, "x")
