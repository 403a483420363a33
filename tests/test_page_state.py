"""What each page keeps, without a page: read from links, written to them, pruned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.unicode.state import UnicodeState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.by_hand.state import TIES, ByHandState
from pages.grow.train.state import PARAMETER, TrainState
from pages.measure.compare.state import LANGUAGES, CompareState
from pages.measure.compression.state import CompressionState
from pages.measure.languages.state import LanguagesState
from pages.measure.vocabulary_size.state import VocabularySizeState
from pages.session.catalogue import FEATURED
from pages.session.page_state import Link, PageState
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace, first_encodings
from tests.visit import ASKED, Visit
from tokenizers.data import list_parallel
from tokenizers.measure import PRESETS

AVAILABLE = ["gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k"]

values = st.text(max_size=40) | st.sampled_from(["0", "-1", "9" * 30, "٣", "a,b,,a", "\0", "\ud800", "own:x"])


def links(names: Sequence[str]) -> st.SearchStrategy[dict[str, list[str]]]:
    """Addresses that anyone may write: any values for the parameters that a page knows."""
    known = values | st.sampled_from(AVAILABLE)
    return st.dictionaries(st.sampled_from(names), st.lists(known, max_size=3), max_size=len(names))


def values_of(state: PageState) -> dict[str, Any]:
    return {name: field.of(state) for name, field in state.fields().items()}


def test_a_control_that_lost_its_value_has_its_first_one() -> None:
    visit = Visit("grow/by_hand/page.py", {})
    visit.test.session_state[ByHandState.ties.key] = None
    visit.run()
    assert visit.test.session_state[ByHandState.ties.key] == next(iter(TIES))


def test_by_hand_ignores_a_message_about_an_earlier_text() -> None:
    state = ByHandState()
    message = {"text": "typed", "picks": [(97, 98)], "step": 1, "revision": state.revision}
    state.put_text("chosen")
    state.hear(message)
    assert (state.text, state.picks) == ("chosen", [])
    message["revision"] = state.revision
    state.restart()  # of the same text, by other walls: what was typed just before is newer
    state.hear(message)
    assert (state.text, state.picks, state.step) == ("typed", [(97, 98)], 1)


def test_by_hand_has_walls_until_a_link_has_a_text() -> None:
    assert [ByHandState.from_link(Link(link)).walls for link in ({}, {"text": "a b"})] == ["gpt2", "none"]


CHOSEN = {
    "measure/compare": ("compare_query", "berry"),
    "measure/compression": ("compression_metric", "fertility"),
    "measure/languages": ("languages_query", "thai"),
    "measure/vocabulary_size": ("vocabulary_size_width", 4096),
    "explore/vocabulary": ("vocabulary_query", "berry"),
}
"""Of a page, a field and what a person gives it."""


@pytest.mark.slow
@pytest.mark.parametrize("page", CHOSEN)
def test_what_a_page_shows_is_there_after_another_page(page: str) -> None:
    visit = Visit(f"{page}/page.py", {})
    visit.set(*CHOSEN[page])
    link = visit.link
    visit.go("learn/words/page.py")
    visit.go(f"{page}/page.py")
    assert visit.link == link != {}


# Every page's link

TEXTS = list_parallel()
CODES = [text.code for text in TEXTS]
KEYS = [*FEATURED, "playground"]
SIZE_KEYS = ["docs", "udhr:kor", "learned:grove-udhr-8k", "learned:mine", "playground", "own-1"]


def read_languages(link: Link) -> LanguagesState:
    state = LanguagesState.from_link(link, TEXTS, AVAILABLE, [])
    state.prune(CODES, AVAILABLE, [])
    return state


def read_compression(link: Link) -> CompressionState:
    state = CompressionState.from_link(link, AVAILABLE, [], KEYS)
    state.prune(AVAILABLE, [], KEYS)
    return state


READERS: dict[str, Callable[[Link], Any]] = {
    "merge_trees": lambda link: MergeTreesState.from_link(link, AVAILABLE),
    "unicode": lambda link: UnicodeState.from_link(link, AVAILABLE),
    "by_hand": ByHandState.from_link,
    "vocabulary": lambda link: VocabularyState.from_link(link, AVAILABLE),
    "languages": read_languages,
    "compression": read_compression,
    "compare": lambda link: CompareState.from_link(link, AVAILABLE, KEYS),
    "vocabulary_size": lambda link: VocabularySizeState.from_link(link, AVAILABLE, [], SIZE_KEYS),
}
"""What each page reads a link with."""

PRUNED: dict[str, tuple[type[Any], list[Any]]] = {
    "merge_trees": (MergeTreesState, [AVAILABLE]),
    "compare": (CompareState, [AVAILABLE]),
    "vocabulary": (VocabularyState, [AVAILABLE]),
    "languages": (LanguagesState, [CODES, AVAILABLE, []]),
    "compression": (CompressionState, [AVAILABLE, [], KEYS]),
    "vocabulary_size": (VocabularySizeState, [AVAILABLE, [], ["docs"]]),
}
"""The state of a page, and what there is, of which it lets go what is gone."""


def kept_of(asked: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """What a page still chooses, of what it has chosen."""
    page, chosen = asked
    kind, present = PRUNED[page]
    state = kind(**chosen)
    state.prune(*present)
    return {name: getattr(state, name) for name in chosen}


LINKS = """
merge_trees?text=é+%26+%3D&encodings=gpt2,grove-udhr-8k&encoding=cl100k_base&token=+%2B
unicode?text=é+%26+%3D&encodings=grove-udhr-8k&part=20000
by_hand?text=é+%26+%3D&by_hand_ties=first+in+the+text&by_hand_walls=gpt4o
vocabulary?encoding=gpt2&by=regex&query=+%2B&script=Han&only=digits,special&order=longest+first&case=ignore&token=cl100k_base:99999999999
languages?focus=kor&base=mya&encodings=gpt2,cl100k_base&lead=cl100k_base&query=é,
compare?a=o200k_base&b=gpt2&by=kind&group=moved&query=é,&kind=languages&text=playground
compression?encoding=gpt2&encoding=cl100k_base&text=playground&text=prose&figure=nsl&baseline=cl100k_base&only=prose&in=gpt2
vocabulary_size?encodings=gpt2,cl100k_base&text=udhr:kor&beside=learned:mine&at=4194304&for=cl100k_base&width=131072&layers=1024&tied=no
""".split()
"""Of each page, a link with all that it may show: nothing as on a first visit."""


@pytest.mark.parametrize("url", LINKS)
def test_a_page_is_read_from_its_link_and_writes_the_same_again(url: str) -> None:
    page, query = url.split("?")
    state = READERS[page](Link(parse_qs(query)))
    assert parse_qs(urlencode(state.to_link(), doseq=True)) == parse_qs(query)


def parameters() -> list[str]:
    """The names of the parameters that any of these pages reads."""
    ASKED.clear()
    for read in READERS.values():
        read(Link({}))
    return sorted(ASKED)


@pytest.mark.parametrize("page", READERS)
@given(link=links(parameters()))
def test_any_link_opens_a_page_with_what_is_here(page: str, link: dict[str, list[str]]) -> None:
    state = READERS[page](Link(link))
    chosen = [*getattr(state, "encodings", []), getattr(state, "only_encoding", "") or "gpt2"]
    chosen += [getattr(state, name, "gpt2") for name in ("encoding", "token_encoding", "baseline", "a", "b")]
    assert set(chosen) <= set(AVAILABLE)
    state.note = ""
    assert values_of(READERS[page](Link(state.to_link()))) == values_of(state)


# Merge trees


def test_the_way_to_a_biography_has_the_url_of_the_page_that_it_opens() -> None:
    state, workspace = MergeTreesState(), Workspace(text="a typed text")
    state.show_token(workspace, "cl100k_base", 262)
    assert state.arrives
    link = state.to_link()
    state.share_text(workspace)
    assert link == state.to_link() == {"text": "a typed text", "encoding": "cl100k_base", "token": "262"}


# Unicode


def test_unicode_takes_the_beginning_of_a_long_text_in_a_link() -> None:
    assert UnicodeState.from_link(Link({"text": "é" * 20_000}), []).text == "é" * 10_000


# Vocabulary


def test_a_link_to_a_token_that_is_gone() -> None:
    gone = VocabularyState.from_link(Link({"encoding": "mine", "token": "5"}), AVAILABLE)
    assert (gone.encoding, gone.token) == ("o200k_base", None) and "mine" in gone.note


# Languages


def test_languages_take_what_was_grown_and_let_go_of_what_is_gone() -> None:
    grown = ["oldest", "older", "mine"]
    state = LanguagesState.from_link(Link({}), TEXTS, [*AVAILABLE, *grown], grown)
    assert state.encodings == [*first_encodings(), "older", "mine"]
    state.prune(CODES, [*AVAILABLE, "other"], ["other"])
    assert state.encodings == [*first_encodings(), "other"]
    state.encodings = []
    state.prune(CODES, [*AVAILABLE, "other"], ["other"])
    assert state.encodings == []  # it is not new any more
    for lead in ("gone", *AVAILABLE):  # the scatter compares none with itself
        state.encodings, state.lead = AVAILABLE[:3], lead
        state.prune(CODES, AVAILABLE, [])
        assert state.lead == (lead if lead in AVAILABLE[:3] else "gpt2")
        assert state.against != state.lead and state.against in AVAILABLE[:3]


def test_new_texts_are_chosen_beside_others_and_a_second_click_takes_a_choice_back() -> None:
    train = TrainState(texts=["prose"])
    languages = LanguagesState(own_chosen=["own-1"])
    compare = CompareState(kind=LANGUAGES)
    compression = CompressionState(texts=["prose"])
    train.learn_from(["own-1", "prose"])
    languages.choose_own(["own-1", "own-2"])
    compression.choose_texts(["own-1", "prose"])
    compare.choose_texts(["own-1", "own-2"])
    assert train.texts == ["prose", "own-1"] and languages.own_chosen == ["own-1", "own-2"]
    assert compression.texts == ["own-1", "prose"] and (compare.kind, compare.text) == ("texts", "own-2")
    for chosen in ("json", ""):
        compare.click_text("json")
        compression.click_text("json")
        compression.click_encoding("json")
        assert [compare.text, compression.only_text, compression.only_encoding] == [chosen] * 3
    compare.token = ("gpt2", 5)
    compare.compare("gpt2", "clip")
    assert not compare.token
    compare.swap()
    assert (compare.a, compare.b) == ("clip", "gpt2")


# Vocabulary size


def test_vocabulary_size_knows_models() -> None:
    state = VocabularySizeState()
    for name in PRESETS:
        state.preset = name
        state.use_preset()
        assert state.model == PRESETS[name]
    state.width += 1
    state.find_preset()
    assert state.preset is None


# Train


@given(st.lists(values | st.just("1abc"), max_size=2))
def test_any_link_to_train(links: list[str]) -> None:
    state = TrainState.from_link(Link({PARAMETER: links}))
    assert state.recipe() == Recipe()
    assert state.note_is_error == bool(links and links[-1]) == bool(state.note)
