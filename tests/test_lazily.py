"""Properties that are worked out once, by several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tokenizers.lazily import lazily, once

PATIENCE = 30.0


class Model:
    def __init__(self) -> None:
        self.begun, self.may_end = Event(), Event()
        self.n_built = 0

    def build(self) -> int:
        self.n_built += 1
        self.begun.set()
        assert self.may_end.wait(PATIENCE)
        return self.n_built

    @once
    def table(self) -> int:
        """A table."""
        return self.build()

    @lazily
    def size(self) -> int:
        return self.build()


@pytest.mark.parametrize("name", ["table", "size"])
def test_another_object_does_not_wait(name: str) -> None:
    slow, quick = Model(), Model()
    quick.may_end.set()
    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(getattr, slow, name)
        assert slow.begun.wait(PATIENCE)
        assert threads.submit(getattr, quick, name).result(PATIENCE) == 1
        slow.may_end.set()
        assert waiting.result(PATIENCE) == 1


def test_of_one_object_it_is_worked_out_once() -> None:
    model = Model()
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(lambda: model.table) for _ in range(4)]
        assert model.begun.wait(PATIENCE)
        assert not any(each.done() for each in asked)
        model.may_end.set()
        assert [each.result(PATIENCE) for each in asked] == [1, 1, 1, 1]
    assert model.n_built == 1
    assert set(model.__dict__) == {"begun", "may_end", "n_built", "table"}  # no lock stays


def test_another_property_of_the_same_object_does_not_wait() -> None:
    class Two(Model):
        @once
        def other(self) -> int:
            return 7

    model = Two()
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(lambda: model.table)
        assert model.begun.wait(PATIENCE)
        assert model.other == 7
        model.may_end.set()
        assert waiting.result(PATIENCE) == 1


def test_after_a_failure_it_is_tried_again() -> None:
    class Failing:
        n_tried = 0

        @once
        def value(self) -> int:
            self.n_tried += 1
            if self.n_tried == 1:
                raise ValueError("not yet")
            return self.n_tried

    failing = Failing()
    with pytest.raises(ValueError, match="not yet"):
        _ = failing.value
    assert (failing.value, failing.value) == (2, 2)


def test_its_words_are_there_for_whoever_reads_the_class() -> None:
    assert Model.table.__doc__ == "A table."
    assert Model.table.__module__ == __name__
