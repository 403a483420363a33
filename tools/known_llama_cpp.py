"""Known answers for .gguf files: what llama.cpp itself makes of small files of all kinds.

    python -m tools.known_llama_cpp --packages FOLDER

FOLDER holds llama.cpp, as ``pip install --no-deps --target FOLDER xllamacpp==2026.10.11549`` puts it there:
that library has llama.cpp's functions. The ids go to tests/known_answers/llama_cpp.json: of each file the
number of its answers, which are what is put around a text, the ids of each text, and those of each marked
text with special tokens.
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from tests.gguf_cases import MARKED, TEXTS, cases
from tools.llama_cpp import LlamaCpp

FILE = Path(__file__).resolve().parent.parent / "tests" / "known_answers" / "llama_cpp.json"


def answer(library: LlamaCpp, data: bytes) -> list[Any]:
    """What is put around a text, the ids of each text, and those of each marked text with special tokens."""
    with library.opened(data) as vocabulary:
        return [
            vocabulary.encode("", frame=True, special=True),
            list(map(vocabulary.encode, TEXTS)),
            [vocabulary.encode(text, special=True) for text in MARKED],
        ]


def main() -> None:
    """Write the answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", type=Path, required=True, help="the folder with the library")
    packages = parser.parse_args().packages
    library = LlamaCpp(packages / "xllamacpp")
    [version] = {each.version for each in distributions(path=[str(packages)]) if each.name == "xllamacpp"}
    distinct: list[Any] = []
    known: dict[str, int] = {}
    for name, data in cases().items():
        answers = answer(library, data)
        if answers not in distinct:
            distinct.append(answers)
        known[name] = distinct.index(answers)
    rows = ",\n".join(json.dumps(answers) for answers in distinct)
    head = json.dumps({"library": f"llama.cpp of xllamacpp {version}", "files": known}, indent=1)
    FILE.write_text(f'{head[:-2]},\n "answers": [\n{rows}\n]}}\n', "utf-8")
    print(f"{FILE.name}: {len(known)} files, {len(distinct)} answers, by xllamacpp {version}")


if __name__ == "__main__":
    main()
