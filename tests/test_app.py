"""The app without a browser: its first screen, and messages that no browser of ours would send."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pages.session.workspace import WELCOME
from tests.visit import Visit


class App(Visit):
    """The playground, run as a browser would run it, in one session."""

    def renew(self) -> None:
        """Begin anew, with nothing of what was said before."""
        del self.test.session_state["workspace"]
        self.run()

    def hear(self, event: object) -> None:
        """Run the page, after an event of the editor."""
        self.test.session_state["editor"] = {"event": event}
        self.run()


@pytest.fixture(scope="module")
def lasting_app() -> App:
    return App("explore/playground/page.py", {})


@pytest.fixture
def app(lasting_app: App) -> App:
    """The app as a visitor finds it, whatever the tests before have said to it."""
    lasting_app.renew()
    return lasting_app


# Events that no browser of ours would send; its requests: test_workspace.py.

EVENTS = json.loads("""{
    "a list": [1],
    "told": {"told": 7},
    "a way to nowhere": {"go": ["biography"]},
    "no token": {"go": "biography", "encoding": "gpt2", "id": 50257},
    "an unused id": {"go": "biography", "encoding": "cl100k_base", "id": 100256},
    "no number": {"go": "biography", "encoding": "gpt2", "id": ["5"]},
    "no encoding": {"go": "biography", "encoding": {"gpt2": []}, "id": 5}
}""")
EVENTS["a huge id"] = {"go": "biography", "encoding": "o200k_base", "id": 10**300}


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_hostile_events_do_no_harm(app: App, event: Any) -> None:
    app.hear(event)
    assert app.sent["state"]["fields"]["text"] == WELCOME
