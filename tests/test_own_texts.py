"""A person's own texts: the store by itself, then uploaded on one page and used on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.session import own_texts as store
from pages.session.own_texts import PLAYGROUND, PLAYGROUND_TITLE, OwnTexts, clean_title
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from tests.refusals import refused
from tests.visit import Visit
from tokenizers.text import SAFE_CELLS

CYRILLIC = "Все люди рождаются свободными и равными".encode("cp1251")


def make(text: str = "in the editor") -> OwnTexts:
    return OwnTexts(lambda: text)


def files(*pairs: tuple[str, bytes]) -> Iterable[tuple[str, Callable[[], bytes]]]:
    return [(name, lambda data=data: data) for name, data in pairs]  # type: ignore[misc]


# The store


def test_own_texts_begin_with_those_that_were_added() -> None:
    own = make()
    key = own.add("a", "one\ud800")
    assert own[key].text == "one\ufffd"
    assert [*own] == [key, PLAYGROUND]


def test_the_limits_are_said_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    own = make()
    with refused("long has 10.1 MB, and Token Grove takes up to 10 MB"):
        own.add("long", "я" * 5_300_000)
    monkeypatch.setattr(store, "MAX_ALL_BYTES", 1 << 20)
    own.add("one", "a" * 600_000)
    own.add("two", "b" * 448_576)
    with refused("three is too much: your texts may have 1 MB together"):
        own.add("three", "c")
    assert own.add("one again", "a" * 600_000) == "own-1"  # it needs no room
    own.remove("own-2")
    assert own.add("three", "c") == "own-3"


def test_a_guessed_file_is_read_again_under_the_same_key_and_title(monkeypatch: pytest.MonkeyPatch) -> None:
    own = make()
    (key,) = own.add_files(files(("note.txt", CYRILLIC))).keys
    own.rename(key, "letter")
    own.read_again(key, "koi8-r")
    assert (own[key].title, own[key].text) == ("letter", CYRILLIC.decode("koi8-r"))
    assert own[key].how == "read as KOI8-R (Russian)"
    for codec in ("utf-8", "no such set"):
        with refused(r"\.$"):
            own.read_again(key, codec)
    monkeypatch.setattr(store, "MAX_ALL_BYTES", 40)
    with refused("letter is too much"):
        own.read_again(key, "cp1251")
    assert own[key].text == CYRILLIC.decode("koi8-r")


@pytest.mark.slow
def test_page_reads_a_file_again_or_says_why_not() -> None:
    session = open_compression()
    session.own.add_files(files(("note.txt", CYRILLIC), ("plain.txt", b"plain")))
    session.run()
    charset = "own_texts_charset_own-1"
    assert session.field(charset).value == "cp1251"
    assert "own_texts_charset_own-2" not in [box.key for box in session.test.selectbox]
    session.set(charset, "koi8-r")
    assert session.own["own-1"].text == CYRILLIC.decode("koi8-r")
    session.set(charset, "utf-8")
    assert "note.txt is not in UTF-8" in session.messages
    assert session.field(charset).value == "koi8-r"


@pytest.mark.slow
def test_page_renames_a_text_or_says_why_not() -> None:
    session = open_compression()
    session.bring("one")
    session.set("own_texts_rename_own-1", "Python")
    assert "Python (yours)" in session.texts_in_table()  # the app has a text of that name
    assert SAFE_CELLS not in session.said
    session.set("own_texts_rename_own-1", "=1+1")
    assert SAFE_CELLS in session.said
    session.set("own_texts_rename_own-1", "Python")
    session.set("own_texts_rename_own-1", "  ")
    assert "needs a name" in session.messages
    session.bring("one")
    assert "one is the same text as Python" in session.messages
    session.field("own_texts_paste").set_value("")
    session.press("own_texts_add")
    assert "is empty" in session.messages


@given(st.text(max_size=200))
def test_a_title_is_one_short_line_without_anything_invisible(title: str) -> None:
    clean = clean_title(title)
    assert len(clean) <= store.MAX_TITLE and clean_title(clean) == clean
    assert "\n" not in clean and "\u202e" not in clean and "\u2066" not in clean


def test_titles_that_are_taken_get_a_number() -> None:
    own = make()
    keys = [own.add(title, str(number)) for number, title in enumerate(["x", "x", PLAYGROUND_TITLE, "", ""])]
    assert [own[key].title for key in keys] == ["x", "x 2", f"{PLAYGROUND_TITLE} 2", "My text", "My text 2"]
    own.rename(keys[1], "x")
    assert own[keys[1]].title == "x 2"
    own.rename(keys[0], "y")
    own.rename(keys[1], "x")
    assert own[keys[1]].title == "x"
    with refused("needs a name"):
        own.rename(keys[0], " \u202e ")
    own.remove(PLAYGROUND)
    assert PLAYGROUND in own and len(own) == 6


# The workspace


def test_open_file_keeps_it_among_own_texts() -> None:
    workspace = Workspace()
    workspace.open_file("note.txt", CYRILLIC)
    assert workspace.note.endswith(
        "a guess. If letters look wrong, choose another character set under Your texts."
    )
    (own,) = workspace.own_texts.uploaded
    assert (own.title, own.text) == ("note.txt", CYRILLIC.decode("cp1251"))
    workspace.set_text("something else")
    workspace.own_texts.read_again(own.key, "koi8-r")
    workspace.open_own(own.key)
    assert workspace.text == CYRILLIC.decode("koi8-r")
    assert workspace.set_aside and workspace.set_aside.text == "something else"


def test_a_file_is_opened_even_if_there_is_no_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_TEXTS", 1)
    workspace = Workspace()
    workspace.open_file("one.txt", b"one")
    workspace.open_file("two.txt", b"two")
    assert workspace.text == "two" and not workspace.note_is_error
    assert workspace.note.startswith("two.txt: 3 bytes, read as UTF-8. It is in the editor, but not among")
    assert "remove one of your 1 texts first" in workspace.note


# The pages, without a browser

HOSTILE = "<img src=x onerror=alert(1)> *notes*"


class Session(Visit):
    """One session that goes from page to page."""

    def bring(self, title: str) -> None:
        """Paste a text, and add it under a title."""
        self.field("own_texts_title").set_value(title)
        self.field("own_texts_paste").set_value("the cat sat on the mat. " * 20)
        self.press("own_texts_add")

    def texts_in_table(self) -> set[str]:
        tables = [frame.value for frame in self.test.dataframe if "text" in frame.value.columns]
        return set(tables[-1]["text"])

    @property
    def own(self) -> OwnTexts:
        return self.workspace.own_texts


COMPRESSION = "measure/compression/page.py"
SIZE = "measure/vocabulary_size/page.py"
TRAIN = "grow/train/page.py"
TREES = "explore/merge_trees/page.py"
BY_HAND = "grow/by_hand/page.py"


def open_compression() -> Session:
    return Session(COMPRESSION, {"text": "prose", "encoding": "gpt2"})


@pytest.mark.slow
def test_text_of_one_page_is_chosen_on_others_and_removed_from_all() -> None:
    session = open_compression()
    session.bring(HOSTILE)
    assert session.texts_in_table() == {HOSTILE, "English prose"}
    session.go(TRAIN)
    session.set("train_texts", ["stories", "own-1"])
    assert session.field("train_times_own-1").label.startswith(escape(HOSTILE))
    session.go(SIZE)
    session.set("vocabulary_size_text", "own-1")
    assert Visit(SIZE, session.link).field("vocabulary_size_text").value == "own-1"

    session.press("own_texts_remove_own-1")  # where it is chosen
    assert session.field("vocabulary_size_text").value == "docs" and not session.messages
    session.go(TRAIN)
    assert session.field("train_texts").value == ["stories"] and not session.test.error
    session.go(COMPRESSION)
    assert session.texts_in_table() == {"English prose"} and not session.messages


@pytest.mark.slow
def test_a_file_is_added_once_and_stays_away_once_it_is_removed() -> None:
    session = open_compression()
    session.test.file_uploader[0].set_value(("note.txt", b"a note", "text/plain"))
    session.run()
    assert session.texts_in_table() == {"note.txt", "English prose"}
    session.press("own_texts_remove_own-1")
    assert "own-1" not in session.own and session.texts_in_table() == {"English prose"}


@pytest.mark.slow
@pytest.mark.parametrize("page, field", [(TREES, "merge_trees"), (BY_HAND, "by_hand")])
def test_pages_for_a_short_text_take_the_beginning_of_one(page: str, field: str) -> None:
    session = Session(page, {})
    session.own.add("long", "안녕 " * 20_000)
    session.run()
    session.set(f"{field}_own", "own-1")
    most = {"merge_trees": 20_000, "by_hand": 2_000}[field]
    taken = session.test.session_state[f"{field}_text"]
    assert most - 4 < len(taken.encode()) <= most and ("안녕 " * 20_000).startswith(taken)
    assert session.field(f"{field}_own").value is None
    assert not session.test.error


# In a browser
