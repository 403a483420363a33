"""A server that is full refuses what would add much, loses nothing, and takes it later."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

import tokenizers as tk
from pages.session import server_room, train_run
from pages.session.grown import Grown
from pages.session.train_plan import Recipe
from pages.session.train_run import Run
from pages.session.workspace import LARGE, Workspace
from tests.visit import Visit
from tokenizers import memory


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes that the server takes, which a test sets; it may take a million."""
    now = [0]
    monkeypatch.setattr(server_room, "MAX_TAKEN", 1_000_000_000)
    monkeypatch.setattr(server_room, "taken_memory", lambda: now[0])
    monkeypatch.setattr(server_room, "_FREE_EVERY", 0.0)
    return now


FULL = "The server is full at the moment: there is no memory for"


def test_a_full_server_takes_no_long_text_and_keeps_the_one_that_is_there(taken: list[int]) -> None:
    workspace = Workspace(encodings=["gpt2"])
    long = "a" * (LARGE + 1)
    taken[0] = 999_999_999
    workspace.take("a short text")
    workspace.take(long)
    assert workspace.text == "a short text" and workspace.note_is_error
    assert workspace.note.startswith(f"{FULL} a text of this length.")
    taken[0] = 1_000
    workspace.take(long)
    assert workspace.text == long and not workspace.note_is_error


def test_a_long_text_can_be_brought_back_once_there_is_room_again(taken: list[int]) -> None:
    workspace = Workspace(encodings=["gpt2"])
    long = "a" * (LARGE + 1)
    workspace.take(long)
    workspace.show_token("gpt2", 64, "a")
    taken[0] = 999_999_999
    workspace.bring_back()
    assert workspace.text == "a" and workspace.note.startswith(FULL) and workspace.note_is_error
    taken[0] = 0
    workspace.bring_back()
    assert workspace.text == long and workspace.text_before is None


def test_a_full_server_takes_no_own_text_encoding_or_training(taken: list[int]) -> None:
    workspace, grove = Workspace(), tk.train("the cat and the hat", 258, name="mine")
    own = workspace.own_texts
    key = own.add("first", "a text")
    taken[0] = 1_000_000_000
    with pytest.raises(ValueError, match=f"{FULL} notes"):
        own.add("notes", "another")
    with pytest.raises(ValueError, match=f"{FULL} one more encoding of your own"):
        workspace.bring(grove, Grown(grove))
    run = Run(Recipe(parts=((key, 1.0),)), {key: own[key]}, lambda grown: None)
    with pytest.raises(ValueError, match=f"{FULL} one more training"):
        run.start()
    assert not workspace.grown and len(own.brought) == 1 and not train_run._line
    taken[0] = 0
    own.add("notes", "another")
    workspace.bring(grove, Grown(grove))


