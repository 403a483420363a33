"""Warns on pages with measurements about encodings that lose text, or learned from the measured text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

import streamlit as st

from pages.session.own_texts import is_own_key
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from tokenizers.registry import model_name, sources_learned


def share_trained_on(workspace: Workspace, name: str, keys: Collection[str]) -> float:
    """The share of a text's sources that an encoding was trained on, 0 to 1.

    Args:
        workspace: the session's workspace.
        name: the encoding's name.
        keys: the keys of the text's sources, as in a ``Recipe``. An own text counts if its content has not
            changed since the training, under any key.
    """
    learned: Collection[str] = sources_learned(name)
    own_digests: Collection[str] = ()
    if (own := workspace.own_encodings.get(name)) is not None:
        learned = dict(own.recipe.weighted_parts) if own.recipe is not None else ()
        own_digests = own.own_digests.values()

    def is_learned(key: str) -> bool:
        if not is_own_key(key):
            return key in learned
        own = workspace.own_texts.get(key) if own_digests else None
        return own is not None and own.digest in own_digests

    return sum(map(is_learned, keys)) / max(1, len(keys))


def training_warnings(
    workspace: Workspace, names: Sequence[str], texts: Mapping[str, Collection[str]]
) -> list[str]:
    """One sentence for each group of encodings that were trained on the same measured texts.

    Args:
        workspace: the session's workspace.
        names: the measured encodings.
        texts: the keys of each measured text's sources, by the text's title.
    """
    names_by_text: dict[str, list[str]] = {}
    for name in names:
        shares = {title: share_trained_on(workspace, name, keys) for title, keys in texts.items()}
        seen = [title for title, share in shares.items() if share]
        if not seen:
            continue
        what = "this very text" if len(seen) == 1 else "these very texts"
        if any(shares[title] < 1 for title in seen):
            what = f"a part of {what.replace(' very', '')}"
        what = f"{what} ({', '.join(seen)})" if len(texts) > 1 else what
        names_by_text.setdefault(what, []).append(name)
    return [
        f"{' and '.join(map(model_name, who))} learned from {what}, so {'their' if who[1:] else 'its'} "
        "token counts there are too low: other text of that kind takes more tokens."
        for what, who in names_by_text.items()
    ]


def warn_of_training(
    workspace: Workspace, names: Sequence[str], texts: Mapping[str, Collection[str]]
) -> None:
    """Show which of these encodings were trained on which of these texts; see ``training_warnings``."""
    for sentence in training_warnings(workspace, names, texts):
        st.caption(escape(sentence))


def lossy_encodings(workspace: Workspace, names: Iterable[str]) -> list[str]:
    """The encodings among these that may lose a part of a text, in the same order."""
    lossy = []
    for name in names:
        with suppress(ValueError, OSError):  # it cannot be loaded, and the page shows the error
            if workspace.find_encoding(name).drops_text:
                lossy.append(name)
    return lossy


def lose(names: Sequence[str]) -> str:
    """The encodings and the verb "lose", for a sentence; at least one name.

    >>> lose(["words"]), lose(["a", "b", "clip"])
    ('words loses', 'a, b and CLIP lose')
    """
    *others, last = map(model_name, names)
    return f"{', '.join(others)} and {last} lose" if others else f"{last} loses"


def loss_note(names: Iterable[str], lossy: Collection[str]) -> str:
    """The end of a chart's title: which of its encodings lose text.

    >>> loss_note(["gpt2", "words"], ["words"]), loss_note(["gpt2"], ["words"])
    (' (words loses text)', '')
    """
    losers = [name for name in names if name in lossy]
    return f" ({lose(losers)} text)" if losers else ""


def loss_warnings(lossy: Sequence[str]) -> list[str]:
    """A sentence about the encodings of ``lossy_encodings``, if there are some: text may be lost."""
    if not lossy:
        return []
    return [
        f"{lose(lossy)} what is not in the vocabulary: few tokens can mean that text is lost. The playground "
        "shows what is lost."
    ]
