"""What the page Train shows of growth: before, while and after an encoding is learned."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.grow.train.bench import Bench, bring, own_texts_of, remove
from pages.grow.train.charts import curve_chart, curve_rows, scripts_chart
from pages.grow.train.form import in_words
from pages.grow.train.state import TrainState
from pages.session.train_plan import Recipe
from pages.session.train_run import REFERENCES, Grown, Run
from pages.session.workspace import MAX_PANELS
from pages.shared.charts import draw_chart, show_chart
from pages.shared.colours import hue_of
from pages.shared.plain import plain
from pages.shared.session import get_workspace
from pages.shared.widgets import tied
from tokenizers.bpe import HomeEncoding, find_nested_specials
from tokenizers.data import FIRST_MODEL, PART, read_bundled
from tokenizers.formats import storage, tiktoken_file
from tokenizers.split import PATTERNS, Trial, Trials, try_pattern
from tokenizers.text import COMMON, quote, spell_token, text_of

PLAYGROUND_PAGE = "explore/playground/page.py"  # as pages/main.py calls it
CURVE_HEIGHT = 300
_SHOWN_MERGES = 5_000
_LONGEST_SHOWN = 300  # bytes of a token
_SAMPLE_BYTES = 60_000
_SCROLLING = 9
_LIVE = "on the text it learns from"


def token_text(token: bytes) -> str:
    """A token for a table; of a very long one, its two ends.

    >>> print(token_text(b" the\\n"), token_text("é".encode()[:1]))
    ·the⏎ c3
    """
    return spell_token(token if len(token) <= _LONGEST_SHOWN else _ends_of(token, token))


def _ends_of(head: bytes, tail: bytes) -> bytes:
    return _without_split(head[:150], at_end=True) + "…".encode() + _without_split(tail[-100:], at_end=False)


def _without_split(part: bytes, *, at_end: bool) -> bytes:
    """Without the bytes of a character that the cut went through; what is no text stays as it is."""
    for n_bytes in range(4):
        rest = part[: len(part) - n_bytes] if at_end else part[n_bytes:]
        if text_of(rest) is not None:
            return rest
    return part


def _token_shower(encoding: HomeEncoding) -> Callable[[int], str]:
    """Gives an ordinary token's text for a table, by id; no long token is spelled out for it."""
    if encoding.spells_out:
        return lambda token_id: token_text(encoding.token_bytes(token_id))
    lengths = encoding.byte_lengths
    heads, tails = encoding.token_ends(_LONGEST_SHOWN)

    def show(token_id: int) -> str:
        is_long = lengths[token_id] > _LONGEST_SHOWN
        return token_text(_ends_of(heads[token_id], tails[token_id]) if is_long else heads[token_id])

    return show


# Before


def draw_first_look(recipe: Recipe) -> None:
    """The encoding that comes with the app, on the start of the mix: what there is to beat."""
    name = FIRST_MODEL
    sample = _sample(recipe)
    if not sample.strip():
        st.info("Choose a text to learn from, and its curve is drawn here.", icon=":material/info:")
        return
    n_bytes, tokens, others = _measure_sample(name, sample)
    ratio = n_bytes / max(1, tokens[-1])
    best = max(others, key=lambda other: others[other])
    title = f"{name} reads this at {ratio:.2f} bytes per token, {best} at {others[best]:.2f}"
    rows = curve_rows(name, n_bytes, tokens)
    rules = {other: (found, hue_of(other)) for other, found in others.items()}
    draw_chart(
        curve_chart(rows, {name: hue_of(name)}, most=8192, rules=rules, height=CURVE_HEIGHT),
        title,
        "train_first_look",
    )
    st.caption(
        f"Measured on the first {in_words(n_bytes)} or so of your mix. Every point of the curve is a smaller "
        f"vocabulary. Press Grow: 4,096 tokens from half a megabyte take a second or two."
    )


def _sample(recipe: Recipe) -> str:
    """The start of each source, in the shares of the mix, roughly."""
    own = own_texts_of(recipe)
    chosen = [(key, weight) for key, weight in recipe.parts if weight]
    total = sum(weight for _, weight in chosen) or 1.0
    parts = []
    for key, weight in chosen:
        room = int(_SAMPLE_BYTES * weight / total) + 200
        parts.append(own[key].text[:room] if key in own else _bundled_sample(key)[:room])
    return "\n".join(parts)


