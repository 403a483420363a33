"""One training in its own process, watched from here; and the queue of trainings that wait for a place."""

from __future__ import annotations

import base64
import bisect
import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import tokenizers as tk
from pages.session.grown import REFERENCES, Grown
from pages.session.own_texts import OwnText
from pages.session.tickets import issue_ticket
from pages.session.train_line import Line
from pages.session.train_methods import METHODS, Method
from pages.session.train_plan import Recipe, bundled_bytes
from tokenizers import limits
from tokenizers.bpe import HomeEncoding
from tokenizers.data import weighed_bytes
from tokenizers.encoding import ASSETS
from tokenizers.formats import read_any

MAX_RUNNING = limits.TRAININGS
"""Trainings at a time on one server; the others wait in line."""

MAX_WAITING = 60
MAX_SECONDS = limits.TRAINING_MINUTES * 60
TURN = 20.0
"""Seconds after which a training makes room for those who wait, and goes on later."""

_SMALL_BYTES = 1_000_000
"""Of a mix: a training on no more is over in seconds, and takes little memory."""

_NEWEST = 12  # of the pieces that a library has just learned, how many are drawn
_PATIENCE = {"learning": 20.0, "measuring": 20.0}
_SHORT_PATIENCE = 3.0  # seconds from cancel to kill, before there is anything to keep
_DESERTED = 60.0  # seconds after its session has gone until a run is given up

_NO_THREAD = "No training can be started at the moment. Try again in a minute."

_CAN_PAUSE = sys.platform == "linux"  # elsewhere a paused process could outlive the server (see the worker)

State = Literal["waiting", "reading", "preparing", "splitting", "counting", "learning", "measuring", "ended"]

_line: Line[Run] = Line(3)
_changed = threading.Condition()


