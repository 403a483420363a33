"""A small .gguf file by the format's own writer, for the tests of our reader.

    python -m tools.known_gguf FOLDER

FOLDER holds the library, as ``pip install --no-deps --target FOLDER gguf==0.19.0`` puts it there. The file
goes to tests/known_answers/small.gguf, with the writer's version in it, and has values of every kind beside
its tokenizer, and a tensor.
"""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version

import numpy as np

from tools.known_answers import FOLDER
from tools.options import read_options

PIECES = {"<unk>": 2, "<s>": 3, "</s>": 3} | {f"<0x{byte:02X}>": 6 for byte in range(256)}
PIECES |= {piece: 1 for piece in ("▁", "t", "h", "e", "é", "th", "he", "▁th", "▁the")} | {"  ": 4}
"""The pieces of a SentencePiece BPE, and the kind of each as llama.cpp numbers them."""

TOKENIZER = {
    "tokenizer_model": "llama",
    "tokenizer_pre": "default",
    "token_list": list(PIECES),
    "token_scores": [-float(number) for number in range(len(PIECES))],
    "token_types": list(PIECES.values()),
    "bos_token_id": 1,
    "eos_token_id": 2,
    "unk_token_id": 0,
    "add_bos_token": True,
    "add_eos_token": False,
    "chat_template": "{{ bos_token }}{{ messages[0].content }}",
}


def main() -> None:
    """Write the file."""
    sys.path.append(read_options(__doc__, "folder").folder)
    writer = importlib.import_module("gguf").GGUFWriter(FOLDER / "small.gguf", "llama")
    writer.add_description(f"written by gguf {version('gguf')}")
    writer.add_array("test.names", ["one", "two"])
    writer.add_array("test.numbers", [1, 2, 3])
    for kind in "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float32 float64".split():
        getattr(writer, f"add_{kind}")(f"test.{kind}", 7)
    writer.add_bool("test.bool", True)
    for key, value in TOKENIZER.items():
        getattr(writer, f"add_{key}")(value)
    writer.add_tensor("weights", np.zeros((8, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
