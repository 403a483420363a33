"""The place for files: what is chosen or dropped there comes part by part, and then waits."""

from __future__ import annotations

import lzma
from collections.abc import Sequence

import streamlit as st

from pages.grow.bring.state import Bringing, BringState
from pages.session.incoming import Arrived
from pages.session.waiting import BOTH_HALVES, LABELS, RANKS, WORD_LIST
from pages.shared.components import newest_message, register
from pages.shared.fragments import fragment
from pages.shared.session import get_workspace
from tokenizers.encoding import ASSETS

KEY = BringState.key("files")

_mount = register("files")


_ABOUT = {
    "tokenizer.json": "Hugging Face’s, beside a model’s weights: the whole pipeline",
    "SentencePiece’s .model": "tokenizer.model or spiece.model, as of Llama 2, Mistral, Gemma and T5",
    ".gguf": "llama.cpp’s and Ollama’s: the header alone is read, however large the file is",
    "tekken.json": "Mistral’s newer ones",
    RANKS: "tiktoken’s, and Llama 3’s tokenizer.model; you will be asked for its split pattern",
    BOTH_HALVES: "GPT-2’s way: both are needed",
    WORD_LIST: "BERT’s; you will be asked whether it drops capitals",
    "minbpe’s .model": "minbpe’s, and what Train saves of byte pairs",
    "Token Grove’s own .json": "what Train saves of characters and words",
    "Token Grove’s own .ranks": "a .tiktoken that was taken here, with the pattern that you chose",
}
"""What people should know of each kind of file; of others, its name is enough."""

_HOW = "Several at once, under any name: each is recognised by its content."


def kinds_in_words() -> list[str]:
    """Each kind of file that can be brought, and what to know of it, in the order of worth."""
    return [f"**{kind}**: {_ABOUT[kind]}" for kind in _ABOUT if kind in LABELS] + [
        f"**{kind}**" for kind in LABELS if kind not in _ABOUT
    ]


@fragment
def draw_files(bringing: Bringing) -> None:
    """The place for files. It runs again at every part that comes; the whole page runs once all are there."""
    incoming = bringing.incoming
    message = newest_message(KEY)
    if message:
        incoming.hear(message)
    _mount(data={**incoming.next_step(), "how": _HOW}, key=KEY, on_message_change=lambda: None)
    arrived = incoming.take_arrived()
    if arrived or (incoming.problems and not incoming.is_busy):
        with st.spinner("Reading what came…"):
            put(bringing, arrived, incoming.problems)
        incoming.problems = []
        st.rerun()


EXAMPLE = "mistral-v1.model"


def put_example(bringing: Bringing) -> None:
    """Let a file that is here wait, unless it does already."""
    if not any(waiting.file == EXAMPLE for waiting in bringing.tray.waiting.values()):
        data = lzma.decompress((ASSETS / "vocabularies" / f"{EXAMPLE}.xz").read_bytes())
        put(bringing, [Arrived(EXAMPLE, data, len(data))])


def put(bringing: Bringing, files: Sequence[Arrived], problems: Sequence[str] = ()) -> None:
    """Read files, so that they wait; what is wrong with them, and ``problems``, is said on the page."""
    bringing.taken = ""
    bringing.problems = [*problems, *bringing.tray.put(files, get_workspace())]
