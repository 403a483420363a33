"""The workspace trusts nothing, loses nothing, and its replies are exact."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from pages.explore.playground.answer import BEGINS_BEFORE, CLEAN, GOES_ON, ONLY_HERE, build_answer
from pages.session.catalogue import read_samples
from pages.session.editor_request import apply_request, replace_text, state_of
from pages.session.own_encodings import OwnEncoding
from pages.session.panels import LIVE_BYTES
from pages.session.workspace import MAX_PANELS, SWITCHES, WELCOME, Pin, Workspace
from pages.session.workspace_link import link_holds_text, restore
from tests.examples import examples
from tests.limits import processor_seconds
from tests.refusals import refused
from tests.texts import NASTY, any_text
from tests.trained import own_encoding
from tokenizers.json_types import JsonObject


def reply_of(workspace: Workspace) -> JsonObject:
    """The answer, with the arrays of each panel in it."""
    values, arrays = build_answer(workspace, skips_slow=False)
    panels = {panel["name"]: panel for panel in values["panels"]}
    for (panel, name), array in arrays.items():
        panels.get(panel, values)[name] = array
    return values


def send(workspace: Workspace, **fields: Any) -> None:
    apply_request(workspace, fields)


def act(workspace: Workspace, action: str, value: str = "", body: bytes = b"") -> None:
    replace_text(workspace, action, value, body)


# Replies


def check_reply(workspace: Workspace) -> None:
    header = reply_of(workspace)
    text_map = workspace.text_map
    assert (header["bytes"], header["chars"]) == (text_map.n_bytes, text_map.n_chars)
    assert header["graphemes"] == text_map.n_graphemes
    allowed = "all" if workspace.special_as_tokens else ()
    all_starts: list[list[int]] = []
    for panel in header["panels"]:
        ids = tk.get_encoding(panel["name"]).encode(workspace.text, allowed_special=allowed)
        assert (panel["tokens"], panel["joins"], panel["ids"].tolist()) == (len(ids), True, ids)
        lengths = panel["byte_lengths"]
        units = panel.get("utf16_lengths", lengths)
        assert int(units.sum()) * 2 == len(text_map.text.encode("utf-16-le"))
        all_starts.append([0, *np.cumsum(lengths).tolist()])
        assert all_starts[-1][-1] == text_map.n_bytes
    for starts, panel in zip(all_starts, header["panels"], strict=True):
        n_with = Counter(start for each in all_starts for start in set(each))
        for start, flag in zip(starts, panel["flags"].tolist(), strict=False):
            assert bool(flag & ONLY_HERE) == (n_with[start] == 1 < len(all_starts))
            assert bool(flag & CLEAN) == bool(text_map.is_grapheme_edge[start])
    assert int(header["clusters"].sum()) * 2 <= len(text_map.text.encode("utf-16-le"))
    assert (header["clusters"][1::2] > 1).all()


@examples(60)
@given(st.lists(any_text, min_size=1, max_size=4), st.booleans(), st.booleans())
@example([*NASTY.values()], False, False)
@example([*NASTY.values()], True, True)
def test_replies_are_exact(texts: list[str], walls: bool, special: bool) -> None:
    workspace = Workspace(encodings=["grove-udhr-8k", "gpt2", "o200k_base"])
    for text in texts:
        send(workspace, text=text, walls=walls, special_as_tokens=special)
        check_reply(workspace)


def test_lone_surrogates_are_said() -> None:
    workspace = Workspace(encodings=["gpt2"])
    send(workspace, text="a\ud83db")
    (note,) = reply_of(workspace)["notes"]
    assert "in this text: 1. UTF-8 cannot hold them" in note["text"]
    send(workspace, text="a\ud83d\ude00b")  # a pair is a character, and nothing to say
    assert reply_of(workspace)["notes"] == []


def test_a_broken_encoding_has_its_own_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tk.get_encoding

    def broken(name: str) -> tk.Encoding:
        if name == "gpt2":
            raise OSError("gpt2 cannot be loaded: its rank file is missing.")
        return real(name)

    monkeypatch.setattr(tk, "get_encoding", broken)
    header = reply_of(Workspace(encodings=["gpt2", "cl100k_base"], pin=Pin("gpt2", 0)))
    assert header["panels"][0] == {
        "name": "gpt2",
        "problem": "gpt2 cannot be loaded: its rank file is missing.",
    }
    assert header["panels"][1]["tokens"] == 58
    assert header["inspector"] is None


@pytest.mark.parametrize("walls", [False, True])
def test_workspace_lets_go_of_a_long_text_that_was_replaced(walls: bool) -> None:
    """What a session held of it, 33 times its length in four panels, stayed until the text after next."""
    workspace = Workspace(encodings=["gpt2", "bert-uncased", "grove-udhr-8k"], walls=walls)
    workspace.take("the cat and the hat " * (LIVE_BYTES // 20 + 1))
    reply_of(workspace)
    spans = [*map(workspace.spans, workspace.encodings)]
    seen = [weakref.ref(each) for each in (workspace.text_map, *spans, *(each.seen for each in spans))]
    del spans
    gc.disable()  # so that what holds itself is noticed
    try:
        workspace.take("short")
        reply_of(workspace)
        assert [ref() for ref in seen] == [None] * len(seen)
    finally:
        gc.enable()
    assert workspace.set_aside is not None and len(workspace.set_aside[0]) > LIVE_BYTES


# Messages


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = [*SWITCHES, *"text encodings view page pin".split()]


@pytest.mark.slow
@examples(300)
@given(
    st.fixed_dictionaries({}, optional={key: junk for key in KEYS}),
    st.sampled_from(["file", "paste", "clear", "back", "edit_page", "nonsense"]),
    st.text(max_size=8),
    st.binary(max_size=20),
)
def test_junk_from_the_browser_never_raises(fields: JsonObject, action: str, value: str, body: bytes) -> None:
    workspace = Workspace(encodings=["gpt2"])
    send(workspace, **fields)
    act(workspace, action, value, body)
    check_reply(workspace)
    restore(workspace, fields)  # as of a link
    reply_of(workspace)


def test_white_space_is_marked_and_panels_scroll_together_at_first() -> None:
    workspace = Workspace()
    assert [name for name in SWITCHES if getattr(workspace, name)] == ["whitespace", "scrolls_together"]


def test_panels_are_limited_and_unique() -> None:
    workspace = Workspace()
    trained = [workspace.own_encodings.add(own_encoding()) for _ in range(MAX_PANELS)]
    send(workspace, encodings=["gpt2", "gpt2", "no such", 7, None, *tk.list_encodings(), *trained] * 3)
    assert len(workspace.encodings) == len(set(workspace.encodings)) == MAX_PANELS
    assert set(workspace.encodings) <= {*tk.list_encodings(), *trained}


def test_an_own_encoding_is_compared_on_what_was_held_out() -> None:
    counts = {"held_bytes": 30, "held_tokens": 5, "o200k_base": 10, "cl100k_base": 15, "gpt2": 20}
    own = OwnEncoding(tk.HomeEncoding([]), report={"sources": [{"times": 2, **counts}]})
    assert own.held_out_ratio == 6
    assert own.reference_ratios == {"o200k_base": 3, "cl100k_base": 2, "gpt2": 1.5}


def test_a_renamed_encoding_stays_in_its_panel() -> None:
    workspace = Workspace()
    workspace.own_encodings.add(own_encoding())
    workspace.encodings = ["gpt2", "mine"]
    workspace.pin = Pin("mine", 3)
    assert workspace.rename_encoding("mine", " oak ") == "oak" and workspace.encodings == ["gpt2", "oak"]
    assert workspace.pin == Pin("oak", 3)
    assert workspace.rename_encoding("oak", "oak ") == "oak"  # taken by itself alone
    assert workspace.rename_encoding("oak", "gpt2") == "gpt2-2"  # taken
    with refused("at least one letter"):
        workspace.rename_encoding("gpt2-2", "  ")
    assert workspace.own_encodings["gpt2-2"].encoding.name == "gpt2-2"


def test_panel_of_a_slow_pattern_is_tried_once() -> None:
    workspace = Workspace(encodings=["gpt2"])
    slow = tk.HomeEncoding([(97, 97)], r"(a|aa)+$", name="slow")
    workspace.own_encodings.add(OwnEncoding(slow))
    workspace.own_encodings.add(OwnEncoding(tk.HomeEncoding([(97, 97)], "gpt4o", name="new")))
    slow.split_timeout = 0.2
    send(workspace, encodings=["slow", "gpt2"], text="a" * 60 + "b")
    header = reply_of(workspace)
    assert "took longer" in header["panels"][0]["problem"]
    assert header["panels"][1]["tokens"] > 0
    others, _ = workspace.panels.encode(["new", "gpt2"], special=False, skips_slow=True)
    assert list(others) == ["gpt2"], "one that was not tried yet is left out, and hides no other"
    slow.split_timeout = 1e9  # it is not tried again on the same text
    assert "took longer" in reply_of(workspace)["panels"][0]["problem"]


# Long texts and files


@pytest.mark.slow
def test_a_long_text_is_paged_and_counted_exactly() -> None:
    text = "All human beings are born free and equal. 안녕하세요 👩‍🚀\n" * 4000
    workspace = Workspace(encodings=["gpt2", "o200k_base"])
    send(workspace, text="short")
    act(workspace, "paste", body=text.encode())
    assert workspace.is_long
    joined = ""
    for page in range(len(workspace.pages)):
        send(workspace, page=page)
        header = reply_of(workspace)
        joined += header["page"]["text"]
        for panel in header["panels"]:
            assert panel["tokens"] == len(tk.get_encoding(panel["name"]).encode(text))
            assert panel["joins"] is True
            n_drawn = int(panel["byte_lengths"].sum())
            assert n_drawn == header["page"]["end"] - header["page"]["start"]
    assert joined == text
    act(workspace, "back")
    assert workspace.text == "short"


def test_going_back_to_a_long_text_opens_the_page_that_was_left() -> None:
    workspace = Workspace(encodings=["gpt2"])
    workspace.take("line of text\n" * 20_000)
    for page, leave in ((3, "edit_page"), (2, "clear"), (1, "")):
        send(workspace, page=page)
        if leave:
            act(workspace, leave)
        else:
            workspace.show_token("gpt2", 257, "he")
        assert not workspace.is_long
        act(workspace, "back")
        assert workspace.is_long and workspace.page == page
    for text, is_said in ((workspace.text + "!", False), ("short", True), ("other", False)):
        act(workspace, "paste", body=text.encode())
        assert ("The long text was replaced." in workspace.note) == is_said and workspace.page == 0


def test_an_empty_file_leaves_the_text() -> None:
    workspace = Workspace(text="mine")
    with refused("notes.txt is empty, so your text stays as it is."):
        workspace.open_file("notes.txt", b"")
    assert workspace.text == "mine"


def test_typing_keeps_the_pin_and_another_text_drops_it() -> None:
    workspace = Workspace(encodings=["gpt2"])
    send(workspace, text="one two", pin={"encoding": "gpt2", "start": 4})
    send(workspace, text="one two!")
    assert reply_of(workspace)["inspector"]["start"] == 3
    workspace.set_text("three four")
    assert reply_of(workspace)["inspector"] is None


def test_edit_page_takes_the_page_that_is_shown_and_there_is_always_one() -> None:
    workspace = Workspace(encodings=["gpt2"])
    workspace.take("".join(f"line {number}\n" for number in range(30_000)))
    for page, shown in ((10**12, len(workspace.pages) - 1), (-3, 0), (2, 2)):
        send(workspace, page=page)
        assert workspace.page == shown
    third = workspace.pages[2]
    text = workspace.text[third.start : third.end]
    act(workspace, "edit_page")
    assert workspace.text == text


def test_a_link_holds_the_pin_and_one_from_before_has_none() -> None:
    workspace = Workspace(encodings=["gpt2", "cl100k_base"])
    send(workspace, text="one two", pin={"encoding": "gpt2", "start": 4})
    reply_of(workspace)
    link = state_of(workspace)
    restored = Workspace()
    restore(restored, link)
    assert restored.pin == Pin("gpt2", 3)  # where the token begins
    assert reply_of(restored)["inspector"]["start"] == 3
    huge = {"encoding": "gpt2", "start": 10**30}
    unknown = {"encoding": "no such", "start": 0}
    for odd in (None, huge, unknown, 7, {"start": -1}):
        restore(restored, {"text": "one two", "pin": odd})
        assert reply_of(restored)["inspector"] is None and state_of(restored)["pin"] is None


def test_tokens_that_reach_over_a_page_say_so() -> None:
    workspace = Workspace(encodings=["cl100k_base"])
    workspace.take("x" + " " * 320_000)
    first = reply_of(workspace)
    assert first["panels"][0]["flags"][-1] & GOES_ON
    send(workspace, page=1)
    second = reply_of(workspace)
    assert second["panels"][0]["flags"][0] & BEGINS_BEFORE


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["🇩" * 32_000, "é<|endoftext|>" * 8_600, "<|endofprompt|>" * 100_000], ids=lambda text: text[:9]
)
def test_reply_takes_no_square_of_the_length(text: str) -> None:
    workspace = Workspace(encodings=["o200k_harmony"])
    with processor_seconds(20):
        send(workspace, text=text, special_as_tokens=text.startswith("<"))
        assert reply_of(workspace)["panels"][0]["joins"] is True


# Links


def test_link_of_a_text_that_is_too_long_says_how_it_is_shown() -> None:
    rows = "".join(chr(0x4E00 + (i * 7919) % 20000) for i in range(9000))
    workspace = Workspace(encodings=["gpt2"])
    for text, fits in (("short", True), (rows, False), ("a" * 60_000, False)):
        send(workspace, text=text, view="ids")
        assert link_holds_text(workspace) == fits
    link = {key: value for key, value in state_of(workspace).items() if key != "text"}
    stranger = Workspace()
    restore(stranger, {**link, "pin": {"encoding": "gpt2", "start": 5}})
    assert stranger.text == WELCOME and stranger.view == "ids" and stranger.pin is None


def test_what_was_shown_on_a_projector_gives_way_to_the_text_before() -> None:
    workspace = Workspace(text="mine")
    act(workspace, "present", body=b"theirs")
    assert workspace.text == "theirs"
    workspace.open_text("typed meanwhile")
    act(workspace, "end_presenting")
    assert workspace.text == "mine"
    workspace.open_text("typed afterwards")
    act(workspace, "end_presenting")
    assert workspace.text == "typed afterwards"


def test_take_of_a_text_that_is_too_long_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("tokenizers.text.files", "pages.session.workspace"):
        monkeypatch.setattr(f"{module}.MAX_TEXT_BYTES", 5)
    workspace = Workspace(text="mine")
    workspace.take("longer")
    assert workspace.text == "mine" and workspace.note_is_error and "This text" in workspace.note
    workspace.take("short")
    assert (workspace.text, workspace.note, workspace.note_is_error) == ("short", "", False)


def test_go_back_skips_samples_and_empty_texts() -> None:
    workspace = Workspace(text="mine")
    for text in (read_samples()[0]["text"], "", "another"):
        workspace.open_text(text)
    workspace.go_back()
    assert workspace.text == "mine"
