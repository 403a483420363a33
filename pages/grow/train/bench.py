"""What a session has on the page Train beside its form: its run, and what it has grown."""

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
    """What one session grows."""

    run: Run | None = None
    grown: dict[str, Grown] = field(default_factory=dict)
    newest: str | None = None
    note: str = ""
    note_is_error: bool = False
    comparison: Comparison | None = None  # the last one
    shows_comparison: bool = False

    @property
    def shown_comparison(self) -> Comparison | None:
        """The comparison to draw now, if there is one."""
        return (
            self.comparison if self.shows_comparison and self.comparison and self.comparison.results else None
        )

    def say(self, note: str, *, error: bool = False) -> None:
        """Something to be said once, at the top of the page."""
        self.note, self.note_is_error = note, error

    def show_comparison(self, shows: bool = True) -> None:
        """Show the last comparison, or else the encodings."""
        self.shows_comparison = shows

    def keep_up(self, workspace: Workspace) -> None:
        """Show what is in the session's choosers, wherever it was grown, and nothing else."""
        for name in list(self.grown):
            if name not in workspace.grown:
                del self.grown[name]
        for name, encoding in list(workspace.grown.items()):
            self.grown.setdefault(name, workspace.growth.get(name) or Grown(encoding))


def list_grown() -> dict[str, Grown]:
    """What was grown or brought in this session, or came back from the browser, by name; for other pages."""
    bench = get_kept(Bench)
    bench.keep_up(get_workspace())
    return dict(bench.grown)


def ticket_of_training() -> str | None:
    """The ticket of this session's run, if that is not over: by it, common/training.js watches the run."""
    run = get_kept(Bench).run
    return None if run is None or run.is_over else run.ticket


def own_texts_of(recipe: Recipe) -> dict[str, OwnText]:
    """The person's own texts in the recipe, by key."""
    own = get_workspace().own_texts
    return {key: own[key] for key, _ in recipe.parts if not is_bundled(key)}


def own_texts_here(grown: Grown) -> dict[str, OwnText]:
    """The person's own texts that it was grown from, by key, as far as they are here unchanged."""
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
    """Why nothing more can be grown right now; empty: it can."""
    if _is_growing(bench):
        return "One encoding is growing already: wait for it, or stop it first."
    return ""


def _is_growing(bench: Bench) -> bool:
    return bench.run is not None and not bench.run.is_over


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
