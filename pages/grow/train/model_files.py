"""A grown encoding as files: to download, and to bring back."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import streamlit as st

from pages.grow.train.bench import Bench, RankFile, bring
from pages.grow.train.state import NO_WALLS, TrainState
from pages.shared.plain import plain
from pages.shared.widgets import get_state, tied
from tokenizers.bpe import HomeEncoding, find_nested_specials
from tokenizers.encoding import Encoding
from tokenizers.formats import read_any, reader_of_saved, save, storage, tiktoken_file
from tokenizers.split import PATTERN_LABELS, Trial, Trials, pattern_name, try_pattern
from tokenizers.text import quote, spell_token

_WALL = " │ "
_MOST_PIECES = 4  # of a split that a warning quotes


def draw_downloads(name: str, encoding: Encoding) -> None:
    if encoding.training is not None:
        _draw_downloads_of_merges(name, encoding.training)
        return
    reader = reader_of_saved(encoding)
    st.download_button(
        reader.label,
        functools.partial(save, encoding),
        f"{_file_name(name)}{reader.ending}",
        "application/octet-stream",
        on_click="ignore",
        key=TrainState.key("download_saved"),
    )
    st.caption("A file in its own format, which can be brought back here.")


def _draw_downloads_of_merges(name: str, encoding: HomeEncoding) -> None:
    labels = {ending: kind.read_by for ending, kind in storage.FORMATS.items()}
    if not encoding.spells_out:
        labels = {".model": labels[".model"]}  # the others hold the bytes of every token
    else:
        try:
            storage.FORMATS[".json"].write(encoding)
        except ValueError:
            del labels[".json"]  # it has tokens that this format cannot tell apart
    with st.container(horizontal=True):
        for ending, label in labels.items():
            st.download_button(
                label,
                functools.partial(storage.FORMATS[ending].write, encoding),
                f"{_file_name(name)}{ending}",
                "application/octet-stream",
                on_click="ignore",
                key=TrainState.key(f"download_{ending[1:]}"),
            )
    if not storage.can_minbpe_read(encoding):
        st.caption(
            "minbpe cannot read the .model file: a special token holds a blank, and its reader splits there."
        )
    elif storage.guards_pattern(encoding):
        st.caption(
            "minbpe’s reader strips blanks around a split pattern. So in the .model file yours has an empty "
            "group, (?:), where it begins or ends with a blank: it matches nothing, and guards the blank."
        )
    try:
        encoding.check_spelled_out("The other kinds of files do; a .model holds the merges alone.")
    except ValueError as problem:
        st.caption(plain(str(problem)))
        return
    nested = find_nested_specials(encoding.special_tokens)
    if nested:
        st.warning(
            plain(
                f"The special token {nested[1]} begins with another one, {nested[0]}. Where a text spells "
                "the longer one, it counts here and in Hugging Face’s tokenizers; minbpe takes the one that "
                "comes first in its file, and tiktoken may take either: the order of its hash table decides."
            )
        )
    try:
        trials = try_pattern(encoding.pattern)
    except ValueError as problem:
        st.warning(plain(f"Your split pattern could not be tried elsewhere. {problem}"))
        return
    is_own = encoding.pattern is not None and pattern_name(encoding.pattern) is None
    if ".json" in labels:
        told = trial_in_words("Hugging Face’s tokenizers", trials.huggingface)
        if told:
            st.warning(plain(f"tokenizer.json: {told} Its ids may be other ones."))
    told = trial_in_words("tiktoken", trials.tiktoken)
    if told:
        st.warning(
            plain(
                f"{told} The .tiktoken file holds the right tokens, but no code is shown here that loads it: "
                "it would give other ids."
            )
        )
        return
    st.caption("How to load the second in tiktoken; the third is for Hugging Face’s tokenizers.")
    if is_own:
        st.caption(_tried_in_words(trials))
    snippet = tiktoken_file.snippet(encoding, f"{_file_name(name)}.tiktoken")
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


def draw_bring(bench: Bench) -> None:
    """Bring an encoding in a file."""
    state = get_state(TrainState)
    if bench.rank_file is not None:
        _ask_for_walls(bench, bench.rank_file)
    with st.expander("Bring one in a file", icon=":material/upload_file:"):
        uploaded = st.file_uploader(
            "A .model file of ours or minbpe’s, a .tiktoken file, or a tokenizer.json",
            type=[ending[1:] for ending in storage.FORMATS],
            key=state.key(f"bring_{state.uploads}"),
            help="A .tiktoken file does not name its split pattern, so you will be asked for it.",
        )
        if uploaded is not None:
            state.uploads += 1
            take_model(bench, uploaded.name, uploaded.getvalue())
            st.rerun()


def take_model(bench: Bench, file_name: str, data: bytes) -> None:
    """Take over an encoding from a file, or say what is wrong with it; of a .tiktoken file, ask first."""
    file = file_name[-60:]
    is_rank_file = tiktoken_file.is_rank_file(data)
    try:
        if is_rank_file:
            storage.from_bytes(data, _stem(file_name), None, file=file)  # so that a damaged one is refused
        else:
            encoding = read_any(data, _stem(file_name), file=file)
    except (ValueError, OSError) as problem:
        bench.say(str(problem), error=True)
        return
    if is_rank_file:
        bench.rank_file = RankFile(file, data)
        return
    bench.say(f"{bring(bench, encoding, file_name[-60:])} stands in every chooser now.")


def _ask_for_walls(bench: Bench, waiting: RankFile) -> None:
    """Ask which split pattern a .tiktoken file was made with, and show what each makes of a line of text."""
    state = get_state(TrainState)
    with st.container(border=True, key=state.key("walls")):
        st.markdown("**Which walls does it have?**")
        st.write(
            plain(
                f"{waiting.file} lists tokens, but not the split pattern that it was made with. With another "
                "one it gives other ids. Whoever made it can tell; this is what each makes of a line:"
            )
        )
        line = st.text_input("A line of text", max_chars=500, **tied(TrainState.walls_text))
        choices = wall_choices(waiting, line)
        st.radio(
            "Walls between its pieces",
            list(choices),
            format_func=choices.__getitem__,
            **tied(TrainState.walls_of_file),
        )
        pattern = None if state.walls_of_file == NO_WALLS else state.walls_of_file
        with st.container(horizontal=True):
            st.button(
                "Take it with these walls",
                type="primary",
                key=state.key("take_walls"),
                on_click=take_rank_file,
                args=(bench, pattern),
            )
            st.button("Leave it", key=state.key("leave_file"), on_click=leave_rank_file, args=(bench,))


def wall_choices(waiting: RankFile, line: str) -> dict[str, str]:
    """For each split pattern that a file may have, its name and what the file's tokens make of a line."""
    choices: dict[str, str] = {}
    for name, label in {**dict(reversed(PATTERN_LABELS.items())), NO_WALLS: "none: no walls"}.items():
        encoding = _with_walls(waiting.data, None if name == NO_WALLS else name)
        tokens = [encoding.token_bytes(token_id) for token_id in encoding.encode(line)]
        n_tokens = "1 token" if len(tokens) == 1 else f"{len(tokens):,} tokens"
        choices[name] = plain(f"{label}: {n_tokens}, {_WALL.join(map(spell_token, tokens))}")
    return choices


@st.cache_resource(max_entries=8, show_spinner=False)
def _with_walls(data: bytes, pattern: str | None) -> HomeEncoding:
    return storage.from_bytes(data, "file", pattern)


def take_rank_file(bench: Bench, pattern: str | None) -> None:
    """Take over the .tiktoken file that waits, with this split pattern."""
    waiting, bench.rank_file = bench.rank_file, None
    if waiting is None:
        return
    try:
        encoding = storage.from_bytes(waiting.data, _stem(waiting.file), pattern, file=waiting.file)
    except ValueError as problem:
        bench.say(str(problem), error=True)
        return
    bench.say(f"{bring(bench, encoding, waiting.file, walls_told=True)} stands in every chooser now.")


def leave_rank_file(bench: Bench) -> None:
    """Let go of the .tiktoken file that waits."""
    bench.rank_file = None


def _stem(file_name: str) -> str:
    return file_name.rpartition(".")[0][:40] or "grove"