class Run:
    """One training.

    Args:
        recipe: what to grow; it has been checked.
        own_texts: a person's own texts, by key of the recipe's parts.
        on_grown: called with what was grown, from another thread, unless nothing was.
        is_wanted: asked now and then whether the session is still there.
    """

    def __init__(
        self,
        recipe: Recipe,
        own_texts: Mapping[str, OwnText],
        on_grown: Callable[[Grown], object],
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.recipe = recipe
        self.ticket = issue_ticket(self)  # by which the browser asks for its progress
        self.state: State = "waiting"
        self.problem = ""
        self.came_to_nothing = ""  # a sentence, if it was stopped before anything was learned
        self.merges: list[tuple[int, int]] = []
        self.short_tokens = [bytes([byte]) for byte in range(256)]  # of each token; if it is long, its ends
        self.counts: list[int] = []
        self.n_tokens: list[int] = []
        self.n_bytes = 0
        self.split_bytes = (0, 0)  # bytes that are split, and of how many
        self.learned_tokens = 0  # by a library, if it reports them
        self.newest: list[str] = []  # the last pieces that it reported
        self.cancelled_at: float | None = None
        self.started_at = time.monotonic()
        self.pid: int | None = None
        self.is_paused = False  # while others work in its place
        self.paused_seconds = 0.0
        self._paused_at = self._turn_began = self.started_at
        self._paused_before: float | None = None  # seconds that it was paused before its first message
        self._paused_in_work = 0.0  # seconds that it was paused while it read, split and learned
        self._own_texts = dict(own_texts)
        self._own_digests: dict[str, str] = {}
        self._on_grown = on_grown
        self._is_wanted = is_wanted
        self._wanted_at = time.monotonic()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = threading.Lock()  # held by the thread that writes to the process
        self._given_up = ""
        self._report: dict[str, Any] = {}
        self._model: bytes | None = None
        self._seconds = 0.0
        self._thread = threading.Thread(target=self._live, name="training", daemon=True)

    def start(self) -> None:
        """Get in line.

        Raises:
            ValueError: the line is too long, or the server has no thread for it.
        """
        is_small = self._is_small
        with _changed:
            if len(_line) >= MAX_RUNNING + MAX_WAITING:
                raise ValueError("Very many are growing encodings here right now. Try again in a minute.")
            _line.join(self, small=is_small)
        try:
            self._thread.start()
        except RuntimeError:  # the machine has no thread left, and nobody else would give the place back
            with _changed:
                _line.leave(self)
                _changed.notify_all()
            raise ValueError(_NO_THREAD) from None

    @property
    def _is_small(self) -> bool:
        """Whether it is over soon, and takes little memory. A pattern of a person's own may be slow."""
        pattern = self.recipe.pattern
        is_quick = self.is_by_library or pattern is None or pattern in tk.PATTERNS
        return is_quick and self._mix_bytes <= _SMALL_BYTES

    @property
    def _mix_bytes(self) -> int:
        """Bytes that are read, those that are read again counted again."""
        try:
            return sum(
                weighed_bytes(
                    self._own_texts[key].n_bytes if key in self._own_texts else bundled_bytes(key), weight
                )
                for key, weight in self.recipe.weighted_parts
            )
        except (ValueError, OSError):  # a source is missing: the process says so
            return 0

    @property
    def is_by_library(self) -> bool:
        """Whether a library learns it, or nothing that can be stopped half way."""
        return self.recipe.method != "byte-pairs"

    @property
    def total(self) -> int:
        """Merges asked for."""
        return self.recipe.vocab_size - 256 - len(self.recipe.special_tokens)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state == "ended"

    @property
    def before(self) -> int:
        """How many have to finish first."""
        with _changed:
            return _line.before(self, MAX_RUNNING)

    def cancel(self) -> None:
        """Stop soon, and keep what has been learned."""
        if self.cancelled_at is None:
            self.cancelled_at = time.monotonic()
            self._tell({"cancel": True})
            with _changed:
                _changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until it is over; False: it is not over yet."""
        self._thread.join(seconds)
        return self.is_over

    # In the run's own thread

    def _live(self) -> None:
        try:
            if self._wait_for_a_place():
                self._train()
            else:
                self.came_to_nothing = (
                    "Stopped while it waited, so nothing was learned. Press Grow to begin again."
                )
        except OSError as problem:
            self.problem = f"The training could not be started: {problem.strerror or problem}."
        finally:
            self._own_texts = {}
            self.state = "ended"
            with _changed:
                _line.leave(self)
                _changed.notify_all()

    def _wait_for_a_place(self) -> bool:
        with _changed:
            while self not in _line.working(MAX_RUNNING):
                _changed.wait(1.0)
                if self.cancelled_at is not None or self._is_deserted():
                    return False
            _line.begin(self)
        return self.cancelled_at is None

    def _train(self) -> None:
        job, texts = self._write_job()
        self.state = "reading"
        self.started_at = time.monotonic()
        with contextlib.suppress(BrokenPipeError):  # it died before it had read its job
            self._converse(job, texts)
        assert self._process is not None
        self._conclude(self._process.returncode)

    def _converse(self, job: dict[str, Any], texts: list[bytes]) -> None:
        """Start the process, and listen to it until it ends."""
        with subprocess.Popen(
            [sys.executable, "-m", "pages.session.train_worker"],
            cwd=ASSETS.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=sys.platform == "linux",  # whose priority the process lowers
        ) as process:
            self.pid = process.pid
            self._turn_began = time.monotonic()
            try:
                try:
                    threading.Thread(target=self._watch, args=(process,), daemon=True).start()
                except RuntimeError:  # no thread left: nobody would end it if it takes too long
                    self._process, self._given_up = process, _NO_THREAD
                    return
                with self._pipe:  # whoever cancels waits until the job is told
                    self._process = process
                    self._send(job, texts)
                del texts
                if self.cancelled_at is not None:
                    self._tell({"cancel": True})
                assert process.stdout is not None
                for line in process.stdout:
                    self._hear(json.loads(line))
            except ValueError:  # half a line: it died while it wrote
                pass
            finally:
                process.kill()  # whatever happened: it does not outlive this

    def _write_job(self) -> tuple[dict[str, Any], list[bytes]]:
        """What the process is told, and the texts that follow it: they never go into a file."""
        sources: list[dict[str, Any]] = []
        texts: list[bytes] = []
        for key, weight in self.recipe.weighted_parts:
            if key in self._own_texts:
                own = self._own_texts[key]
                self._own_digests[key] = own.digest
                texts.append(tk.well_formed(own.text).encode("utf-8"))
                sources.append({"title": own.title, "bytes": len(texts[-1]), "weight": weight})
            else:
                sources.append({"key": key, "weight": weight})
        self._own_texts = {}
        job = {
            "sources": sources,
            "vocab_size": self.recipe.vocab_size,
            "pattern": self.recipe.pattern,
            "special_tokens": list(self.recipe.special_tokens),
            "ties": self.recipe.ties,
            "held_out": self.recipe.held_out,
            "held_from": self.recipe.held_from,
            "references": REFERENCES,
            **self._job_of_method(),
        }
        return job, texts

    def _job_of_method(self) -> dict[str, Any]:
        return settings_of(self.recipe) if self.is_by_library else {}

    def _tell(self, message: dict[str, Any]) -> None:
        with self._pipe:
            self._send(message, [])

    def _send(self, message: dict[str, Any], texts: list[bytes]) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it is gone: reading its output will say so
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.writelines(texts)
                self._process.stdin.flush()

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Cancel a run that takes too long; kill one that does not stop, or that nobody waits for."""
        while process.poll() is None:
            time.sleep(0.25)
            now = time.monotonic()
            self._take_turns(process, now)
            if now - self.started_at - self.paused_seconds > MAX_SECONDS and not self.is_paused:
                self._given_up = f"It took longer than {MAX_SECONDS // 60} minutes, which is the limit here."
                self.cancel()
            patience = self._patience()
            overdue = self.cancelled_at is not None and now - self.cancelled_at > patience
            if overdue or self._is_deserted():
                process.kill()
                return

    def _take_turns(self, process: subprocess.Popen[bytes], now: float) -> None:
        """Pause the process after its turn if others wait, and have it go on when it is its turn again."""
        if not _CAN_PAUSE:
            return
        with _changed:
            if not self.is_paused:
                is_turn_over = now - self._turn_began >= TURN and self.cancelled_at is None
                if is_turn_over and _line.make_room(self, MAX_RUNNING):
                    process.send_signal(signal.SIGSTOP)
                    self.is_paused, self._paused_at = True, now
                    _changed.notify_all()
            elif self.cancelled_at is not None or self in _line.working(MAX_RUNNING):
                process.send_signal(signal.SIGCONT)
                self.is_paused, self._turn_began = False, now
                self.paused_seconds += now - self._paused_at

    def _patience(self) -> float:
        """Seconds from cancel to kill. A library does not stop half way, and leaves nothing to wait for."""
        return 0.0 if self.is_by_library else _PATIENCE.get(self.state, _SHORT_PATIENCE)

    def _is_deserted(self) -> bool:
        if self._is_wanted():
            self._wanted_at = time.monotonic()
        return time.monotonic() - self._wanted_at > _DESERTED

    def _hear(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if self._paused_before is None:
            self._paused_before = self.paused_seconds
        if self.state != "measuring":
            self._paused_in_work = self.paused_seconds - self._paused_before
        if kind == "stage":
            self.state = message["stage"]
            if self.state == "splitting":
                self.split_bytes = (message["done"], message["total"])
            elif self.state == "learning":
                self.learned_tokens = message["n_tokens"]
                if message["newest"]:
                    self.newest = [*self.newest[-_NEWEST:], message["newest"]]
        elif kind == "merges":
            self.state = "learning"
            self.n_bytes = message["n_bytes"]
            for left, right, count, n_tokens in message["merges"]:
                self.short_tokens.append(_shorten(self.short_tokens[left] + self.short_tokens[right]))
                self.counts.append(count)
                self.n_tokens.append(n_tokens)
                self.merges.append((left, right))  # appended last: readers go by its length
        elif kind == "model":
            self._seconds = message["seconds"]
            self._model = base64.b64decode(message["data"])
        elif kind == "done":
            self._report = message
            self.n_bytes = message["n_bytes"]
        elif kind == "error":
            self._given_up = message["message"]

    def _encoding(self, n_merges: int, stopped: str | None = None) -> HomeEncoding:
        """An encoding of the first merges.

        Raises:
            ValueError: there is none with these merges, this pattern and these special tokens.
        """
        return HomeEncoding(
            self.merges[:n_merges],
            self.recipe.pattern,
            self.recipe.special_tokens,
            name=self.recipe.title_at(256 + n_merges + len(self.recipe.special_tokens)),
            stopped=stopped,
            learned=True,
        )

    def _fails_with(self, last: int) -> bool:
        """Whether no encoding can be made of the merges up to this one, and so of no longer list either."""
        try:
            self._encoding(last + 1)
        except ValueError:
            return True
        return False

    def _without_pauses(self, seconds: float) -> float:
        """Seconds of work: the time since learning began, without pauses."""
        return max(0.0, seconds - self._paused_in_work)

    def _conclude(self, returncode: int) -> None:
        """Make an encoding of what was learned, and say what went wrong if something did."""
        if self.is_by_library:
            self._conclude_library(returncode)
            return
        report, problem = self._report, self._given_up
        stopped = report.get("stopped")
        if not report:
            by_you = " by you" if self.cancelled_at is not None and not problem else ""
            stopped = f"Stopped{by_you} after {len(self.merges):,} of {self.total:,} merges."
            if not problem and self.cancelled_at is None:
                problem = f"The training process ended unexpectedly ({_how(returncode)})."
        if not self.merges and self.total:
            if self.cancelled_at is not None and not problem:
                self.came_to_nothing = (
                    "Stopped before the first merge, so nothing was learned. Press Grow to begin again."
                )
            else:
                self.problem = problem or str(stopped)
            return
        try:
            encoding = self._encoding(len(self.merges), stopped)
        except ValueError as trouble:
            # Whatever is wrong with the last merges: what was learned before them is kept.
            problem = f"{problem} {trouble}".strip()
            learned = bisect.bisect_left(range(len(self.merges)), True, key=self._fails_with)
            if not learned:
                self.problem = problem
                return
            encoding = self._encoding(learned, f"Stopped after {learned:,} of {self.total:,} merges.")
            del self.merges[learned:], self.counts[learned:], self.n_tokens[learned:]
            report = {}  # it was measured with all merges
        if problem:
            problem = f"{problem} What it had learned by then is kept."
        self.problem = problem
        seconds = self._without_pauses(report.get("seconds", time.monotonic() - self.started_at))
        self._on_grown(
            Grown(
                encoding,
                self.counts,
                self.n_tokens,
                self.n_bytes,
                self.recipe,
                seconds,
                report,
                problem,
                self._own_digests,
            )
        )

    def _conclude_library(self, returncode: int) -> None:
        """As ``_conclude``, of what a library learned: all of it, or nothing."""
        if self._model is None:
            if self._given_up:
                self.problem = self._given_up
            elif self.cancelled_at is not None:
                self.came_to_nothing = (
                    f"Stopped. {self.recipe.facts.label} cannot be kept half learned, so nothing was. Press "
                    "Grow to begin again."
                )
            else:
                self.problem = f"The training process ended unexpectedly ({_how(returncode)})."
            return
        try:
            encoding = read_any(self._model, "grown", file="What was learned")
        except (ValueError, OSError) as trouble:
            self.problem = str(trouble)
            return
        encoding.name = self.recipe.title_at(self.recipe.vocab_size)
        if self.recipe.vocab_size != encoding.n_vocab:
            encoding.name = self.recipe.title_at(encoding.n_vocab)
        problem = self._given_up
        if not self._report and not problem and self.cancelled_at is None:
            problem = f"The training process ended unexpectedly ({_how(returncode)})."
        if not self._report:
            problem = f"{problem} It was learned, but not measured on held-out text.".strip()
        self._on_grown(
            Grown(
                encoding,
                n_bytes=self.n_bytes,
                recipe=self.recipe,
                seconds=self._without_pauses(self._seconds),
                report=self._report,
                problem=problem,
                own_digests=self._own_digests,
            )
        )


@dataclass(frozen=True)
class MethodResult:
    """What came of a method in a comparison: what was grown, or why nothing was."""

    method: Method
    grown: Grown | None
    problem: str = ""


class Comparison(Run):
    """Every method at one size on one mix, one after the other.

    Args:
        recipe: the mix, the size, and the settings of every method.
        own_texts, is_wanted: see ``Run``.
        lengths: bytes of each source, by key: a method that cannot take them all is not tried.

    Attributes:
        methods: which are compared, in this order.
        results: of each method so far.
        at: the method that is at work.
    """

    def __init__(
        self,
        recipe: Recipe,
        own_texts: Mapping[str, OwnText],
        lengths: Mapping[str, int],
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(recipe, own_texts, lambda grown: None, is_wanted)
        self.methods: list[Method] = []
        self.results: list[MethodResult] = []
        for method in METHODS:
            try:
                replace(recipe, method=method).check(lengths)
                self.methods.append(method)
            except (ValueError, OSError) as problem:
                self.results.append(MethodResult(method, None, str(problem)))
        self.at: Method = self.methods[0] if self.methods else "byte-pairs"

    @property
    def grown(self) -> list[Grown]:
        """What was grown so far."""
        return [result.grown for result in self.results if result.grown is not None]

    @property
    def _is_small(self) -> bool:
        return False  # it is as many trainings as there are methods

    @property
    def is_by_library(self) -> bool:
        """True: a method stopped half way gives nothing."""
        return True

    def recipe_of(self, method: Method) -> Recipe:
        """The recipe by which one of them would be grown alone: the name tells them apart."""
        name = self.recipe.name.strip()
        short = METHODS[method].short or "bpe"
        return replace(self.recipe, method=method, name=name and f"{name[: 39 - len(short)]}-{short}")

    def _job_of_method(self) -> dict[str, Any]:
        return {"compare": [settings_of(self.recipe_of(method)) for method in self.methods]}

    def _hear(self, message: dict[str, Any]) -> None:
        self.at = message.get("of", self.at)
        if message["kind"] == "compared":
            result = self._result(message)
            self.results = [*self.results, result]  # never changed in place: a page may be drawing it
            self.merges, self.counts, self.n_tokens = [], [], []
            self.learned_tokens, self.newest = 0, []
        elif message["kind"] == "done":
            self._report = message
        else:
            super()._hear(message)

    def _result(self, message: dict[str, Any]) -> MethodResult:
        method: Method = message["method"]
        if "problem" in message:
            return MethodResult(method, None, message["problem"])
        recipe = self.recipe_of(method)
        try:
            data = base64.b64decode(message.pop("data"))
            encoding = read_any(data, method, file="What was learned")
        except (ValueError, OSError) as problem:
            return MethodResult(method, None, str(problem))
        encoding.name = recipe.title_at(encoding.n_vocab)
        if encoding.training is not None:
            encoding.training.stopped = message["stopped"]
        counts, n_tokens = (self.counts, self.n_tokens) if encoding.training is not None else ([], [])
        grown = Grown(encoding, counts, n_tokens, message["n_bytes"], recipe, message["seconds"], message)
        grown.own_digests = self._own_digests
        return MethodResult(method, grown)

    def _conclude(self, returncode: int) -> None:
        self.problem = self._given_up
        self.merges = []  # those of a method that was stopped half way
        if self.cancelled_at is not None and not self.problem:
            self.came_to_nothing = f"Stopped after {len(self.grown)} of {len(self.methods)} methods."
        elif not self._report and not self.problem:
            self.problem = f"The comparison ended unexpectedly ({_how(returncode)})."


def settings_of(recipe: Recipe) -> dict[str, Any]:
    """The method of a recipe and what that asks for, as the worker reads them.

    >>> settings_of(Recipe(method="characters"))
    {'method': 'characters', 'byte_fallback': True, 'special_tokens': []}
    """
    settings: dict[str, Any] = {setting: getattr(recipe, setting) for setting in recipe.facts.settings}
    return {"method": recipe.method, **settings, "special_tokens": list(settings.get("special_tokens", ()))}


def _shorten(token: bytes) -> bytes:
    """Without walls, a token can be a whole text, and thousands of those are too much to keep."""
    return token if len(token) <= 64 else token[:30] + "…".encode() + token[-30:]


def _how(returncode: int) -> str:
    if returncode < 0:
        also = ": perhaps the memory ran out" if returncode == -9 else ""
        return f"signal {-returncode}{also}"
    return f"exit code {returncode}"
