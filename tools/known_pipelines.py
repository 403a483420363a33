"""Known answers for tokenizer.json files: what Hugging Face's library makes of our test texts.

    python -m tools.known_pipelines                         encode all texts again with the library here
    python -m tools.known_pipelines --add llama-3=FILE …    add or replace a pipeline: a tokenizer.json

Files and answers lie in tests/known_answers/pipelines.json.xz, with the library's version. Each pipeline
has the steps of the published file that its name says, around a small vocabulary that the library trained on
the declarations of human rights: build such a file with the library, keep it small, and name it here.
"""

from __future__ import annotations

import json
import lzma
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.texts import known_texts
from tokenizers.split.engines import load_huggingface
from tokenizers.utf8 import well_formed
from tools.known_answers import FOLDER
from tools.options import read_options

FILE = FOLDER / "pipelines.json.xz"


def answer(library: Any, content: dict[str, Any]) -> dict[str, Any]:
    """What the library makes of the texts, and of a text with all added tokens."""
    engine = library.Tokenizer.from_str(json.dumps(content))
    frame = engine.encode("the", add_special_tokens=True).ids
    marked = "the" + "".join(token["content"] + " the " for token in content["added_tokens"])
    allowed = engine.encode(marked, add_special_tokens=False).ids
    engine.encode_special_tokens = True
    answers = {}
    for name, text in known_texts().items():
        text = well_formed(text)
        ids = engine.encode(text, add_special_tokens=False).ids
        decoded = engine.decode(ids, skip_special_tokens=False)
        answers[name] = [ids, None if decoded == text else decoded]
    return {"frame": frame, "marked": marked, "allowed": allowed, "answers": answers}


def main() -> None:
    """Write all pipelines and their answers."""
    asked = read_options(__doc__, add=[])
    library = load_huggingface()
    known = json.loads(lzma.decompress(FILE.read_bytes()))["pipelines"]
    files = {name: pipeline["file"] for name, pipeline in known.items()}
    for added in asked.add:
        name, _, path = added.partition("=")
        files[name] = json.loads(Path(path).read_text("utf-8"))
    pipelines = {name: {"file": file, **answer(library, file)} for name, file in files.items()}
    content = {"library": f"tokenizers {version('tokenizers')}", "pipelines": pipelines}
    data = json.dumps(content, ensure_ascii=False).encode()
    FILE.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
