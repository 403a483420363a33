"""So many pages run at a time, and a fragment inside a page's run does not wait for it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from pages.server.run_limit import RUNS, let_others_run, limited_run


@limited_run()
def fragment() -> str:
    return "drawn"


def test_no_more_pages_run_at_a_time() -> None:
    all_in, may_end = threading.Barrier(RUNS + 1), threading.Event()
    one_more = threading.Event()

    def page() -> str:
        with limited_run():
            all_in.wait(30)
            may_end.wait(30)
            return fragment()

    def late_page() -> None:
        with limited_run():
            one_more.set()

    with ThreadPoolExecutor(RUNS + 1) as threads:
        pages = [threads.submit(page) for _ in range(RUNS)]
        all_in.wait(30)
        threads.submit(late_page)
        assert not one_more.wait(0.1)
        may_end.set()
        assert [each.result(30) for each in pages] == ["drawn"] * RUNS
        assert one_more.wait(30)


def test_others_run_while_pages_wait_for_another_server() -> None:
    has_answered = threading.Event()

    def waiting_page() -> str:
        with limited_run():
            with let_others_run():
                assert has_answered.wait(30)
            return fragment()

    with ThreadPoolExecutor(RUNS) as threads:
        pages = [threads.submit(waiting_page) for _ in range(RUNS)]
        assert fragment() == "drawn"
        has_answered.set()
        assert [each.result(30) for each in pages] == ["drawn"] * RUNS
    with let_others_run():  # outside of a run, it does nothing
        assert fragment() == "drawn"


def test_a_run_that_fails_makes_room() -> None:
    for _ in range(RUNS + 1):
        try:
            with limited_run():
                raise KeyboardInterrupt  # as Streamlit ends a run: no Exception
        except KeyboardInterrupt:
            pass
    assert fragment() == "drawn"
