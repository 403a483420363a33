"""Write Gemma's tokenizer.json as the SentencePiece model that it came from, which loads five times as fast.

    python -m tools.gemma_model FOLDER

FOLDER holds gemma-4.tokenizer.json. The ids are the same: a merge's rank is its piece's score. Runs of one
white space, whose merges come first of all and make nothing else, are user-defined symbols. Pieces that no
merge makes, such as <unused0>, are control pieces, so that they do not arise here either.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from tokenizers.data.models import VOCABULARIES_DIR
from tokenizers.families.huggingface_engine import fallback_byte
from tokenizers.families.sentencepieces import BPE, BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from tokenizers.files.sentencepiece import make_model
from tools.options import read_options


def to_model(content: Any) -> Any:
    """The ``ModelProto`` of what the tokenizer.json holds."""
    ranks: dict[str, int] = {}
    for number, (left, right) in enumerate(content["model"]["merges"]):
        ranks.setdefault(left + right, number)
    added = {token["content"]: token["special"] for token in content["added_tokens"]}

    def kind(token: str) -> int:
        if token == "<unk>":
            return UNKNOWN
        if fallback_byte(token) is not None:
            return BYTE
        if added.get(token) is False or (token in ranks and set(token) in ({"\n"}, {"\t"}, {"▁"})):
            return USER_DEFINED
        return NORMAL if token in ranks or len(token) == 1 else CONTROL

    vocabulary = sorted(content["model"]["vocab"], key=content["model"]["vocab"].__getitem__)
    pieces = [(token, -float(ranks.get(token, 0)), kind(token)) for token in vocabulary]
    model = make_model(pieces, model_type=BPE, byte_fallback=True, adds_space=False)
    for which in ("bos", "eos", "pad", "unk"):
        setattr(model.trainer_spec, f"{which}_piece", f"<{which}>")
    return model


if __name__ == "__main__":
    folder = Path(read_options(__doc__, "folder").folder)
    described = json.loads((folder / "gemma-4.tokenizer.json").read_bytes())
    data = to_model(described).SerializeToString(deterministic=True)
    (VOCABULARIES_DIR / "gemma-4.model.xz").write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
