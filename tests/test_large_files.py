"""Files of large vocabularies are read in bulk, and mean the same as read piece by piece."""

from __future__ import annotations

import pytest

from tokenizers.formats import sentencepiece_proto as proto

NAMES = ["<unk>", "a", "\n\t\n\x02ab", "x" * 120, "y" * 300, "\n" * 40, "ü", "\n\x0b\n\x02ab\x15", "b"]


@pytest.mark.parametrize("at_once", [1, 7, 64, proto._AT_ONCE])
def test_pieces_are_read_wherever_they_stand(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """Long names, names that look like pieces, pieces without a kind, whatever is read at a time."""
    monkeypatch.setattr(proto, "_AT_ONCE", at_once)
    scores = [-float(number) for number in range(len(NAMES))]
    kinds = [proto.UNKNOWN, *[proto.NORMAL] * (len(NAMES) - 2), proto.USER_DEFINED]
    model = proto.write_model(NAMES, scores, kinds, kind=proto.BPE)
    bare = proto.write_field(1, proto.write_field(1, b"bare") + proto.write_field(2, -0.5))  # without a kind
    turned = proto.write_field(1, proto.write_field(2, -0.25) + proto.write_field(1, b"turned"))
    file = proto.read_model(turned + model + bare)
    assert file.pieces == ["turned", *NAMES, "bare"]
    assert file.scores.tolist() == [-0.25, *scores, -0.5]
    assert file.kinds.tolist() == [proto.NORMAL, *kinds, proto.NORMAL]
    assert proto.read_model(proto.engine_model(file)).pieces == file.pieces


def test_a_file_that_ends_within_a_piece_is_refused() -> None:
    """At whichever byte it was cut off."""
    model = b"".join(proto.write_pieces(NAMES, [0.0] * len(NAMES), [proto.NORMAL] * len(NAMES)))
    for size in range(len(model)):
        with pytest.raises(ValueError, match=r"cut off|unknown piece|no pieces|is empty"):
            proto.read_model(model[:size])
