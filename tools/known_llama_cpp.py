"""Known answers for .gguf files: what llama.cpp itself makes of small files of all kinds.

    python -m tools.known_llama_cpp FOLDER

FOLDER holds llama.cpp, as ``pip install --no-deps --target FOLDER xllamacpp==2026.10.11549`` puts it there:
that library has llama.cpp's functions. The ids go to tests/known_answers/llama_cpp.json: of each file the
number of its answers, which are what is put around a text, the ids of each text, and those of each marked
text with special tokens.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

from tests.gguf_cases import MARKED, TEXTS, cases
from tools.known_answers import FOLDER
from tools.llama_cpp import LlamaCpp
from tools.options import read_options

FILE = FOLDER / "llama_cpp.json"


def answer(library: LlamaCpp, data: bytes) -> list[Any]:
    """What is put around a text, the ids of each text, and those of each marked text with special tokens."""
    with library.opened(data) as encode:
        return [
            encode("", frame=True, special=True),
            list(map(encode, TEXTS)),
            [encode(text, special=True) for text in MARKED],
        ]


def main() -> None:
    """Write the answers."""
    folder = read_options(__doc__, "folder").folder
    sys.path.insert(0, folder)
    library = LlamaCpp()
    distinct: list[Any] = []
    known: dict[str, int] = {}
    for name, data in cases().items():
        answers = answer(library, data)
        if answers not in distinct:
            distinct.append(answers)
        known[name] = distinct.index(answers)
    rows = ",\n".join(json.dumps(answers) for answers in distinct)
    head = json.dumps({"library": f"llama.cpp of xllamacpp {version('xllamacpp')}", "files": known}, indent=1)
    FILE.write_text(f'{head[:-2]},\n "answers": [\n{rows}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
