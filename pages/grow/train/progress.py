"""The progress of a training, for the component that draws it: ``GET /training/TICKET``.

The component requests it a few times a second, and tells the page when the training is over. The route
accepts any path before its name, as for the components' files.
"""

from __future__ import annotations

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pages.session.tickets import find_by_ticket
from pages.session.train_methods import METHODS
from pages.session.train_run import MethodsRun, Run
from tokenizers.amounts import bytes_in_words, plural, share_in_words
from tokenizers.json_types import JsonObject
from tokenizers.text import spell_alone, spell_text, spell_token

_NEWEST_MERGES = 9
_NEWEST_TOKENS = 13
_SPLITTING = 0.2  # of the bar: a long text is split for some seconds, before there is a merge
_MOST_POINTS = 200  # of the curve
LONGEST_SHOWN = 300  # bytes of a token


async def answer(request: Request) -> Response:
    """Answer a request with the progress of the run that its ticket names."""
    headers = {"Cache-Control": "no-store"}
    run = find_by_ticket(request.path_params["ticket"], Run)
    if run is None:
        return PlainTextResponse("There is no such training.\n", 404, headers)
    return JSONResponse(progress_of(run), headers=headers)


route = Route("/{prefix:path}training/{ticket}", answer, methods=["GET"])


def progress_of(run: Run) -> JsonObject:
    """The data of the component: words, the share done, newest merges, curve, methods so far."""
    is_over = run.is_over  # first: the run goes on meanwhile
    done = len(run.merges)
    if run.is_by_library:
        newest = run.newest[: -_NEWEST_TOKENS - 1 : -1]
    else:
        newest = newest_merges(run, done)
    return {
        "over": is_over,
        "words": run_in_words(run, done),
        "share": share_done(run),
        "newest": newest,
        "curve": None if run.is_by_library else curve_so_far(run, done),
        "methods": _methods_so_far(run) if isinstance(run, MethodsRun) else [],
    }


def share_done(run: Run) -> float:
    """The share of the work that is done, 0 to 1."""
    if isinstance(run, MethodsRun):
        return len(run.results) / run.n_methods
    stage = run.stage  # once, since the run goes on meanwhile
    if stage["stage"] == "measuring":
        return 1.0
    if run.is_by_library:
        # A Unigram's tokens fall in number, so they do not show how far it is.
        n_learned = stage.get("n_tokens", 0) if run.recipe.facts.pieces == "bpe" else 0
        return float(min(1.0, n_learned / run.recipe.vocab_size))
    if stage["stage"] == "splitting":
        return float(_SPLITTING * min(1.0, stage["done"] / max(1, stage["total"])))
    split = _SPLITTING if stage["stage"] in ("counting", "learning") else 0.0
    learned = min(1.0, len(run.merges) / max(1, run.recipe.n_merges))
    return split + (1 - split) * learned


def run_in_words(run: Run, done: int) -> str:
    """The state of a run in words; ``done``: merges."""
    if run.is_cancelled:
        return "Stopping…"
    stage = run.stage  # once, since the run goes on meanwhile
    state = stage["stage"]
    if state == "waiting":
        ahead = run.n_ahead
        return f"Waiting for {plural(ahead, 'other training')} to end…" if ahead else "Starting…"
    if state == "splitting":
        read = bytes_in_words(stage["done"])
        total = bytes_in_words(stage["total"])
        return f"Splitting the text into pieces: {read} of {total}"
    if isinstance(run, MethodsRun) and state in ("learning", "measuring"):
        return f"Method {len(run.results) + 1} of {run.n_methods}, {run.present.facts.label}: {state}…"
    if state == "learning" and done:
        ratio = run.n_bytes / max(1, run.n_tokens[done - 1])
        return f"{done:,} of {run.recipe.n_merges:,} merges · {ratio:.2f} bytes per token"
    if state == "learning" and stage.get("n_tokens"):
        return f"Learning: {stage['n_tokens']:,} tokens so far…"
    return {
        "reading": "Reading the texts…",
        "preparing": "Preparing the trainer. The first time after an installation without make, this takes "
        "about ten seconds…",
        "counting": "Counting the pairs…",
        "measuring": "Measuring on the held-out text…",
    }.get(state, "Learning…")


def curve_so_far(run: Run, done: int) -> list[tuple[int, float]]:
    """(vocabulary size, bytes per token) after each of the first ``done`` merges, and before them."""
    n_bytes = run.n_bytes or 1
    tokens = [n_bytes, *run.n_tokens[:done]]
    chosen = np.linspace(0, 1, _MOST_POINTS) ** 2 * done  # closer at the start, where the curve bends
    sizes = np.unique(chosen.round().astype(int)).tolist()
    return [(256 + size, round(n_bytes / max(1, tokens[size]), 4)) for size in sizes]


def token_text(token: bytes) -> str:
    """Spell a token for a table; of a very long one, its two ends.

    >>> print(token_text(b" the\\n"), token_text("é".encode()[:1]))
    ·the⏎ ⟨0xc3⟩
    """
    if len(token) > LONGEST_SHOWN:
        head, tail = (part.decode(errors="replace") for part in (token[:150], token[-100:]))
        return f"{spell_alone(head)}…{spell_text(tail)}"
    return spell_token(token)


def newest_merges(run: Run, done: int) -> list[str]:
    """The last few merges, newest first; a long token's start and end."""

    def short(token: bytes) -> str:
        text = token_text(token)
        return text if len(text) <= 12 else f"{text[:5]}…{text[-6:]}"

    lines = []
    width = len(f"{done:,}")
    for i in range(done - 1, max(-1, done - 1 - _NEWEST_MERGES), -1):
        left, right = (short(run.short_tokens[part]) for part in run.merges[i])
        lines.append(f"{i + 1:>{width},}  {left} + {right}  ×{run.counts[i]:,}")
    return lines


def _methods_so_far(run: MethodsRun) -> list[JsonObject]:
    """A row for each method that is done: bytes per token on held-out text, or why there is none."""
    rows = []
    for method, result in run.results.items():
        row: JsonObject = {"name": METHODS[method].label, "ratio": None, "words": result}
        if not isinstance(result, str):
            ratio = result.held_out_ratio or 0.0
            words = f"{ratio:.2f}"
            if result.lost_share:
                words += f" · {share_in_words(result.lost_share)} lost"
            row |= {"ratio": ratio, "lossy": bool(result.lost_share), "words": words}
        rows.append(row)
    return rows
