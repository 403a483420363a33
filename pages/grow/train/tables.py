"""Draws an encoding in words and tables: its recipe, merges, longest tokens and files; and all runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.grow.by_hand.state import ByHandState
from pages.grow.train.form import HELD_NAMES, NORMALISATION_NAMES, TIE_NAMES
from pages.grow.train.progress import token_text
from pages.grow.train.state import TrainState
from pages.session.own_texts import OwnText
from pages.session.train_plan import Recipe, is_bundled, title_of
from pages.session.trained_encoding import TrainedEncoding
from pages.shared import page_files
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import file_name, show_table
from pages.shared.widgets import get_state, show_info, tied
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import HomeEncoding, find_nested_specials, home_trained
from tokenizers.data import LANGUAGE, read_bundled
from tokenizers.encoding import Encoding
from tokenizers.files import WRITERS, can_minbpe_read, file_of, format_of, guards_pattern, tiktoken_snippet
from tokenizers.split import Difference, find_difference, find_pattern, has_huggingface, pattern_name
from tokenizers.text import quote
from tokenizers.utf8 import well_formed

_SHOWN_MERGES = 5_000
_LINE = 240  # characters of the text that By hand and the playground open with


# The recipe


def draw_recipe(state: TrainState, name: str, trained: TrainedEncoding) -> None:
    """Draw how it was trained, a field for its name, and a button to train it again."""
    rows = recipe_rows(trained)
    st.markdown("\n".join(f"- **{label}**: {escape(value)}" for label, value in rows))
    field, again = st.columns([3, 2], vertical_alignment="bottom")
    key = state.key(f"rename_{name}")
    field.text_input(
        "Its name",
        value=name,
        max_chars=40,
        key=key,
        on_change=_rename,
        args=(state, name, key),
        help="Under this name, you can choose it on every page.",
    )
    if trained.recipe is not None:
        again.button(
            "Grow it again …",
            icon=":material/replay:",
            key=state.key("again"),
            width="stretch",
            on_click=_again,
            args=(state, trained, trained.recipe),
            help="Sets the form above to what this one was grown with: change something, and press Grow.",
        )


def _rename(state: TrainState, name: str, key: str) -> None:
    try:
        state.encoding = get_workspace().rename_encoding(name, str(st.session_state[key]))
    except ValueError as problem:
        state.say(str(problem), error=True)


def _again(state: TrainState, trained: TrainedEncoding, recipe: Recipe) -> None:
    own = _own_texts_here(trained)
    gone = [key for key, _ in recipe.weighted_parts if not is_bundled(key) and key not in own]
    note = "The recipe is filled in: press Grow to learn the same again, or change it first."
    if gone:
        note = (
            f"The recipe is filled in, but {len(gone)} of your own texts that it was grown from have "
            f"changed or are gone, so it would not learn the same. Bring them again, or change the recipe."
        )
    state.hand_over(recipe, note)
    state.own = list(own)


def _own_texts_here(trained: TrainedEncoding) -> dict[str, OwnText]:
    """The own texts that it was trained on, by key, if they have not changed."""
    own, digests = get_workspace().own_texts, trained.own_digests
    parts = trained.recipe.parts if trained.recipe else ()
    return {key: own[key] for key, _ in parts if key in own and own[key].digest == digests.get(key)}


def recipe_rows(trained: TrainedEncoding) -> list[tuple[str, str]]:
    """The facts about an encoding's origin: (label, words)."""
    encoding, training, recipe = trained.encoding, home_trained(trained.encoding), trained.recipe
    size = f"{encoding.n_vocab:,} tokens"
    if training is not None:
        size += f": 256 bytes, {len(trained.merges):,} merges"
        if encoding.special_tokens:
            size += f", {len(encoding.special_tokens):,} special"
    if recipe is None:
        rows = [("From", trained.file or "a file")]
        if training is None:
            return [*rows, *encoding.steps]
        source = ", as you said: the file does not tell" if trained.pattern_chosen else ", as the file says"
        return [*rows, ("Size", size), ("Walls", _walls_in_words(training.pattern) + source)]
    settings = {
        "pattern": ("Walls", _walls_in_words(find_pattern(recipe.pattern))),
        "ties": ("When two pairs tie", TIE_NAMES[recipe.ties]),
        "coverage": ("Character coverage", f"{100 * recipe.coverage:g}%"),
        "byte_fallback": ("Byte fallback", "yes" if recipe.byte_fallback else "no"),
        "normalisation": ("Normalisation", NORMALISATION_NAMES[recipe.normalisation]),
        "split_digits": ("Every digit a token", "yes" if recipe.split_digits else "no"),
        "small_letters": ("Small letters, no accents", "yes" if recipe.small_letters else "no"),
        "special_tokens": ("Special tokens", ", ".join(recipe.special_tokens) or "none of yours"),
    }
    held = f"{recipe.held_out:.0%}, {HELD_NAMES[recipe.held_from]}" if recipe.held_out else "nothing"
    return [
        ("Texts", _texts_in_words(trained, recipe)),
        ("Method", f"{recipe.facts.label}, learned by {recipe.facts.learned_by}"),
        ("Size", size),
        *(settings[setting] for setting in recipe.facts.settings),
        ("Held out", held),
        ("Time", f"{trained.seconds:.1f} seconds"),
    ]


