"""What several threads touch at once: results stay right, and nothing is lost.

Python gives the interpreter to another thread as often as it can. So what nothing protects fails soon.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import tokenizers as tk

ROUNDS = 1_000


@pytest.fixture(autouse=True)
def _often_another_thread() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_at_once(*works: Callable[[], object]) -> None:
    """Run each in a thread of its own, from the same moment on; raises what one of them raises."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        start.wait()
        work()

    with ThreadPoolExecutor(len(works)) as threads:
        for future in [threads.submit(run, work) for work in works]:
            future.result()


@pytest.mark.slow
def test_an_explanation_is_of_its_own_text() -> None:
    encoding = tk.get_encoding("bert-uncased")

    def check(text: str) -> None:
        spans = tk.encode_spans(encoding, text)
        places = spans.starts.tolist()
        want = [spans.reason(place) for place in places]
        for _ in range(ROUNDS // 2):
            assert [spans.reason(place) for place in places] == want

    texts = ["unaffable hedgehogs unaffable hedgehogs", "a b c d e unaffable f g h"]
    run_at_once(*[functools.partial(check, text) for text in texts * 2])
