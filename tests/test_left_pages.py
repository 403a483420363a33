"""Requests of a page that was left do not reach the server; all others do."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.server.left_pages import WithoutLeftPages
from tests.browser import expect, go_to, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page


def ask(
    page: str, part: str = "", *, shown: str = "", widgets: str = "", query: str = "", history: bool = False
) -> dict[str, Any]:
    message = BackMsg()
    message.rerun_script.context_info.url = f"http://localhost:8501/{shown}?text=a"
    message.rerun_script.query_string = query
    message.rerun_script.is_history_navigation = history
    for name in widgets.split():
        message.rerun_script.widget_states.widgets.add(id=name)
    message.rerun_script.page_script_hash, message.rerun_script.fragment_id = page, part
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def show(page: str, *parts: str) -> dict[str, Any]:
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    message.metadata.run.fragment_ids.extend(parts)
    return {"type": "websocket.send", "bytes": message.SerializeToString()}


def heard(*messages: dict[str, Any]) -> list[tuple[str, str]]:
    """Page and part of each request that the server hears of these messages: see ``requests``."""
    return [(request.page_script_hash, request.fragment_id) for request in requests(*messages)]


def requests(*messages: dict[str, Any]) -> list[ClientState]:
    """What the server hears of these messages, in which what it says itself has its place."""
    gone = {"type": "websocket.disconnect"}
    coming = [*messages, gone]
    asked: list[ClientState] = []
    sent = []
    say: list[Any] = []

    async def receive() -> MutableMapping[str, Any]:
        while coming[0]["type"] == "websocket.send":  # the server says it before the next one comes
            await say[0](coming.pop(0))
        return coming.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        say.append(send)
        while (message := await receive()) != gone:
            asked.append(BackMsg.FromString(message["bytes"]).rerun_script)

    # In a thread of its own: in this one, Playwright's loop may be running.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, WithoutLeftPages(app)({"type": "websocket"}, receive, send)).result()
    assert sent == [message for message in messages if message["type"] == "websocket.send"]
    return asked


def test_a_timer_of_the_page_that_was_left_is_not_heard() -> None:
    messages = [ask(""), show("train"), ask("train", "progress"), ask("words"), ask("train", "progress")]
    assert heard(*messages) == [("", ""), ("train", "progress"), ("words", "")]
    late = [*messages, show("words"), ask("train", "progress"), ask("words", "table")]
    assert heard(*late) == [("", ""), ("train", "progress"), ("words", ""), ("words", "table")]


def test_a_page_that_the_server_leads_back_to_is_heard() -> None:
    messages = [show("playground"), ask("train"), show("train"), ask("train"), show("playground")]
    assert heard(*messages, ask("playground", "editor"))[-1] == ("playground", "editor")
    # To another page by a part of this one, and back by a button there.
    messages = [show("playground"), ask("playground", "editor"), show("playground", "editor"), show("trees")]
    messages += [ask("trees"), show("trees"), show("playground"), ask("playground", "editor")]
    assert heard(*messages)[-1] == ("playground", "editor")


def test_what_was_asked_for_before_a_page_was_chosen_says_nothing_of_where_the_person_is() -> None:
    # Grow was pressed, and then another page was chosen; the answers of both are still to come.
    messages = [show("train"), ask("train"), ask("words"), show("train"), ask("train", "progress")]
    assert heard(*messages, show("words"), ask("train", "progress")) == [("train", ""), ("words", "")]
    # If the chosen page leads on to another one, the person is there.
    led_on = [*messages, show("words"), show("train"), ask("train", "progress")]
    assert heard(*led_on)[-1] == ("train", "progress")


def test_a_widget_of_the_left_page_does_not_lead_back_to_it() -> None:
    messages = [show("train"), ask("words", shown="train", widgets="header")]
    widget = ask("train", shown="train", widgets="header width")
    assert heard(*messages, widget) == [("words", ""), ("words", "")]
    # The server may have shown the chosen page, and the browser not yet.
    assert heard(*messages, show("words"), widget)[-1] == ("words", "")
    # Who changes their mind, or goes back to the page, or is on it again, is led to it.
    back = ask("train", shown="words", widgets="header new")
    assert heard(*messages, ask("train", shown="train", widgets="header"))[-1] == ("train", "")
    assert heard(*messages, show("words"), back)[-1] == ("train", "")
    assert heard(*messages, show("words"), back, show("train"), widget)[-1] == ("train", "")


def test_back_leads_back_once_the_browser_shows_the_chosen_page() -> None:
    # Chosen before the saved items of the first page were drawn: the choice comes without widgets.
    choice = [show("train"), ask("words", shown="train"), show("words")]
    back = ask("train", shown="train", widgets="saved")  # the address is the first page's again
    assert heard(*choice, ask("words", "kept", shown="words", widgets="saved"), back)[-1] == ("train", "")
    assert heard(*choice, ask("words", shown="words", widgets="saved"), back)[-1] == ("train", "")
    # And at once, before the chosen page has said anything: the browser calls it a step in its history.
    at_once = ask("train", shown="train", widgets="saved", history=True)
    assert heard(*choice, at_once)[-1] == ("train", "")


def test_of_two_choices_in_a_row_the_second_one_stands() -> None:
    messages = [show("train"), ask("lessons", shown="train"), ask("words", shown="train")]
    widget = ask("train", shown="train", widgets="width")
    assert heard(*messages, widget)[-1] == ("words", "")
    assert heard(*messages, ask("train", "progress"))[-1] == ("words", "")
    assert heard(*messages, show("lessons"), show("words"), widget, ask("train", "progress"))[-1] == (
        "words",
        "",
    )
    # The second choice is the page that is still shown: its widgets are its own again.
    again = [*messages[:2], ask("train", shown="train"), widget, ask("train", "progress")]
    assert heard(*again)[-2:] == [("train", ""), ("train", "progress")]


def test_the_chosen_page_is_asked_for_with_its_own_address() -> None:
    """Else it would take the values in the left page's address for its own."""
    messages = [show("train"), ask("words", shown="train", query="find=a")]
    widget = ask("train", shown="train", widgets="width", query="text=b&merges=9")
    assert [request.query_string for request in requests(*messages, widget)] == ["find=a", "find=a"]


