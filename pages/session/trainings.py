"""A session's trainings: the running one, and the last comparison of the methods."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass

from pages.session.own_texts import OwnText
from pages.session.train_plan import Recipe, is_bundled
from pages.session.train_run import Comparison, Run
from pages.session.trained_encoding import TrainedEncoding
from pages.session.workspace import Workspace


@dataclass
class SessionTrainings:
    """The trainings of one session; what they learn is in its workspace.

    Attributes:
        run: the last one, over or not. It ends with the session.
        newest: the name of the encoding that was learned last, until the page has drawn it.
        comparison, shows_comparison: the last one, and whether the page draws it.
    """

    run: Run | None = None
    newest: str | None = None
    comparison: Comparison | None = None
    shows_comparison: bool = False

    def end(self) -> None:
        """Stop the training at work: the session has ended."""
        if self.is_busy and self.run is not None:
            self.run.kill()

    @property
    def is_busy(self) -> bool:
        """Whether a training is at work, or in the queue."""
        return self.run is not None and not self.run.is_over

    @property
    def why_not_now(self) -> str:
        """Why nothing more can be trained right now; empty: it can."""
        return "One encoding is growing already: wait for it, or stop it first." if self.is_busy else ""

    @property
    def ticket(self) -> str | None:
        """The ticket of the training at work, if there is one."""
        return self.run.ticket if self.run is not None and self.is_busy else None

    @property
    def shown_comparison(self) -> Comparison | None:
        """The comparison to draw now, if there is one."""
        return (
            self.comparison if self.shows_comparison and self.comparison and self.comparison.results else None
        )

    def show_comparison(self, shows: bool = True) -> None:
        """Show the last comparison, or else the encodings."""
        self.shows_comparison = shows

    def start_run(self, workspace: Workspace, recipe: Recipe) -> None:
        """Learn what the recipe says, in a process of its own.

        Raises:
            ValueError: one is at work already, or there is no room for one more.
        """
        self._check_idle(workspace)
        session = weakref.ref(self)  # the run's thread must not keep a session that has ended

        def keep(trained: TrainedEncoding) -> None:
            if (trainings := session()) is not None:
                trainings.add(workspace, trained)

        self.run = Run(recipe, _own_texts_of(workspace, recipe), keep)
        self.shows_comparison = False
        self.run.start()

    def start_comparison(self, workspace: Workspace, recipe: Recipe, lengths: Mapping[str, int]) -> None:
        """Learn by every method, at the size and from the mix of a recipe, in a process of its own.

        Args:
            workspace: of the session.
            recipe: with the settings of every method.
            lengths: bytes of each source, by key.

        Raises:
            ValueError: one is at work already, there is no room for one more, or no text is held out.
        """
        self._check_idle(workspace)
        if not recipe.held_out:
            raise ValueError(
                "Methods are compared on text that none of them learned from: hold some out, under More "
                "settings."
            )
        self.run = self.comparison = Comparison(recipe, _own_texts_of(workspace, recipe), lengths)
        self.shows_comparison = True
        self.run.start()

    def _check_idle(self, workspace: Workspace) -> None:
        if self.why_not_now:
            raise ValueError(self.why_not_now)
        workspace.check_room()

    def add(self, workspace: Workspace, trained: TrainedEncoding) -> str:
        """Put an encoding into every chooser, and show it; returns its name."""
        name = self.newest = workspace.add_encoding(trained)
        workspace.put_first(name)
        self.shows_comparison = False
        return name


def _own_texts_of(workspace: Workspace, recipe: Recipe) -> dict[str, OwnText]:
    return {key: workspace.own_texts[key] for key, _ in recipe.parts if not is_bundled(key)}