@st.cache_data
def _bundled_sample(key: str) -> str:
    try:
        return "\n".join(read_bundled(key).texts)[:_SAMPLE_BYTES]
    except OSError:
        return ""


@st.cache_data(max_entries=40)
def _measure_sample(name: str, sample: str) -> tuple[int, list[int], dict[str, float]]:
    """Bytes, tokens at every vocabulary size, and bytes per token in the encodings to compare with."""
    encoding = tk.get_encoding(name)
    assert isinstance(encoding, HomeEncoding)
    n_bytes = len(tk.well_formed(sample).encode())
    others = {other: n_bytes / len(tk.get_encoding(other).encode(sample)) for other in REFERENCES}
    return n_bytes, encoding.counts_by_size(sample).tolist(), others


# While


def draw_running(bench: Bench) -> None:
    """The run as it goes on; draws itself again and again, and the whole page at the end."""
    st.fragment(_draw_running, run_every=0.25)(bench)


def _draw_running(bench: Bench) -> None:
    run = bench.run
    if run is None:
        return
    if run.is_over:
        st.rerun()
    done, total = len(run.merges), max(1, run.total)
    said, button = st.columns([5, 1], vertical_alignment="center")
    with said:
        st.progress(min(1.0, done / total), text=run_in_words(run))
    button.button(
        "Stop",
        key="train_stop",
        icon=":material/stop_circle:",
        width="stretch",
        on_click=run.cancel,
        disabled=run.cancelled_at is not None,
        help="Stops, and keeps what has been learned.",
    )
    left, right = st.columns([3, 2])
    with left:
        st.altair_chart(
            curve_chart(
                live_rows(run, done),
                {_LIVE: 9},
                most=run.recipe.vocab_size,
                height=CURVE_HEIGHT,
                labels=False,
            ),
            key="train_live_curve",
        )
    with right:
        st.caption("The newest merges")
        st.code(_newest_merges(run, done), language=None, height=CURVE_HEIGHT - 40)


def live_rows(run: Run, done: int) -> pd.DataFrame:
    """The curve so far. It begins without merges, where each byte is a token: there is always a point."""
    n_bytes = run.num_bytes or 1
    return curve_rows(_LIVE, n_bytes, [n_bytes, *run.num_tokens[:done]])


def run_in_words(run: Run) -> str:
    """What a run is doing, for people."""
    if run.cancelled_at is not None:
        return "Stopping, and keeping what has been learned…"
    done, total = len(run.merges), run.total
    if run.state == "waiting":
        before = run.before
        others = "Another encoding is" if before == 1 else f"{before} other encodings are"
        return f"{others} to be finished first; then it is your turn." if before else "Starting…"
    if run.state == "splitting":
        read, of = run.split_bytes
        return f"Splitting the text into pieces: {in_words(read)} of {in_words(of)}"
    if run.state == "learning" and done:
        ratio = run.num_bytes / max(1, run.num_tokens[done - 1])
        return f"{done:,} of {total:,} merges · {ratio:.2f} bytes per token"
    return {
        "reading": "Reading the texts…",
        "preparing": "Preparing the trainer. After an installation without make, the first time takes some "
        "ten seconds…",
        "counting": "Counting the pairs…",
        "measuring": f"{done:,} merges learned; measuring on the text that was held out…",
    }.get(run.state, "Learning…")


def _newest_merges(run: Run, done: int) -> str:
    """The last few, newest first; a long token's start and end."""

    def short(token: bytes) -> str:
        text = token_text(token)
        return text if len(text) <= 12 else f"{text[:5]}…{text[-6:]}"

    lines = []
    width = len(f"{done:,}")
    for i in range(done - 1, max(-1, done - 1 - _SCROLLING), -1):
        left, right = (short(run.shown[part]) for part in run.merges[i])
        lines.append(f"{i + 1:>{width},}  {left} + {right}  ×{run.counts[i]:,}")
    return "\n".join(lines) or " "


# After