def test_a_page_that_does_not_exist_keeps_nobody_waiting() -> None:
    missing = ForwardMsg()
    missing.page_not_found.page_name = "nowhere"
    answer = {"type": "websocket.send", "bytes": missing.SerializeToString()}
    messages = [show("train"), ask("nowhere"), answer, show("train"), ask("words"), show("words")]
    assert heard(*messages, ask("words", "table"))[-1] == ("words", "table")


def test_what_is_no_request_goes_through() -> None:
    odd = {"type": "websocket.receive", "bytes": BackMsg(stop_script=True).SerializeToString()}
    assert len(heard(odd, show("a"), ask("b"), odd)) == 3


def test_a_page_is_chosen_as_a_widget_of_this_one_speaks_up(page: Page) -> None:
    page.goto("/train")
    settled(page)
    page.get_by_test_id("stHeader").get_by_text("Learn", exact=True).click()
    choice = ".stMain [role=radio][aria-checked=false]"
    page.locator(choice).first.wait_for()
    both = f"item => {{ item.click(); document.querySelector('{choice}').click(); }}"
    page.get_by_role("menuitem", name="Words and sources", exact=True).evaluate(both)
    expect(page.get_by_role("heading", name="Words and sources", level=1)).to_be_visible()
    settled(page)
    expect(page.get_by_role("heading", name="Words and sources", level=1)).to_be_visible()
    go_to(page, "Grow", "Train")
    expect(page.get_by_role("heading", name="Grow an encoding", level=1)).to_be_visible()


def test_back_works_though_the_first_page_was_left_before_it_was_drawn(page: Page) -> None:
    page.goto("/languages", wait_until="commit")
    page.get_by_test_id("stHeader").get_by_text("Learn", exact=True).click()
    page.get_by_role("menuitem", name="Words and sources", exact=True).click()
    expect(page.get_by_role("heading", name="Words and sources", level=1)).to_be_visible()
    settled(page)
    page.go_back()
    heading = page.get_by_role("heading", name="Languages", level=1)
    expect(heading).to_be_visible()
    settled(page)
    expect(heading).to_be_visible()
