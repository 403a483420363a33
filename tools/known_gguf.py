"""A small .gguf file by the format's own writer, for the tests of our reader.

    python -m tools.known_gguf --packages FOLDER

FOLDER holds the library, as ``pip install --no-deps --target FOLDER gguf==0.19.0`` puts it there. The file
goes to tests/known_answers/small.gguf, with the writer's version in it, and has values of every kind beside
its tokenizer, and a tensor.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from importlib.metadata import distributions
from pathlib import Path

import numpy as np

FILE = Path(__file__).resolve().parent.parent / "tests" / "known_answers" / "small.gguf"

PIECES = {"<unk>": 2, "<s>": 3, "</s>": 3} | {f"<0x{byte:02X}>": 6 for byte in range(256)}
PIECES |= {piece: 1 for piece in ("▁", "t", "h", "e", "é", "th", "he", "▁th", "▁the")} | {"  ": 4}
"""The pieces of a SentencePiece BPE, and the kind of each as llama.cpp numbers them."""


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", type=Path, required=True, help="the folder with the library")
    packages = parser.parse_args().packages
    sys.path.append(str(packages))
    [version] = {each.version for each in distributions(path=[str(packages)]) if each.name == "gguf"}
    writer = importlib.import_module("gguf").GGUFWriter(FILE, "llama")
    writer.add_description(f"written by gguf {version}")
    writer.add_array("test.names", ["one", "two"])
    writer.add_array("test.numbers", [1, 2, 3])
    for kind in "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float32 float64".split():
        getattr(writer, f"add_{kind}")(f"test.{kind}", 7)
    writer.add_bool("test.bool", True)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(list(PIECES))
    writer.add_token_scores([-float(number) for number in range(len(PIECES))])
    writer.add_token_types(list(PIECES.values()))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_chat_template("{{ bos_token }}{{ messages[0].content }}")
    writer.add_tensor("weights", np.zeros((8, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes by gguf {version}")


if __name__ == "__main__":
    main()
