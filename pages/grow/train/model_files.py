"""A trained encoding as files: to download, and to bring back."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import streamlit as st

from pages.grow.train.state import TrainState
from pages.shared.markdown import escape
from tokenizers.bpe import HomeEncoding, find_nested_specials
from tokenizers.encoding import Encoding
from tokenizers.formats import (
    FORMATS,
    can_minbpe_read,
    file_of,
    guards_pattern,
    reader_of_saved,
    tiktoken_snippet,
)
from tokenizers.split import Trial, Trials, pattern_name, try_pattern
from tokenizers.text import quote

_WALL = " │ "
_MOST_PIECES = 4  # of a split that a warning quotes


def draw_downloads(name: str, encoding: Encoding) -> None:
    """Buttons that save the encoding, one a format, and what people should know before they use a file."""
    training = encoding.training
    if training is None:
        reader = reader_of_saved(encoding)
        _draw_button(reader.label, encoding.kept(file_of), name, reader.ending)
        st.caption("A file in its own format, which can be brought back here.")
        return
    with st.container(horizontal=True):
        for ending, data in training.kept(_files_of).items():
            _draw_button(FORMATS[ending].read_by, data, name, ending)
    _draw_advice(name, training)


def _draw_button(label: str, data: bytes, name: str, ending: str) -> None:
    st.download_button(
        label,
        data,
        f"{_file_name(name)}{ending}",
        "application/octet-stream",
        on_click="ignore",
        key=TrainState.key(f"download_{ending[1:]}"),
    )


def _files_of(encoding: Encoding) -> dict[str, bytes]:
    """The model files of a home-trained encoding, by ending; a format that cannot hold it is left out."""
    assert encoding.training is not None
    files = {}
    for ending, kind in FORMATS.items():
        if ending == ".model" or encoding.training.spells_out:  # the others hold the bytes of every token
            with contextlib.suppress(ValueError):  # it has tokens that this format cannot tell apart
                files[ending] = kind.write(encoding.training)
    return files


def _draw_advice(name: str, encoding: HomeEncoding) -> None:
    """What other libraries make of these files, and the code that loads the second in tiktoken."""
    if not can_minbpe_read(encoding):
        st.caption(
            "minbpe cannot read the .model file: a special token holds a blank, and its reader splits there."
        )
    elif guards_pattern(encoding):
        st.caption(
            "minbpe’s reader strips blanks around a split pattern. So in the .model file yours has an empty "
            "group, (?:), where it begins or ends with a blank: it matches nothing, and guards the blank."
        )
    try:
        encoding.check_spelled_out("The other kinds of files do; a .model holds the merges alone.")
    except ValueError as problem:
        st.caption(escape(str(problem)))
        return
    nested = find_nested_specials(encoding.special_tokens)
    if nested:
        st.warning(
            escape(
                f"The special token {nested[1]} begins with another one, {nested[0]}. Where a text spells "
                "the longer one, it counts here and in Hugging Face’s tokenizers; minbpe takes the one that "
                "comes first in its file, and tiktoken may take either: the order of its hash table decides."
            )
        )
    try:
        trials = try_pattern(encoding.pattern)
    except ValueError as problem:
        st.warning(escape(f"Your split pattern could not be tried elsewhere. {problem}"))
        return
    if ".json" in encoding.kept(_files_of):
        difference = trial_in_words("Hugging Face’s tokenizers", trials.huggingface)
        if difference:
            st.warning(escape(f"tokenizer.json: {difference} Its ids may be other ones."))
    difference = trial_in_words("tiktoken", trials.tiktoken)
    if difference:
        st.warning(
            escape(
                f"{difference} The .tiktoken file holds the right tokens, but no code is shown here that "
                "loads it: it would give other ids."
            )
        )
        return
    st.caption("How to load the second in tiktoken; the third is for Hugging Face’s tokenizers.")
    if encoding.pattern is not None and pattern_name(encoding.pattern) is None:
        st.caption(_tried_in_words(trials))
    snippet = tiktoken_snippet(encoding, f"{_file_name(name)}.tiktoken")
    st.code(snippet, language="python", wrap_lines=True)


def trial_in_words(engine: str, trial: Trial) -> str:
    """What is wrong with a split pattern of one's own in another engine; empty: nothing was seen.

    >>> trial_in_words("tiktoken", Trial("unlike", "ab", ("a", "b"), ("ab",)))
    'tiktoken reads your split pattern in another way: it cuts “ab” into “ab”, and here it is “a” and “b”.'
    >>> trial_in_words("tiktoken", Trial("refused", message="Invalid escape"))
    'tiktoken does not take your split pattern (Invalid escape).'
    """
    if trial.state == "unlike":
        theirs = _listed(trial.theirs) or "nothing"
        dropped = "" if "".join(trial.theirs) == trial.text else ", and drops the rest"
        return (
            f"{engine} reads your split pattern in another way: it cuts {_quoted(trial.text)} into {theirs}"
            f"{dropped}, and here it is {_listed(trial.ours)}."
        )
    if trial.state == "refused":
        return f"{engine} does not take your split pattern ({trial.message})."
    if trial.state == "too much":
        return f"{engine} takes too long, or too much memory, with your split pattern."
    return ""


def _tried_in_words(trials: Trials) -> str:
    engines = ["tiktoken"]
    if trials.huggingface.state == "alike":
        engines.append("Hugging Face’s tokenizers")
    tried = (
        f"Your own split pattern was tried in {' and '.join(engines)} on several hundred short texts "
        "that are made to tell regular expression engines apart, and cut all of them as here."
    )
    if trials.huggingface.state == "not installed":
        tried += (
            " Hugging Face’s tokenizers is not installed here, so it was not tried there: compare some ids "
            "before you rely on it."
        )
    return tried


def _listed(pieces: Sequence[str]) -> str:
    """The first few pieces, quoted."""
    quoted = [_quoted(piece) for piece in pieces[:_MOST_PIECES]]
    if len(pieces) > _MOST_PIECES:
        quoted.append(f"{len(pieces) - _MOST_PIECES} more")
    return " and ".join((", ".join(quoted[:-1]), quoted[-1])) if len(quoted) > 1 else "".join(quoted)


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8"))


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".") or "grove"
