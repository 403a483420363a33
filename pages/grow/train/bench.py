"""A session's trainings: the run that is at work, and the encodings that it has."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field

from pages.session.grown import Grown
from pages.session.own_texts import OwnText
from pages.session.train_plan import Recipe, is_bundled
from pages.session.train_run import Comparison, Run
from pages.session.workspace import Workspace
from pages.shared.session import get_kept, get_workspace


@dataclass
class Bench:
    """The trainings of one session.

    Attributes:
        run: the last one, over or not.
        grown: the session's own encodings, by name.
        newest: the name of the one that was learned last, until the page has drawn it.
        note, note_is_error: a message for the top of the page, to be drawn once.
        comparison, shows_comparison: the last one, and whether the page draws it.
    """

    run: Run | None = None
    grown: dict[str, Grown] = field(default_factory=dict)
    newest: str | None = None
    note: str = ""
    note_is_error: bool = False
    comparison: Comparison | None = None
    shows_comparison: bool = False

    @property
    def shown_comparison(self) -> Comparison | None:
        """The comparison to draw now, if there is one."""
        return (
            self.comparison if self.shows_comparison and self.comparison and self.comparison.results else None
        )

    def say(self, note: str, *, error: bool = False) -> None:
        """Draw a message at the top of the page once."""
        self.note, self.note_is_error = note, error

    def show_comparison(self, shows: bool = True) -> None:
        """Show the last comparison, or else the encodings."""
        self.shows_comparison = shows

    def keep_up(self, workspace: Workspace) -> None:
        """Have the session's own encodings and no others, wherever they came from."""
        known = {**self.grown, **workspace.growth}
        self.grown = {name: known.get(name) or Grown(each) for name, each in list(workspace.grown.items())}


def list_grown() -> dict[str, Grown]:
    """The session's own encodings, by name; for other pages."""
    bench = get_kept(Bench)
    bench.keep_up(get_workspace())
    return dict(bench.grown)


def ticket_of_training() -> str | None:
    """The ticket of this session's training, if that is not over: common/training.js watches it."""
    run = get_kept(Bench).run
    return None if run is None or run.is_over else run.ticket


def own_texts_of(recipe: Recipe) -> dict[str, OwnText]:
    """The person's own texts in the recipe, by key."""
    own = get_workspace().own_texts
    return {key: own[key] for key, _ in recipe.parts if not is_bundled(key)}


def own_texts_here(grown: Grown) -> dict[str, OwnText]:
    """The person's own texts that it learned from, by key, as far as they are unchanged."""
    own, digests = get_workspace().own_texts, grown.own_digests
    here = {key: own[key] for key, _ in grown.recipe.parts if key in own} if grown.recipe else {}
    return {key: text for key, text in here.items() if text.digest == digests.get(key)}


def start_run(bench: Bench, recipe: Recipe) -> None:
    """Learn what the recipe says, in a process of its own.

    Raises:
        ValueError: one is at work already, or there is no room for one more.
    """
    _check_idle(bench)
    workspace, session = get_workspace(), weakref.ref(bench)

    def keep(grown: Grown) -> None:
        if (bench := session()) is not None:
            add(bench, workspace, grown)

    bench.run = Run(recipe, own_texts_of(recipe), keep)
    bench.shows_comparison = False
    start_with(bench, bench.run)


def start_comparison(bench: Bench, recipe: Recipe, lengths: Mapping[str, int]) -> None:
    """Learn by every method, at the size and from the mix of a recipe, in a process of its own.

    Args:
        bench: the session's.
        recipe: with the settings of every method.
        lengths: bytes of each source, by key.

    Raises:
        ValueError: one is at work already, there is no room for one more, or no text is held out.
    """
    _check_idle(bench)
    if not recipe.held_out:
        raise ValueError(
            "Methods are compared on text that none of them learned from: hold some out, under More settings."
        )
    bench.run = bench.comparison = Comparison(recipe, own_texts_of(recipe), lengths)
    bench.shows_comparison = True
    start_with(bench, bench.run)


def start_with(bench: Bench, run: Run) -> None:
    """Start a run that ends with the session: only the session refers to its bench."""
    weakref.finalize(bench, _kill, weakref.ref(run))
    run.start()


def _kill(reference: weakref.ref[Run]) -> None:
    if (run := reference()) is not None:
        run.kill()


def why_not_now(bench: Bench) -> str:
    """Why nothing more can be trained right now; empty: it can."""
    if bench.run is None or bench.run.is_over:
        return ""
    return "One encoding is growing already: wait for it, or stop it first."


def _check_idle(bench: Bench) -> None:
    if why_not := why_not_now(bench):
        raise ValueError(why_not)
    get_workspace().check_room()


def add(bench: Bench, workspace: Workspace, grown: Grown) -> str:
    """Put an encoding into every chooser, and show it."""
    name = workspace.add_grown(grown.encoding)
    workspace.put_first(name)
    workspace.growth[name] = grown
    bench.grown[name] = grown  # last: ``keep_up`` drops what the workspace does not have
    bench.newest = name
    bench.shows_comparison = False
    return name


def rename(bench: Bench, name: str, wanted: str) -> str:
    """Give an encoding another name, on every page; returns the name that it has now.

    Raises:
        ValueError: there is nothing to see in the name.
    """
    if name not in bench.grown:
        return name
    new = get_workspace().rename_grown(name, wanted)
    bench.grown = {new if each == name else each: grown for each, grown in bench.grown.items()}
    return new


def remove(bench: Bench, name: str) -> None:
    """Take an encoding out of every chooser."""
    get_workspace().remove_grown(name)
    bench.grown.pop(name, None)