def draw_grown(bench: Bench, state: TrainState) -> None:
    """The chosen one of the session's own encodings."""
    names = list(bench.grown)
    state.show(bench.newest, names)  # the newest: chosen by us, once
    bench.newest = None
    name = names[0]
    if len(names) > 1:
        st.segmented_control(
            "Your encodings", names, required=True, format_func=plain, **tied(TrainState.shown)
        )
        name = state.shown or names[-1]
    grown = bench.grown[name]
    hue = hue_of(name, list(get_workspace().grown).index(name))
    _draw_summary(grown)
    _draw_actions(bench, name, grown)
    curve, merges, longest, scripts = st.tabs(["Curve", "Merges", "Longest tokens", "Scripts"])
    with curve:
        _draw_curve(name, grown, hue)
    with merges:
        _draw_merges(grown)
    with longest:
        _draw_longest(grown)
    with scripts:
        _draw_scripts(grown, hue)


def held_out_curve(grown: Grown) -> tuple[float, list[float], dict[str, float]]:
    """The held-out text in the shares of the mix: bytes, tokens at every size, bytes per token elsewhere."""
    weights = dict(enumerate(weight for _, weight in (grown.recipe.parts if grown.recipe else ()) if weight))
    n_bytes, tokens = 0.0, [0.0] * (len(grown.encoding.merges) + 1)
    others = dict.fromkeys(REFERENCES, 0.0)
    for number, source in enumerate(grown.report.get("sources", ())):
        weight = weights[number]
        n_bytes += weight * source["held_bytes"]
        tokens = [total + weight * count for total, count in zip(tokens, source["held_tokens"], strict=True)]
        for other, count in source["references"].items():
            others[other] += weight * count
    return n_bytes, tokens, {other: n_bytes / count for other, count in others.items() if count}


def _draw_summary(grown: Grown) -> None:
    encoding = grown.encoding
    n_bytes, tokens, _ = held_out_curve(grown)
    row = st.container(horizontal=True, gap="medium", key="train_summary")
    row.metric("tokens in all", f"{encoding.n_vocab:,}", width="content")
    row.metric("merges learned", f"{len(encoding.merges):,}", width="content")
    if grown.recipe is None:
        row.metric("comes from", "a file", width="content")
        row.metric("special tokens", f"{len(encoding.special_tokens):,}", width="content")
    else:
        if tokens[-1]:
            row.metric("bytes per token, held-out", f"{n_bytes / tokens[-1]:.2f}", width="content")
        elif grown.num_tokens:
            ratio = grown.num_bytes / max(1, grown.num_tokens[-1])
            row.metric("bytes per token", f"{ratio:.2f}", width="content")
        row.metric(
            "seconds",
            f"{grown.seconds:.1f}",
            help="Reading, splitting, counting and learning.",
            width="content",
        )
    if grown.problem:
        st.warning(plain(grown.problem), icon=":material/warning:")
    if encoding.stopped:
        st.info(plain(encoding.stopped), icon=":material/info:")


def _draw_curve(name: str, grown: Grown, hue: int) -> None:
    if grown.recipe is None:
        st.info(
            "The text that it was grown from is not in the file, so there is no curve of it. Open it in the "
            "playground to see what it does.",
            icon=":material/info:",
        )
        return
    n_bytes, tokens, others = held_out_curve(grown)
    learned, held = "on the text it learned from", "on held-out text"
    rows = [curve_rows(learned, grown.num_bytes, grown.num_tokens, first=1)]
    colours: dict[str, int | None] = {learned: None}
    rules: dict[str, tuple[float, int]] = {}
    title = f"{name}: {rows[0]['bytes per token'].iloc[-1]:.2f} bytes per token" if grown.num_tokens else name
    if tokens[-1]:
        rows.append(curve_rows(held, n_bytes, tokens))
        colours[held] = hue
        rules = {other: (ratio, hue_of(other)) for other, ratio in others.items()}
        title = _verdict(name, grown.encoding.n_vocab, n_bytes / tokens[-1], others)
    points = pd.concat(rows)
    show_chart(
        curve_chart(points, colours, most=grown.encoding.n_vocab, rules=rules, height=CURVE_HEIGHT),
        "train_curve",
        points,
        title=title,
        file=f"growth-{name}",
    )
    if tokens[-1]:
        assert grown.recipe is not None
        st.caption(
            f"Held out: the last {grown.recipe.held_out:.0%} of each text, {in_words(round(n_bytes))} in the "
            "same mix. Dashed: other encodings on the same held-out text."
        )
        st.dataframe(
            _by_source(grown), hide_index=True, height="content" if len(grown.report["sources"]) < 9 else 320
        )


