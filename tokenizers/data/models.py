"""Files of encodings that come with the app: the recipe of the one trained here, vocabularies of others.

The one that was trained here has two files in assets/models: the .json is the recipe, which people write, and
the .model is what training makes of it, byte for byte: ``python -m tools.grow_model`` writes that.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from ..encoding import ASSETS
from ..shipped import read_published, reading

MODELS_DIR = ASSETS / "models"

FIRST_MODEL = "grove-udhr-8k"
"""The model that pages open on, and whose corpus other vocabularies here learn from too."""


@dataclasses.dataclass(frozen=True, slots=True)
class ModelRecipe:
    """What the model is trained on.

    Attributes:
        languages: codes of the declaration's languages, in the order of the corpus.
        pattern: the split pattern's name.
        vocab_size: tokens in all.
        special_tokens: those with ids after the merges.
    """

    languages: Sequence[str]
    pattern: str
    vocab_size: int
    special_tokens: Sequence[str]


def read_recipe() -> ModelRecipe:
    """The recipe of the model.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.

    >>> recipe = read_recipe()
    >>> recipe.vocab_size, recipe.pattern, len(recipe.languages)
    (8192, 'gpt4o', 28)
    """
    path = MODELS_DIR / f"{FIRST_MODEL}.json"
    with reading(path, f"{FIRST_MODEL} cannot be loaded: its recipe"):
        return ModelRecipe(**json.loads(path.read_text("utf-8")))


# Vocabularies that others published: compressed in assets/vocabularies, checked before they are read

VOCABULARIES_DIR = ASSETS / "vocabularies"

# The SHA-256 of each file, uncompressed: those of its publisher's own.
HASHES = {
    "bert-uncased.vocab.json": "f43c6d0ae702005761fbdcc6d09145d440905dc3e65a0e8d4100e5f5763d91be",
    "claude-2.tokenizer.json": "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
    "clip-bpe.txt": "67603cfda2e032ad77b5f8808af37789d590db664b26df8705d2bf8b3c553fc8",
    "qwen.tiktoken": "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
    "deepseek-v3.tokenizer.json": "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41",
    "qwen3.5.tiktoken": "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd",
    "qwen3.added-tokens.json": "6cdabd90cbbefa55eaf3246069e6116b8e273687013d8a4bc9bb78e627607513",
    "qwen3.5.added-tokens.json": "1fd3e1532acb085d521aa62a18c77a14babe653646c53fed08ff2276e694644e",
    "gemma-4.model": "fffae9bd3e8fa2c1705c5ad9fe24c26e7c94fedf48e701f04a10f31a8d825dd1",
    "glm-5.tiktoken": "d2a312b6d9fa24fc27bdea3387e65477c427214e2fb2372e5f3ae980ffaa3e1d",
    "glm-4.5.added-tokens.json": "aebad1688a62cc1ac7f9ae0c7b61df4f58ce933035ea1a43a73f8486a5404cfc",
    "j2.model": "0da75c7b7590806e6eb791ecb2beeb89df79ef2b94728809a91d1349fa9b3d82",
    "mistral-v1.model": "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
    "rwkv-world.txt": "8324476023347dec2964625ccb2075c864d250a9c6d9a74f36daba628de8c008",
    "tekken-240911.json": "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
    "whisper-multilingual.tiktoken": "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126",
}


def read_vocabulary(file: str, name: str) -> bytes:
    """The content of a vocabulary's file.

    Args:
        file: its name, uncompressed.
        name: of the encoding that needs it, for messages.

    Raises:
        OSError: it is missing or unreadable; names it.
        ValueError: it is damaged; names it.

    >>> read_vocabulary("rwkv-world.txt", "rwkv-world").splitlines()[305]
    b"306 ' G' 2"
    """
    return read_published(VOCABULARIES_DIR / f"{file}.xz", HASHES[file], f"{name} cannot be loaded: its file")
