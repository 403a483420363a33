"""Runs trainings, each in its own process. At most ``MAX_RUNNING`` run at a time; a queue holds the rest.

A session has one ``Run`` at a time, in its ``SessionTrainings``.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import OwnText
from pages.session.tickets import issue_ticket
from pages.session.train_methods import METHODS, Method
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from tokenizers import limits
from tokenizers.bpe import HomeEncoding
from tokenizers.encoding import ASSETS
from tokenizers.files import load
from tokenizers.json_types import JsonObject
from tokenizers.utf8 import well_formed

MAX_RUNNING = limits.TRAININGS
"""Trainings at a time on one server."""

MAX_SECONDS = limits.TRAINING_MINUTES * 60

_LONG_TOKEN = 64  # bytes: of a longer token, only its ends are remembered

_queue: list[Run] = []  # the first MAX_RUNNING are at work
_changed = threading.Condition()


class Run:
    """One training, by one recipe; ``MethodsRun`` trains by several.

    Args:
        recipe: what to learn; it has been checked.
        own_texts: a person's own texts, by key; those of the recipe are read.
        on_trained: called with what was learned, from another thread, unless nothing was.

    Attributes:
        ticket: names the training in the browser's requests for its progress.
        recipes: the recipes for the worker, one after the other.
        results: what each method has learned so far, or why it learned nothing.
        is_by_library: whether a library trains, which cannot stop half way with a result.
        stage: the worker's present stage; "waiting" at first, "ended" at last.
        process: the worker, once it was started.
        problem: the error that ended it; earlier results remain.
        no_result: a sentence, if it was cancelled before anything was learned.
        short_tokens: the bytes of each token; of a long one, its ends.
        counts: how often each merge's pair was in the corpus.
        n_tokens: tokens of the corpus after each merge.
        newest: the tokens that a library has reported, some a second.
    """

    def __init__(
        self,
        recipe: Recipe,
        own_texts: Mapping[str, OwnText],
        on_trained: Callable[[OwnEncoding], object],
    ) -> None:
        self.recipe = recipe
        self.ticket = issue_ticket(self)
        self.recipes = [recipe]
        self.results: dict[Method, OwnEncoding | str] = {}
        self.is_by_library = recipe.method != "byte-pairs"
        self.stage: JsonObject = {"stage": "waiting"}
        self.process: subprocess.Popen[bytes] | None = None
        self.is_cancelled = False
        self.problem = self.no_result = ""
        self._own_texts = {key: own_texts[key] for key, _ in recipe.weighted_parts if key in own_texts}
        self._own_digests = {key: own.digest for key, own in self._own_texts.items()}
        self._on_trained = on_trained
        self._thread = threading.Thread(target=self._run, name="training", daemon=True)
        self._reset()

    def _reset(self) -> None:
        """Nothing is learned yet by the present recipe."""
        self.n_bytes = 0
        self.merges: list[tuple[int, int]] = []
        self.short_tokens = [bytes([byte]) for byte in range(256)]
        self.counts: list[int] = []
        self.n_tokens: list[int] = []
        self.newest: list[str] = []
        self._model = b""
        self._learned_at: float | None = None
        self._started_at = time.monotonic()

    @property
    def state(self) -> str:
        """Its present stage, in a word: see train_worker.py."""
        return str(self.stage["stage"])

    @property
    def present(self) -> Recipe:
        """The recipe at work."""
        return next(
            (recipe for recipe in self.recipes if recipe.method not in self.results), self.recipes[-1]
        )

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.state == "ended"

    @property
    def n_ahead(self) -> int:
        """How many trainings have to end before this one can start."""
        with _changed:
            return max(0, _queue.index(self) - MAX_RUNNING + 1) if self in _queue else 0

    def start(self) -> None:
        """Enter the queue."""
        with _changed:
            self._thread.start()
            _queue.append(self)

    def cancel(self) -> None:
        """Stop soon, with the merges learned so far."""
        self.is_cancelled = True
        with _changed:
            _changed.notify_all()
        if (process := self.process) is None or process.stdin is None:  # it is killed when it starts
            return
        if self.is_by_library or not self.merges:
            process.kill()
            return
        with contextlib.suppress(OSError, ValueError):  # it is gone: reading its output will say so
            process.stdin.write(b"cancel\n")
            process.stdin.flush()

    def kill(self) -> None:
        """Stop at once, without measuring what was learned."""
        self.cancel()
        if self.process is not None:
            self.process.kill()

    def wait(self, seconds: float) -> bool:
        """Wait up to so many seconds until it is over; returns whether it is."""
        self._thread.join(seconds)
        return self.is_over

    # In the run's own thread

    def _run(self) -> None:
        try:
            with _changed:
                _changed.wait_for(lambda: self.is_cancelled or _queue.index(self) < MAX_RUNNING)
            if not self.is_cancelled:
                self._train()
            else:
                self._end_without_result("Stopped while it waited, so nothing was learned.")
        except OSError as problem:
            self.problem = f"The training could not start: {problem.strerror or problem}."
        finally:
            self._own_texts = {}
            self.stage = {"stage": "ended"}
            with _changed:
                _queue.remove(self)
                _changed.notify_all()

    def _train(self) -> None:
        """Start the process, and handle its messages until it ends."""
        self.stage = {"stage": "reading"}
        command = [sys.executable, "-m", "pages.session.train_worker"]
        pipe = subprocess.PIPE
        limit = threading.Timer(MAX_SECONDS, self._time_out)
        with (
            contextlib.suppress(BrokenPipeError),  # it died before it had read its job
            subprocess.Popen(command, cwd=ASSETS.parent, stdin=pipe, stdout=pipe) as process,
        ):
            assert process.stdin is not None and process.stdout is not None
            self.process = process
            limit.start()
            try:
                if self.is_cancelled:
                    process.kill()
                process.stdin.write(self._job())
                process.stdin.flush()
                with contextlib.suppress(json.JSONDecodeError):  # half a line: it died while it wrote
                    for line in process.stdout:
                        self._handle(json.loads(line))
            finally:
                limit.cancel()
                process.kill()  # whatever happened: it does not outlive this
        if self.present.method not in self.results:
            if not self.problem and not self.is_cancelled:
                self.problem = (
                    f"The training process ended unexpectedly (exit code {process.returncode}). Perhaps the "
                    "memory ran out."
                )
            self._conclude()

    def _job(self) -> bytes:
        """The job for the process. It contains own texts, which are never written to a file."""
        sources = []
        for key, weight in self.recipe.weighted_parts:
            own = self._own_texts.get(key)
            text = {"key": key} if own is None else {"title": own.title, "text": well_formed(own.text)}
            sources.append({**text, "weight": weight})
        job = {"sources": sources, "recipes": [dataclasses.asdict(recipe) for recipe in self.recipes]}
        return json.dumps(job, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"

    def _time_out(self) -> None:
        self.problem = f"It took longer than {MAX_SECONDS // 60} minutes, which is the limit here."
        self.kill()

    def _handle(self, message: JsonObject) -> None:
        kind = message["kind"]
        self.n_bytes = message.get("n_bytes", self.n_bytes)
        for left, right, count, n_tokens in message["merges"]:
            self.short_tokens.append(_shorten(self.short_tokens[left] + self.short_tokens[right]))
            self.counts.append(count)
            self.n_tokens.append(n_tokens)
            self.merges.append((left, right))  # appended last, since readers use its length
        if kind == "stage":
            self.stage = message
            if message["stage"] == "reading":  # once the process has started
                self._started_at = time.monotonic()
            if message.get("newest"):
                self.newest.append(message["newest"])
        elif kind == "learned":
            self._learned_at = time.monotonic()
            self._model = base64.b64decode(message["model"])
        elif kind == "measured":
            self._finish(message)
        elif kind == "failed":
            self._add(message["message"])
        elif kind == "error":
            self.problem = message["message"]

    def _finish(self, report: JsonObject) -> None:
        """Add what the present recipe has learned; an empty report: it was not measured."""
        recipe = self.present
        n_merges = len(self.merges)
        if self._model:
            encoding = load(self._model, "trained")
            encoding.name = recipe.title_at(encoding.n_tokens)
        elif self.merges:
            stopped = f"Stopped after {n_merges:,} of {recipe.n_merges:,} merges."
            encoding = HomeEncoding(
                self.merges,
                recipe.pattern,
                recipe.special_tokens,
                name=recipe.title_at(256 + n_merges + len(recipe.special_tokens)),
                stopped=report["stopped"] if report else stopped,
            )
        else:
            self.problem = self.problem or str(report.get("stopped", ""))
            self._add(self.problem)
            return
        if self.problem:
            self.problem += " The tokenizer has what was learned until then."
        seconds = (self._learned_at or time.monotonic()) - self._started_at
        learned = encoding, self.counts, self.n_bytes, recipe, seconds
        self._add(OwnEncoding(*learned, report, self.problem, self._own_digests))

    def _add(self, result: OwnEncoding | str) -> None:
        """Add a result: what was learned, or why nothing was."""
        # Never changed in place: a page may be drawing it.
        self.results = {**self.results, self.present.method: result}
        if not isinstance(result, str):
            self._on_trained(result)

    def _conclude(self) -> None:
        """Add the result of a training that did not end by itself."""
        self._finish({})
        if not self.results[self.recipe.method]:
            nothing = "Stopped before the first merge, so nothing was learned."
            if self.is_by_library:
                nothing = f"Stopped. {self.recipe.facts.label} has no tokenizer until it is done."
            self._end_without_result(nothing)

    def _end_without_result(self, sentence: str) -> None:
        self.no_result = f"{sentence} Press Train to start again."


class MethodsRun(Run):
    """Trains by every method at one size on one mix of texts, one method after the other.

    Args:
        recipe: the mix, the size, and the settings of every method.
        own_texts: see ``Run``.
        lengths: the bytes of each source, by key. A method with a lower limit is named as a problem; one that
            needs more texts is left out.
    """

    def __init__(self, recipe: Recipe, own_texts: Mapping[str, OwnText], lengths: Mapping[str, int]) -> None:
        super().__init__(recipe, own_texts, lambda trained: None)
        self.recipes = []
        name = recipe.name.strip()
        self.is_by_library = True  # a method stopped half way has no result
        for method, facts in METHODS.items():
            if len(recipe.weighted_parts) < facts.least_texts:
                continue
            short = facts.short or "bpe"
            own = replace(recipe, method=method, name=name and f"{name[: 39 - len(short)]}-{short}")
            try:
                own.check(lengths)
                self.recipes.append(own)
            except (ValueError, OSError) as problem:
                self.results[method] = str(problem)

    @property
    def n_methods(self) -> int:
        """How many methods are compared, with those that could not begin."""
        return len({*self.results, *(recipe.method for recipe in self.recipes)})

    @property
    def trained(self) -> list[OwnEncoding]:
        """The encodings learned so far."""
        return [result for result in self.results.values() if not isinstance(result, str)]

    def _add(self, result: OwnEncoding | str) -> None:
        super()._add(result)
        self.problem = ""
        self._reset()

    def _conclude(self) -> None:
        self.merges = []  # of a method that was stopped half way
        if not self.problem:
            self.no_result = f"Stopped after {len(self.trained)} of {len(self.recipes)} methods."


def _shorten(token: bytes) -> bytes:
    """Cut a long token. Without walls, a token can be a whole text, and thousands need too much memory."""
    return token if len(token) <= _LONG_TOKEN else token[:30] + "…".encode() + token[-30:]


@dataclass
class SessionTrainings:
    """The trainings of one session; what they learn is in its workspace.

    Attributes:
        run: the last one, over or not. It ends with the session.
        newest: the name of the encoding that was learned last, until the page has drawn it.
    """

    run: Run | None = None
    newest: str | None = None

    def end(self) -> None:
        """Stop the training at work: the session has ended."""
        if self.is_busy and self.run is not None:
            self.run.kill()

    @property
    def is_busy(self) -> bool:
        """Whether a training is at work, or in the queue."""
        return self.run is not None and not self.run.is_over

    @property
    def busy_message(self) -> str:
        """Why nothing more can be trained right now; empty: it can."""
        return "A tokenizer is being trained already. Wait for it, or stop it first." if self.is_busy else ""

    @property
    def ticket(self) -> str | None:
        """The ticket of the training at work, if there is one."""
        return self.run.ticket if self.run is not None and self.is_busy else None

    def start(self, workspace: Workspace, recipe: Recipe) -> None:
        """Train by a recipe.

        Raises:
            ValueError: one is at work already, or there is no room for one more.
        """
        self._start(workspace, Run(recipe, workspace.own_texts, partial(self.add, workspace)))

    def compare(self, workspace: Workspace, recipe: Recipe, lengths: Mapping[str, int]) -> None:
        """Train by every method, at the size and from the mix of a recipe.

        Args:
            workspace: of the session.
            recipe: with the settings of every method.
            lengths: bytes of each source, by key.

        Raises:
            ValueError: one is at work already, there is no room for one more, or no text is held out.
        """
        if not recipe.held_out:
            raise ValueError("Methods are compared on held-out text. Hold some out under More settings.")
        self._start(workspace, MethodsRun(recipe, workspace.own_texts, lengths))

    def _start(self, workspace: Workspace, run: Run) -> None:
        if self.busy_message:
            raise ValueError(self.busy_message)
        workspace.own_encodings.check_room()
        self.run = run
        run.start()

    def add(self, workspace: Workspace, trained: OwnEncoding) -> str:
        """Put an encoding into every chooser, and show it; returns its name."""
        name = self.newest = workspace.own_encodings.add(trained)
        if name not in workspace.encodings:
            workspace.put_first(name)
        return name
