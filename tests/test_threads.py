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
from pages.grow.train.result import names_of_trained
from pages.session import panels
from pages.session import workspace as workspace_module
from pages.session.own_texts import MAX_TEXTS, OwnTexts
from pages.session.workspace import Workspace
from pages.session.workspace_link import restore_text
from pages.shared.colours import css_hue_in
from tests.trained import own_encoding
from tokenizers.cached import cached_property
from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.text import Spans, TextMap

ROUNDS = 1_000
N_OWN = 30
"""Encodings that a session has already: it takes a moment to go through them."""


@pytest.fixture(autouse=True)
def _often_another_thread() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_at_once(*works: Callable[[], object]) -> None:
    """Run each in a thread of its own, from the same moment on; raises what one of them raises."""
    start = threading.Barrier(len(works), timeout=60)

    def run(work: Callable[[], object]) -> None:
        start.wait()
        work()

    with ThreadPoolExecutor(len(works)) as threads:
        for future in [threads.submit(run, work) for work in works]:
            future.result()


def test_a_property_of_one_text_waits_for_no_other() -> None:
    both = threading.Barrier(2, timeout=20)

    class Text:
        @cached_property
        def length(self) -> int:
            both.wait()
            return 3

    one = Text()
    other = Text()
    run_at_once(lambda: one.length, lambda: other.length)


def workspace_with_own() -> Workspace:
    workspace = Workspace()
    for number in range(N_OWN):
        workspace.own_encodings.add(own_encoding(str(number), name=str(number)))
    return workspace


def test_texts_that_are_added_at_once_are_all_there() -> None:
    own = OwnTexts(lambda: "")

    def add(letter: str) -> None:
        for number in range(MAX_TEXTS // 4):
            own.add("notes", f"{letter}{number}")
            assert own.unchanged({text.key: text.digest for text in own.values()})

    run_at_once(*[functools.partial(add, letter) for letter in "abcd"])
    assert len(own.uploaded) == MAX_TEXTS
    assert len({text.title for text in own.uploaded}) == MAX_TEXTS


def test_texts_are_read_while_they_change() -> None:
    own = OwnTexts(lambda: "")
    own.add("notes", "a")
    key = own.add("notes", "b")
    values = iter(own.values())
    items = iter(own.items())
    next(values)
    next(items)
    own.remove(key)
    assert [text.text for text in values] == ["b", ""]
    assert [text.text for _, text in items] == ["b", ""]


READERS: dict[str, Callable[[Workspace], object]] = {
    "room": lambda workspace: workspace.own_encodings.check_room(),
    "colours": lambda workspace: css_hue_in(workspace, "gpt2"),
    "trained": names_of_trained,
    "encoding": lambda workspace: workspace.is_token(0, "mine"),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_list_of_encodings_is_read_while_it_changes(
    read: Callable[[Workspace], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_module, "give_back", lambda: None)  # it takes long
    workspace, own = workspace_with_own(), own_encoding("aa")

    def change() -> None:
        for _ in range(ROUNDS):
            workspace.own_encodings.expect("mine", own.digest)
            workspace.own_encodings.add(own)
            workspace.rename_encoding("mine", "other")
            workspace.remove_encoding("other")

    run_at_once(change, *[lambda: [read(workspace) for _ in range(ROUNDS)]] * 2)


def test_a_saved_text_replaces_nothing_that_is_typed_meanwhile() -> None:
    workspace = Workspace()
    restoring = threading.Thread(target=lambda: restore_text(workspace, "saved"))
    with workspace.lock:  # as a key's request has it
        restoring.start()
        restoring.join(0.05)
        workspace.set_text("typed", by_typing=True)
    restoring.join()
    assert workspace.text == "typed"


def test_a_new_encoding_gets_no_result_of_an_older_one_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(text="aab")
    older = own_encoding("aa")
    newer = own_encoding("ab")
    is_encoding, may_end = threading.Event(), threading.Event()

    def encode_later(encoding: Encoding, text_map: TextMap, **options: AllowedSpecial) -> Spans:
        is_encoding.set()
        may_end.wait()
        return tk.encode_spans(encoding, text_map, **options)

    name = workspace.own_encodings.add(older)
    with monkeypatch.context() as slow, ThreadPoolExecutor(1) as thread:
        slow.setattr(panels, "encode_spans", encode_later)
        spans = thread.submit(workspace.spans, name)
        is_encoding.wait()
        workspace.remove_encoding(name)
        assert workspace.own_encodings.add(newer) == name
        may_end.set()
        assert spans.result().encoding is older.encoding
    assert workspace.spans(name).encoding is newer.encoding