def _verdict(name: str, n_vocab: int, ratio: float, others: dict[str, float]) -> str:
    """What the curve shows, in a sentence."""
    beaten = [other for other in REFERENCES if other in others and ratio > others[other]]
    if not beaten:
        best = max(others, key=lambda other: others[other])
        share = ratio / others[best]
        return f"{name}, with {n_vocab:,} tokens, reaches {share:.0%} of {best}’s {others[best]:.2f}"
    return f"{name}, with {n_vocab:,} tokens, beats {' and '.join(beaten)} on text of its kind"


def _by_source(grown: Grown) -> pd.DataFrame:
    sources = grown.report["sources"]
    total = sum(source["bytes"] for source in sources) or 1

    def ratio(source: dict[str, int], tokens: int) -> float | None:
        return source["held_bytes"] / tokens if tokens else None

    table = pd.DataFrame(
        {
            "source": [source["title"] for source in sources],
            "bytes read": [source["bytes"] for source in sources],
            "share": [f"{source['bytes'] / total:.1%}" for source in sources],
            "bytes held out": [source["held_bytes"] for source in sources],
            "bytes per token": [ratio(source, source["held_tokens"][-1]) for source in sources],
        }
    )
    for other in REFERENCES:
        table[f"in {other}"] = [ratio(source, source["references"][other]) for source in sources]
    return table.round(2)


def _draw_merges(grown: Grown) -> None:
    encoding = grown.encoding
    words = st.text_input(
        "Search the merges",
        key="train_search",
        placeholder="a part of a token, such as ing",
        persist_state="session",
        max_chars=100,
    )
    wanted = tk.well_formed(words.replace("·", " ")).encode()
    chosen = [token_id - 256 for token_id in encoding.tokens_containing(wanted) if token_id >= 256]
    shown = chosen[:_SHOWN_MERGES]
    if not chosen:
        st.info(
            "No merge makes a token with that in it." if words else "There are no merges.",
            icon=":material/info:",
        )
        return
    parts = [encoding.merges[i] for i in shown]
    show = _token_shower(encoding)
    columns: dict[str, list[int] | list[str]] = {
        "rank": [i + 1 for i in shown],
        "left": [show(left) for left, _ in parts],
        "right": [show(right) for _, right in parts],
        "joined": [show(256 + i) for i in shown],
        "id": [256 + i for i in shown],
    }
    if grown.counts:
        columns["count"] = [grown.counts[i] for i in shown]
    st.dataframe(pd.DataFrame(columns), hide_index=True, height=320)
    more = f"; the first {_SHOWN_MERGES:,} are shown" if len(chosen) > len(shown) else ""
    st.caption(
        f"{len(chosen):,} of {len(encoding.merges):,} merges{more}. · is a space, ⏎ a line feed; bytes that "
        "are no whole characters are in hex. Count: how often the pair stood in the text before the merge."
    )


def _draw_longest(grown: Grown) -> None:
    encoding = grown.encoding
    lengths = encoding.byte_lengths.tolist()
    ids = sorted(range(256, 256 + len(encoding.merges)), key=lambda i: -lengths[i])[:100]
    show = _token_shower(encoding)
    if not ids:
        st.info("There are no merges.", icon=":material/info:")
        return
    st.dataframe(
        pd.DataFrame(
            {
                "token": [show(i) for i in ids],
                "bytes": [lengths[i] for i in ids],
                "id": ids,
            }
        ),
        hide_index=True,
        height=360,
    )


