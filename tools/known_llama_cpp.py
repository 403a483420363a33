"""Known answers for .gguf files: what llama.cpp itself makes of small files of all kinds.

    python -m tools.known_llama_cpp --packages FOLDER

FOLDER holds llama.cpp, as ``pip install --no-deps --target FOLDER xllamacpp==2026.10.11549`` puts it there:
that library has llama.cpp's functions. The ids go to tests/known_answers/llama_cpp.json: of each file the
number of its answers, which are what is put around a text, the ids of each text, and those of each marked
text with special tokens.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from tests.gguf_cases import MARKED, TEXTS, cases

FILE = Path(__file__).resolve().parent.parent / "tests" / "known_answers" / "llama_cpp.json"

_POINTER, _INT, _BOOL = ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool


class Parameters(ctypes.Structure):
    """``llama_model_params`` of llama.h."""

    _fields_ = (
        *((f"pointer{number}", _POINTER) for number in range(2)),
        *((f"number{number}", _INT) for number in range(5)),
        *((f"pointer{number}", _POINTER) for number in range(2, 6)),
        ("vocab_only", _BOOL),
        *((f"flag{number}", _BOOL) for number in range(5)),
    )


def load_library(packages: Path) -> tuple[Any, Any]:
    """The library, and what keeps its log silent as long as it lives."""
    sys.path.append(str(packages))
    [file] = (packages / "xllamacpp").glob("*.so")
    library = ctypes.CDLL(str(file))
    library.llama_model_default_params.restype = Parameters
    library.llama_model_load_from_file.restype = library.llama_model_get_vocab.restype = _POINTER
    library.llama_model_load_from_file.argtypes = [ctypes.c_char_p, Parameters]
    library.llama_model_get_vocab.argtypes = library.llama_model_free.argtypes = [_POINTER]
    library.llama_tokenize.argtypes = [_POINTER, ctypes.c_char_p, _INT, _POINTER, _INT, _BOOL, _BOOL]
    silence = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, _POINTER)(lambda *_: None)
    library.llama_log_set(silence, None)
    library.llama_backend_init()
    return library, silence


def answer(library: Any, data: bytes) -> list[Any]:
    """What is put around a text, the ids of each text, and those of each marked text with special tokens."""
    parameters = library.llama_model_default_params()
    parameters.vocab_only = True
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        file.write(data)
        file.flush()
        model = library.llama_model_load_from_file(file.name.encode(), parameters)
    if not model:
        raise ValueError("llama.cpp does not read the file.")
    vocabulary = library.llama_model_get_vocab(model)

    def encode(text: str, frame: bool, special: bool) -> list[int]:
        data = text.encode("utf-8")
        ids = (_INT * (4 * len(data) + 8))()
        found = library.llama_tokenize(vocabulary, data, len(data), ids, len(ids), frame, special)
        return list(ids[:found])

    answers = [encode("", True, True), [encode(text, False, False) for text in TEXTS]]
    answers.append([encode(text, False, True) for text in MARKED])
    library.llama_model_free(model)
    return answers


def main() -> None:
    """Write the answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", type=Path, required=True, help="the folder with the library")
    packages = parser.parse_args().packages
    library, _silence = load_library(packages)
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
