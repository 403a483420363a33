"""What a session has on the page Train: its form, its run, and what it has grown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import streamlit as st
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.session.links import unpack_state
from pages.session.own_texts import OwnText
from pages.session.train_plan import Recipe, is_bundled
from pages.session.train_run import Grown, Run
from pages.session.workspace import Workspace
from pages.shared.session import get_workspace
from tokenizers.bpe import HomeEncoding, Ties
from tokenizers.data import DOCS, LANGUAGE, LIBRARY
from tokenizers.split import PATTERNS

PARAMETER = "grow"
"""The query parameter that holds a recipe."""

NO_WALLS, OWN_PATTERN = "none", "your own"
DEFAULT_REGEX = r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+"


OWN_FIELD = "train_own"
"""The key of the field that says which of a person's own texts are learned from."""


@dataclass
class Bench:
    """What one session grows."""

    run: Run | None = None
    grown: dict[str, Grown] = field(default_factory=dict)
    newest: str | None = None
    uploads: int = 0  # how often the uploader of encodings was emptied
    note: str = ""
    note_is_error: bool = False

    def say(self, note: str, *, error: bool = False) -> None:
        """Something to be said once, at the top of the page."""
        self.note, self.note_is_error = note, error

    def keep_up(self, workspace: Workspace) -> None:
        """Show what stands in the session's choosers, wherever it was grown, and nothing else."""
        for name in list(self.grown):
            if name not in workspace.grown:
                del self.grown[name]
        for name, encoding in list(workspace.grown.items()):
            self.grown.setdefault(name, Grown(encoding))


def get_bench() -> Bench:
    """This session's bench, made on first use; a link in the address fills the form."""
    if "train_bench" not in st.session_state:
        bench = st.session_state["train_bench"] = Bench()
        recipe = Recipe()
        link = st.query_params.get(PARAMETER)
        if link:
            try:
                recipe, note = Recipe.from_state(unpack_state(link))
                same = "Press Grow, and the same merges are learned here again."
                bench.say(f"This link holds a recipe. {note or same}")
            except ValueError as problem:
                bench.say(str(problem), error=True)
        fill_form(recipe)
    return cast(Bench, st.session_state["train_bench"])


def list_grown() -> dict[str, Grown]:
    """What was grown or brought in this session, by name; for other pages, which do not open the bench."""
    bench = st.session_state.get("train_bench")
    return dict(bench.grown) if bench is not None else {}


def fill_form(recipe: Recipe) -> None:
    """Set every field of the form. Before the fields are drawn, or in a callback."""
    state = st.session_state
    keys = [key for key, _ in recipe.parts]
    state["train_docs"], state["train_library"] = DOCS in keys, LIBRARY in keys
    state["train_languages"] = [key.removeprefix(LANGUAGE) for key in keys if key.startswith(LANGUAGE)]
    state.setdefault(OWN_FIELD, [])
    for key, weight in recipe.parts:
        state[weight_key(key)] = float(weight)
    state["train_vocab"] = recipe.vocab_size
    named = recipe.pattern in PATTERNS
    state["train_pattern"] = (recipe.pattern if named else OWN_PATTERN) if recipe.pattern else NO_WALLS
    state["train_regex"] = DEFAULT_REGEX if named or not recipe.pattern else recipe.pattern
    state["train_special"] = "\n".join(recipe.special_tokens)
    state["train_ties"] = recipe.ties
    state["train_held"] = round(recipe.held_out * 100)
    state["train_name"] = recipe.name


def weight_key(key: str) -> str:
    """The key of the field that says how often a source is read."""
    return f"train_times_{key}"


def read_form() -> Recipe:
    """The recipe that the form says now."""
    state = st.session_state
    keys = [DOCS] * state["train_docs"] + [LIBRARY] * state["train_library"]
    keys += [LANGUAGE + code for code in state["train_languages"]]
    keys += [key for key in state[OWN_FIELD] if key in get_workspace().own_texts]
    pattern = {NO_WALLS: None, OWN_PATTERN: state["train_regex"]}.get(
        state["train_pattern"], state["train_pattern"]
    )
    return Recipe(
        parts=tuple((key, float(state.get(weight_key(key), 1.0))) for key in keys),
        vocab_size=int(state["train_vocab"]),
        pattern=pattern,
        special_tokens=tuple(line for line in state["train_special"].splitlines() if line),
        ties=cast(Ties, state["train_ties"]),
        held_out=state["train_held"] / 100,
        name=state["train_name"],
    )


def own_texts_of(recipe: Recipe) -> dict[str, OwnText]:
    """The person's own texts in the recipe, by key."""
    own = get_workspace().own_texts
    return {key: own[key] for key, _ in recipe.parts if not is_bundled(key)}


def start_run(bench: Bench, recipe: Recipe) -> None:
    """Grow what the recipe says, in a process of its own.

    Raises:
        ValueError: one is growing already, or many are waiting.
    """
    if bench.run is not None and not bench.run.is_over:
        raise ValueError("One encoding is growing already: wait for it, or stop it first.")
    workspace = get_workspace()

    def keep(grown: Grown) -> None:
        add(bench, workspace, grown)

    run = Run(recipe, own_texts_of(recipe), keep, _session_watcher())
    run.start()
    bench.run = run


def add(bench: Bench, workspace: Workspace, grown: Grown) -> str:
    """Put an encoding into every chooser, and show it."""
    name = workspace.add_grown(grown.encoding)
    bench.grown[name] = grown  # in the other order, ``keep_up`` could take it out again
    bench.newest = name
    return name


def bring(bench: Bench, encoding: HomeEncoding) -> str:
    """Put an encoding from a file into every chooser, and show it."""
    return add(bench, get_workspace(), Grown(encoding))


def remove(bench: Bench, name: str) -> None:
    """Take an encoding out of every chooser."""
    get_workspace().remove_grown(name)
    bench.grown.pop(name, None)


def _session_watcher() -> Callable[[], bool]:
    """Says whether this session still has its browser. Where there is no server, it always has."""
    context = get_script_run_ctx()
    if context is None or not exists():
        return lambda: True
    runtime, session_id = get_instance(), context.session_id
    return lambda: runtime.is_active_session(session_id)