def _draw_scripts(grown: Grown, hue: int) -> None:
    if not grown.report:
        st.info(
            "How many tokens each script got is known for what was grown here to its end.",
            icon=":material/info:",
        )
        return
    text, tokens = (
        {script: n for script, n in grown.report[which].items() if script not in (COMMON, PART)}
        for which in ("script_bytes", "script_tokens")
    )
    all_bytes, all_tokens = sum(text.values()) or 1, sum(tokens.values()) or 1
    scripts = sorted({*text, *tokens}, key=lambda script: -text.get(script, 0))
    scripts = [
        script
        for script in scripts
        if text.get(script, 0) / all_bytes > 0.001 or tokens.get(script, 0) / all_tokens > 0.001
    ][:24]
    if not scripts:
        st.info("No letters, no scripts: the text holds digits and signs alone.", icon=":material/info:")
        return
    rows = []
    for script in scripts:
        for of, found, whole in (
            ("bytes in the text", text, all_bytes),
            ("tokens learned", tokens, all_tokens),
        ):
            amount = found.get(script, 0)
            rows.append({"script": script, "of": of, "amount": amount, "share": amount / whole})
    table = pd.DataFrame(rows)
    show_chart(
        scripts_chart(table, hue),
        "train_scripts",
        table,
        title=_buys(scripts, text, tokens),
        column_config={"share": st.column_config.NumberColumn(format="percent")},
        file=f"scripts-{grown.encoding.name}",
    )
    other = sum(grown.report["script_tokens"].get(kind, 0) for kind in (COMMON, PART))
    st.caption(
        f"Letters only. Besides, {other:,} tokens are spaces, digits, signs and parts of characters. A "
        "script’s share of the bytes buys it merges, though not one to one."
    )


def _buys(scripts: list[str], text: dict[str, int], tokens: dict[str, int]) -> str:
    all_bytes, all_tokens = sum(text.values()) or 1, sum(tokens.values()) or 1
    if len(scripts) == 1:
        return f"All text is {scripts[0]}, and so are its {tokens.get(scripts[0], 0):,} tokens"
    script = scripts[1]
    share, bought = text.get(script, 0) / all_bytes, tokens.get(script, 0) / all_tokens
    return f"{script}: {share:.0%} of the letters’ bytes bought {bought:.0%} of their tokens"


def _draw_actions(bench: Bench, name: str, grown: Grown) -> None:
    with st.container(horizontal=True):
        if st.button(
            "See it beside cl100k_base", type="primary", icon=":material/compare:", key="train_compare"
        ):
            workspace = get_workspace()
            others = [other for other in workspace.encodings if other not in (name, "cl100k_base")]
            workspace.encodings = [name, "cl100k_base", *others][:MAX_PANELS]
            st.switch_page(PLAYGROUND_PAGE)
        with st.popover("Download", icon=":material/download:", key="train_downloads"):
            _draw_downloads(name, grown.encoding)
        st.button("Remove", icon=":material/delete:", key="train_remove", on_click=remove, args=(bench, name))


def _draw_downloads(name: str, encoding: HomeEncoding) -> None:
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
                key=f"train_download_{ending[1:]}",
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
                f"The special token {nested[0]} is how {nested[1]} begins. Where a text spells the longer "
                "one, it counts here and in Hugging Face’s tokenizers; minbpe takes the one that comes first "
                "in its file, and tiktoken may take either: the order of its hash table decides."
            )
        )
    try:
        trials = try_pattern(encoding.pattern)
    except ValueError as problem:
        st.warning(plain(f"Your split pattern could not be tried elsewhere. {problem}"))
        return
    is_own = encoding.pattern is not None and encoding.pattern not in PATTERNS.values()
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


_MOST_PIECES = 4


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


def draw_bring(bench: Bench, pattern: str | None) -> None:
    """Bring an encoding in a file.

    Args:
        bench: the session's.
        pattern: the split pattern of a file that does not tell it.
    """
    with st.expander("Bring one in a file", icon=":material/upload_file:"):
        uploaded = st.file_uploader(
            "A .model file of ours or minbpe’s, a .tiktoken file, or a tokenizer.json",
            type=[ending[1:] for ending in storage.FORMATS],
            key=f"train_bring_{bench.uploads}",
            help="A .tiktoken file does not tell its walls: the split pattern that is chosen above is taken.",
        )
        if uploaded is not None:
            bench.uploads += 1
            take_model(bench, uploaded.name, uploaded.getvalue(), pattern)
            st.rerun()


def take_model(bench: Bench, file_name: str, data: bytes, pattern: str | None = None) -> None:
    """Take over an encoding from a file, or say what is wrong with it."""
    stem = file_name.rpartition(".")[0][:40] or "grove"
    try:
        name = bring(bench, storage.from_bytes(data, stem, pattern, file=file_name[-60:]))
        bench.say(f"{name} stands in every chooser now.")
    except ValueError as problem:
        bench.say(str(problem), error=True)