def _texts_in_words(trained: TrainedEncoding, recipe: Recipe) -> str:
    """Its texts, by their titles at the training; after a stopped training, by their present titles."""
    own = _own_texts_here(trained)
    texts = []
    for number, (key, weight) in enumerate(recipe.weighted_parts):
        if key.startswith(LANGUAGE):
            title = f"the declaration in {title_of(key, own)}"
        elif trained.report:
            title = trained.report["sources"][number]["title"]
        else:
            title = title_of(key, own) if key in own or is_bundled(key) else "a text of yours"
        texts.append(title if weight == 1 else f"{title} × {weight:g}")
    return f"{', '.join(texts)}: {bytes_in_words(trained.n_bytes)} read"


def _walls_in_words(pattern: str | None) -> str:
    """The name of a split pattern.

    >>> _walls_in_words(None), _walls_in_words("[a-z]+")
    ('none', 'your own regex, [a-z]+')
    """
    if pattern is None:
        return "none"
    return pattern_name(pattern) or f"your own regex, {pattern}"


# The merges


def draw_merges(name: str, encoding: HomeEncoding, trained: TrainedEncoding) -> None:
    """Draw all merges, a search, and buttons to see them at work."""
    query = st.text_input(
        "Search the merges",
        placeholder="a part of a token, such as ing",
        max_chars=100,
        **tied(TrainState.search),
    )
    wanted = well_formed(query.replace("·", " ")).encode()
    chosen = [rank for rank, token in enumerate(encoding.tokens[256:]) if wanted in token]
    ranks = chosen[:_SHOWN_MERGES]
    if not chosen:
        show_info("No merge makes a token with that in it." if query else "There are no merges.")
        return
    texts = list(map(token_text, encoding.tokens))
    columns: dict[str, list[int] | list[str]] = {
        "rank": [rank + 1 for rank in ranks],
        "left": [texts[encoding.merges[rank][0]] for rank in ranks],
        "right": [texts[encoding.merges[rank][1]] for rank in ranks],
        "joined": [texts[256 + rank] for rank in ranks],
        "id": [256 + rank for rank in ranks],
    }
    if trained.counts:
        columns["count"] = [trained.counts[rank] for rank in ranks]
    show_table(pd.DataFrame(columns), height=320)
    more = f"; the first {_SHOWN_MERGES:,} are shown" if len(chosen) > len(ranks) else ""
    line = first_line(trained)
    st.caption(
        f"{len(chosen):,} of {len(encoding.merges):,} merges{more}. The pair that was side by side most "
        "often comes first; then all is counted again. Count: how often the pair occurred before the merge. "
        "· is a space, ⏎ a line feed; bytes that are not whole characters are in hex."
        + (" See it on a line of its own text:" if line else "")
    )
    if not line:
        return
    with st.container(horizontal=True):
        if st.button("The same by hand", icon=":material/touch_app:", key=TrainState.key("by_hand")):
            get_state(ByHandState).hand_over(line, encoding.pattern)
            st.switch_page(page_files.BY_HAND)
        if st.button("In the playground", icon=":material/edit_note:", key=TrainState.key("line_there")):
            workspace = get_workspace()
            workspace.put_first(name)
            workspace.take(line)
            st.switch_page(page_files.PLAYGROUND)


