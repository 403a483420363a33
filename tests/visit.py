"""A visit to a page without a browser, in a session of its own."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from unittest.mock import MagicMock

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.state import SafeSessionState
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.element_tree import Block
from streamlit.util import calc_hash

from pages.session.links import PARAMETER
from pages.session.page_state import Link, PageState
from pages.session.train_run import SessionTrainings
from pages.session.workspace import Workspace
from pages.session.workspace_link import MADE_WITH
from pages.shared.session import key_of
from tests.browser import ROOT
from tokenizers.json_types import JsonObject

TRAININGS = key_of(SessionTrainings)
"""Under which a session has its trainings."""

PAGES = sorted(path.relative_to(ROOT / "pages").as_posix() for path in (ROOT / "pages").glob("*/*/page.py"))
"""The files of all pages, below pages/."""

FIELDS = (
    "multiselect number_input pills radio segmented_control selectbox slider text_area text_input toggle"
).split()
"""The kinds of widgets that a person gives a value."""

OPENED = ("own_texts_box", "languages_own_box", "compression_more", "compression_all")
"""Boxes that a click opens, and a visit finds open; others: ``expand``."""

# What AppTest makes anew for each run, where one is enough for all: a third of what a small page takes.
# Whoever looks for components in the packages that are installed finds none, and none is installed meanwhile.
# The mock of Streamlit's runtime is asked for the cookies, say, and makes a mock of each class on the way.
# A script is compiled once: none changes while tests run.
setattr(  # noqa: B010  # mypy: a function is no place to assign to
    manifest_scanner, "scan_component_manifests", functools.cache(manifest_scanner.scan_component_manifests)
)
for module, name, made in (
    (app_test, "MagicMock", functools.cache(MagicMock)),
    (app_test, "ScriptCache", functools.cache(ScriptCache)),
    (local_script_runner, "ScriptCache", functools.cache(ScriptCache)),
):
    assert hasattr(module, name)
    setattr(module, name, made)


def _wait_for_the_script(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """Wait for the end of a run, where AppTest asks every millisecond whether it has come."""
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"The page took longer than {timeout} seconds.")


assert hasattr(local_script_runner, "require_widgets_deltas")
setattr(local_script_runner, "require_widgets_deltas", _wait_for_the_script)  # noqa: B010

ASKED: set[str] = set()
"""What pages asked the session and the link for, since this was last cleared."""


def _record_names(owner: type, method_name: str) -> None:
    """Have a method add the name that it is asked for, the first text that it is given, to ``ASKED``."""
    method = getattr(owner, method_name)

    @functools.wraps(method)
    def recorded(self: object, *values: Any, **options: Any) -> Any:
        ASKED.update([value for value in values if isinstance(value, str)][:1])
        return method(self, *values, **options)

    setattr(owner, method_name, recorded)


for owner in (SafeSessionState, Link):
    for method_name in ("__contains__", "__getitem__", "register_widget", "text", "texts"):
        if method_name in vars(owner):
            _record_names(owner, method_name)


def components(test: AppTest, *, but: str = "saved") -> list[Any]:
    """What the page sends to our components, in order; without the one that stands on every page."""
    protos = [element.proto for element in test.get("bidi_component")]
    return [proto for proto in protos if proto.component_name != f"token_grove.{but}"]


def chart_titles(test: AppTest) -> list[str]:
    """The titles of all charts, which stand above them, as people read them."""
    titles: list[str] = []

    def walk(block: Block, heading: str = "") -> None:
        for node in block.children.values():
            if isinstance(node, Block):
                walk(node, heading)
            elif node.type == "markdown":
                heading = node.value.strip("*")
            elif node.type == "vega_lite_chart":
                titles.append(re.sub(r"\\(.)", r"\1", heading))

    walk(test.main)
    return titles


State = TypeVar("State", bound=PageState)


Parameters = Mapping[str, str | list[str]]
"""The parameters of an address, by their names."""


class Visit:
    """A page, run as a browser would run it.

    Args:
        page: its path below pages/.
        link: the parameters of its address.
        state: what the session holds already; if it says nothing of them, the boxes of ``OPENED`` are open.

    Raises:
        AssertionError: the page does not ask for a parameter or a key: the test would not see what it names.
    """

    def __init__(self, page: str, link: Parameters, **state: object) -> None:
        self.test = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=120)
        given = {*link, *state} - {PARAMETER, MADE_WITH}  # those are read without a ``Link``
        for box in OPENED:
            state.setdefault(f"{box}_files", True)
        for key, held in state.items():
            self.test.session_state[key] = held
        for key, value in link.items():
            self.test.query_params[key] = value
        ASKED.clear()
        self.go(page)
        assert given <= ASKED, f"{page} does not ask for {sorted(given - ASKED)}."

    @property
    def workspace(self) -> Workspace:
        """What the session has of texts and encodings."""
        workspace: Workspace = self.test.session_state["workspace"]
        return workspace

    def state(self, kind: type[State]) -> State:
        """What the session keeps of a page."""
        session: Any = self.test.session_state
        return kind.stored_in(session)

    @property
    def heading(self) -> str:
        """The heading at the top."""
        return str(self.test.title[0].value)

    @property
    def link(self) -> Parameters:
        """What stands in the address."""
        return {name: self.test.query_params[name] for name in self.test.query_params}

    @property
    def messages(self) -> str:
        """All warnings, errors and notes."""
        boxes = (*self.test.warning, *self.test.error, *self.test.info)
        return " ".join(str(each.value) for each in boxes)

    @property
    def said(self) -> str:
        """All that stands on the page in words: headings, paragraphs, captions and messages."""
        words = (*self.test.title, *self.test.subheader, *self.test.markdown, *self.test.caption)
        return "\n".join([*(str(each.value) for each in words), self.messages])

    @property
    def sent(self) -> JsonObject:
        """What the first of our components is to draw."""
        sent: JsonObject = json.loads(components(self.test)[0].json)
        return sent

    def go(self, page: str) -> None:
        """Go to another page, and run it."""
        self.test.switch_page(page)
        # Before its first run, AppTest takes a file's name for the page's address. Here that is the folder's.
        self.test._page_hash = calc_hash(Path(page).parent.name)
        self.run()

    def expand(self, name: str) -> None:
        """Open an expander or a popover, and run the page."""
        self.test.session_state[f"{name}_files"] = True
        self.run()

    def press(self, key: str) -> None:
        """Press a button, and run the page."""
        self.test.button(key=key).click()
        self.run()

    def field(self, key: str) -> Any:
        """A widget that holds a value."""
        elements: Iterator[Any] = itertools.chain.from_iterable(map(self.test.get, FIELDS))
        (field,) = (each for each in elements if each.key == key)
        return field

    def set(self, key: str, value: object) -> None:
        """Give a widget another value, as a person would, and run the page."""
        self.field(key).set_value(value)
        self.run()

    def run(self) -> None:
        """Run the page again.

        Raises:
            AssertionError: there is an exception on it.
        """
        self.test.run()
        assert not self.test.exception, self.test.exception[0].value


class PageVisit(Visit):
    """A visit to one page, ``PAGE``, with these parameters of its address."""

    PAGE: ClassVar[str]

    def __init__(self, workspace: Workspace | None = None, /, **link: str | list[str]) -> None:
        super().__init__(self.PAGE, link, workspace=workspace or Workspace())