def test_before_anything_is_refused_what_is_not_in_use_is_given_back(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken[0] = 1_000_000_000
    monkeypatch.setattr(server_room, "free_memory", lambda: taken.__setitem__(0, 0))
    Workspace().own_texts.add("notes", "a text")
    assert taken == [0]


def test_a_text_needs_room_for_what_is_worked_out_of_it(taken: list[int]) -> None:
    """A server with room for the text alone is full for it."""
    workspace, long = Workspace(encodings=["gpt2"]), "a" * (LARGE + 1)
    taken[0] = server_room.MAX_TAKEN - 10 * len(long)
    workspace.take(long)
    assert workspace.text != long and workspace.note.startswith(FULL)


def test_what_is_not_in_use_is_not_given_back_at_every_refusal(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time stops the server for a moment, and a full server refuses often."""
    times: list[int] = []
    monkeypatch.setattr(server_room, "free_memory", lambda: times.append(1))
    monkeypatch.setattr(server_room, "_FREE_EVERY", 1e9)
    monkeypatch.setattr(server_room, "_freed_at", -1e9)
    taken[0] = 1_000_000_000
    for _ in range(3):
        with pytest.raises(ValueError, match=FULL):
            Workspace().own_texts.add("notes", "a text")
    assert len(times) == 1


def test_where_memory_cannot_be_told_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_room, "MAX_TAKEN", 1)
    monkeypatch.setattr(server_room, "taken_memory", lambda: None)
    Workspace().own_texts.add("notes", "a text")


# One address


def test_sessions_of_one_address_share_what_it_may_hold_and_give_it_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_room, "MAX_OF_ADDRESS", 1_000_000)
    here = [Workspace(address="203.0.113.9") for _ in range(3)]
    for space in here[:2]:
        space.own_texts.add("notes", "a" * 400_000)
    with pytest.raises(ValueError, match="no room for more: texts and encodings from your network’s address"):
        here[2].own_texts.add("more", "b" * 400_000)
    grove = tk.train("the cat and the hat", 258, name="mine")
    monkeypatch.setattr("pages.session.workspace.own_memory", lambda encoding: 300_000)
    with pytest.raises(ValueError, match="no room for one more encoding of your own"):
        here[2].bring(grove, Grown(grove))
    for other in (Workspace(address="198.51.100.1"), Workspace(address="")):
        other.own_texts.add("more", "b" * 900_000)
        other.own_texts.add("few", "c" * 50_000)
    here[0].own_texts.remove("own-1")
    here[2].own_texts.add("more", "b" * 400_000)
    del here[1], space
    gc.collect()
    here[0].own_texts.add("later", "c" * 400_000)


def test_long_texts_in_the_editor_count_for_their_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty sessions of one address with a text of a megabyte each took two gigabytes."""
    monkeypatch.setattr(server_room, "MAX_OF_ADDRESS", 70 * LARGE)
    one, two = (Workspace(encodings=["gpt2"], address="203.0.113.9") for _ in range(2))
    long = "a" * (LARGE + 1)
    one.take(long)
    two.take(long)
    assert not two.note_is_error
    two.take(long + long)
    assert two.text == long and two.note_is_error, (
        "it is there, and the longer one is too much beside the other"
    )
    assert two.note.startswith("There is no room for a text of this length: texts and encodings from your")
    other = Workspace(encodings=["gpt2"], address="198.51.100.1")
    other.take(long + long)
    one.take("a short text")
    two.take(long + long)
    assert not other.note_is_error and not two.note_is_error and two.text == long + long


def test_a_session_knows_the_address_that_it_counts_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.shared.session._address", lambda: "203.0.113.9")
    workspace = Visit("explore/playground/page.py", {}).test.session_state["workspace"]
    assert workspace.address == "203.0.113.9"


# What the machine says


def test_a_container_has_the_memory_of_its_group_or_of_one_around_it(tmp_path: Path) -> None:
    own = tmp_path / "cgroup"
    (tmp_path / "fs" / "a" / "b").mkdir(parents=True)
    (tmp_path / "fs" / "a" / "b" / "memory.max").write_text("max\n")
    (tmp_path / "fs" / "a" / "memory.max").write_text("700\n")
    (tmp_path / "fs" / "memory.max").write_text("900\n")
    for said, bounds in {
        "0::/a/b\n": [700, 900],
        "0::/not/seen/from/here\n": [900],
        "0::/\n": [900],
        "nonsense\n\n": [],
        "2:cpu:/a\n": [],
    }.items():
        own.write_text(said)
        assert memory._bounds_of_groups(tmp_path / "fs", own) == bounds
    (tmp_path / "fs" / "memory" / "x").mkdir(parents=True)
    (tmp_path / "fs" / "memory" / "x" / "memory.limit_in_bytes").write_text("500")
    own.write_text("3:cpu,memory:/x\n")
    assert memory._bounds_of_groups(tmp_path / "fs", own) == [500]
    assert memory._bounds_of_groups(tmp_path, tmp_path / "none") == []


def test_a_process_may_take_what_its_group_may(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("0::/\n")
    (tmp_path / "memory.max").write_text("700\n")
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "_OWN_CGROUP", tmp_path / "cgroup")
    assert memory.available_memory() == 700


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="Windows does not tell how long a page is")
def test_what_a_process_takes_is_what_it_has_in_memory_not_all_that_it_may_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "_STATM", tmp_path / "statm")
    assert memory.taken_memory() is None
    (tmp_path / "statm").write_text("900 5 3 1 0 70 0\n")
    assert memory.taken_memory() == 5 * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="it is told by Linux alone")
def test_the_memory_of_this_process_is_told() -> None:
    before = memory.taken_memory()
    block = os.urandom(64 << 20)
    after = memory.taken_memory()
    assert before is not None and after is not None and 0 < before < after
    assert 0.8 < (after - before) / len(block) < 1.5