def first_line(trained: TrainedEncoding) -> str:
    """The first line of its training text, without a title; empty if the text is gone."""
    if trained.recipe is None:
        return ""
    own = _own_texts_here(trained)
    for key, _ in trained.recipe.weighted_parts:
        try:
            text = own[key].text if key in own else read_bundled(key).texts[0]
        except (OSError, ValueError, KeyError):
            continue
        lines = [line.strip() for line in text[:20_000].splitlines()]
        long = [line for line in lines if len(line) > 60] or [line for line in lines if line]
        if long:
            line = long[0][:_LINE]
            return line if len(long[0]) <= _LINE else line.rpartition(" ")[0] or line
    return ""


def draw_longest(trained: TrainedEncoding) -> None:
    """Draw the longest tokens."""
    encoding = trained.encoding
    lengths = encoding.byte_lengths.tolist()
    if home_trained(encoding) is not None:
        learned: Iterable[int] = range(256, 256 + len(trained.merges))
    else:
        learned = encoding.ordinary.values()
    ids = sorted(learned, key=lambda i: -lengths[i])[:100]
    if not ids:
        show_info("There are no merges.")
        return
    columns = {
        "token": [token_text(encoding.token_bytes(i)) for i in ids],
        "bytes": [lengths[i] for i in ids],
        "id": ids,
    }
    show_table(pd.DataFrame(columns), height=360)


# All runs


def draw_runs(own: Mapping[str, TrainedEncoding]) -> None:
    """Draw all own encodings in a table."""
    show_table(runs_table(own), height="content" if len(own) < 12 else 420)
    st.caption(
        "Held-out text is each run’s own: figures of runs with the same texts and the same share held out "
        "can be compared. To compare all of them on one text, choose them on Compression."
    )


def runs_table(own: Mapping[str, TrainedEncoding]) -> pd.DataFrame:
    """A row for each encoding: its settings and results."""
    rows = []
    for name, trained in own.items():
        facts, training, recipe = dict(recipe_rows(trained)), home_trained(trained.encoding), trained.recipe
        row = {
            "name": name,
            "method": recipe.facts.label if recipe else trained.encoding.family,
            "tokens": trained.encoding.n_vocab,
            "bytes per token, held-out": trained.held_out_ratio,
            "bytes per token, learned": trained.n_bytes / trained.n_tokens[-1] if trained.n_tokens else None,
            "walls": _walls_in_words(training.pattern) if training is not None else None,
            "ties": facts.get("When two pairs tie"),
            "seconds": trained.seconds if recipe else None,
            "texts": facts.get("Texts") or facts.get("From"),
        }
        rows.append(row)
    return pd.DataFrame(rows).round({"seconds": 1}).round(2)


_READ_BY = {".model": "Token Grove and minbpe", ".tiktoken": "tiktoken", ".json": "tokenizer.json"}
_WALL = " │ "
_MOST_PIECES = 4  # of a split that a warning quotes


def draw_downloads(name: str, encoding: Encoding) -> None:
    """Draw a download button for each format, and advice about the files."""
    training = home_trained(encoding)
    if training is None:
        data = encoding.cached(file_of)
        form = format_of(data)
        assert form is not None
        _draw_button(form.label, data, name, form.ending)
        st.caption("A file in its own format, which can be brought back here.")
        return
    with st.container(horizontal=True):
        for ending, data in training.cached(_files_of).items():
            _draw_button(_READ_BY[ending], data, name, ending)
    _draw_advice(name, training)


