"""Known answers: what the publishers' own libraries make of the texts of ``tests/texts.py``.

    python -m tools.known_answers rwkv-world --packages FOLDER

FOLDER holds the library, as ``pip install --no-deps --target FOLDER rwkv==0.8.32`` puts it there; some need
what they depend on, too. The answers are written to tests/known_answers, with the library's version, and the
tests compare ours with them: so the tests need none of these libraries.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType

from tests.texts import known_texts
from tokenizers.encoding import well_formed

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "known_answers"

Encode = Callable[[str], list[int]]


def _module(path: Path) -> ModuleType:
    """A module alone, without its package: some of those need a whole framework."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rwkv(packages: Path) -> Encode:
    folder = packages / "rwkv"
    tokenizer = _module(folder / "rwkv_tokenizer.py").TRIE_TOKENIZER(str(folder / "rwkv_vocab_v20230424.txt"))
    encode: Encode = tokenizer.encode
    return encode


def _tekken(packages: Path) -> Encode:
    library = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    tokenizer = library.Tekkenizer.from_file(packages / "mistral_common" / "data" / "tekken_240911.json")
    return lambda text: tokenizer.encode(text, bos=False, eos=False)


def _whisper(packages: Path) -> Encode:
    engine = _module(packages / "whisper" / "tokenizer.py").get_encoding("multilingual")
    return lambda text: engine.encode(text, disallowed_special=())


LIBRARIES: dict[str, tuple[str, Callable[[Path], Encode]]] = {
    "rwkv-world": ("rwkv", _rwkv),
    "tekken": ("mistral-common", _tekken),
    "whisper": ("openai-whisper", _whisper),
}
"""By encoding: the library, and how it encodes ordinary text."""


def main() -> None:
    """Write the answers of one library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("encoding", choices=LIBRARIES)
    parser.add_argument("--packages", type=Path, required=True, help="the folder with the library")
    arguments = parser.parse_args()
    library, load = LIBRARIES[arguments.encoding]
    sys.path.append(str(arguments.packages))
    versions = {
        each.name.replace("_", "-"): each.version for each in distributions(path=[str(arguments.packages)])
    }
    encode = load(arguments.packages)
    answers = {name: encode(well_formed(text)) for name, text in known_texts().items()}
    FOLDER.mkdir(exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(ids)}" for name, ids in answers.items())
    head = json.dumps(f"{library} {versions[library]}")
    (FOLDER / f"{arguments.encoding}.json").write_text(f'{{"library": {head}, "answers": {{\n{lines}\n}}}}\n')
    print(f"{arguments.encoding}: {len(answers)} answers of {library} {versions[library]}")


if __name__ == "__main__":
    main()