def _draw_button(label: str, data: bytes, name: str, ending: str) -> None:
    st.download_button(
        label,
        data,
        f"{file_name(name)}{ending}",
        "application/octet-stream",
        on_click="ignore",
        key=TrainState.key(f"download_{ending[1:]}"),
    )


def _files_of(encoding: Encoding) -> dict[str, bytes]:
    """The files of a home-trained encoding, by ending, in each format that can hold it."""
    trained = home_trained(encoding)
    assert trained is not None
    files = {}
    for ending, write in WRITERS.items():
        with contextlib.suppress(ValueError):  # it has tokens that this format cannot tell apart
            files[ending] = write(trained)
    return files


def _draw_advice(name: str, encoding: HomeEncoding) -> None:
    """Draw advice: how other libraries read these files, and code that loads the second in tiktoken."""
    if not can_minbpe_read(encoding):
        st.caption(
            "minbpe cannot read the .model file: a special token holds a blank, and its reader splits there."
        )
    elif guards_pattern(encoding):
        st.caption(
            "minbpe’s reader strips blanks around a split pattern. So in the .model file yours has an empty "
            "group, (?:), where it begins or ends with a blank: it matches nothing, and guards the blank."
        )
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
        in_tiktoken = find_difference(encoding.pattern, "tiktoken")
        in_huggingface = find_difference(encoding.pattern, "huggingface") if has_huggingface() else None
    except ValueError as problem:
        st.warning(escape(f"Your split pattern could not be tried elsewhere. {problem}"))
        return
    if ".json" in encoding.cached(_files_of):
        if in_huggingface is not None:
            difference = difference_in_words("Hugging Face’s tokenizers", in_huggingface)
            st.warning(escape(f"tokenizer.json: {difference} Its ids may be other ones."))
    if in_tiktoken is not None:
        difference = difference_in_words("tiktoken", in_tiktoken)
        st.warning(
            escape(
                f"{difference} The .tiktoken file holds the right tokens, but no code is shown here that "
                "loads it: it would give other ids."
            )
        )
        return
    st.caption("How to load the second in tiktoken; the third is for Hugging Face’s tokenizers.")
    if encoding.pattern is not None and pattern_name(encoding.pattern) is None:
        both = has_huggingface() and in_huggingface is None
        st.caption(_tried_in_words(["tiktoken", *["Hugging Face’s tokenizers"] * both]))
    snippet = tiktoken_snippet(encoding, f"{file_name(name)}.tiktoken")
    st.code(snippet, language="python", wrap_lines=True)


def difference_in_words(engine: str, difference: Difference) -> str:
    """How another engine differs on a split pattern of one's own.

    >>> difference_in_words("tiktoken", Difference("", ("a", "b"), ("ab",)))
    'tiktoken reads your split pattern in another way: it cuts “ab” into “ab”, and here it is “a” and “b”.'
    >>> difference_in_words("tiktoken", Difference("Invalid escape"))
    'tiktoken does not take your split pattern (Invalid escape).'
    """
    if difference.problem:
        return f"{engine} does not take your split pattern ({difference.problem})."
    text = "".join(difference.ours)
    theirs = _listed(difference.theirs) or "nothing"
    dropped = "" if "".join(difference.theirs) == text else ", and drops the rest"
    return (
        f"{engine} reads your split pattern in another way: it cuts {_quoted(text)} into {theirs}"
        f"{dropped}, and here it is {_listed(difference.ours)}."
    )


def _tried_in_words(engines: Sequence[str]) -> str:
    tried = (
        f"Your own split pattern was tried in {' and '.join(engines)} on several hundred short texts "
        "that are made to tell regular expression engines apart, and cut all of them as here."
    )
    if not has_huggingface():
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
