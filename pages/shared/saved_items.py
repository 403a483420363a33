"""Restores the browser's saved items before a page is drawn, and draws their list; and the routes for them.

The browser requests items and their records, and posts its own records.
"""

from __future__ import annotations

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from streamlit.navigation.page import StreamlitPage

from pages.grow.train.state import TrainState
from pages.server.requests import object_of, read_body
from pages.session.saved_items import MAX_RECORD_BYTES, SavedItems
from pages.session.train_run import SessionTrainings
from pages.shared.awaited import offer_training
from pages.shared.bundles import offer_bundle
from pages.shared.components import newest_event, register
from pages.shared.session import get_workspace, session_object
from pages.shared.widgets import recall_tab, values_for_tab

KEY = "saved"
COOKIE = "token_grove_keeps"
"""The browser sets it as long as it has saved items. A new session waits for them only if it is set."""

_WENT_ON = "saved_went_on"
_mount = register("saved", "event")


def draw_page(page: StreamlitPage) -> None:
    """Draw a page below the list of saved items. A new session first waits for the browser's items.

    Otherwise a URL that names an own encoding would be read before the encoding exists.
    """
    saved = session_object(SavedItems, get_workspace())
    event = newest_event(KEY) or {}
    if event.get("loaded") == saved.ticket and not saved.is_loaded:
        recall_tab(event.get("tab"))
        saved.is_loaded = True
    if isinstance(event.get("remove"), str):
        saved.remove(event["remove"])
    has_cookie = st.context.cookies.get(COOKIE) == "1"
    waits = has_cookie and not saved.is_loaded and not st.session_state.get(_WENT_ON)
    place = st.container(key="saved_place")  # it takes no room: page.css
    trainings = session_object(SessionTrainings)
    at_work = trainings.ticket  # if it ends while the page is drawn, the browser asks for another run
    try:
        if waits:
            st.caption("Restoring your saved items…")
            st.button("Continue without them", key="saved_go_on", on_click=_go_on, type="tertiary")
        else:
            offer_training(get_workspace(), trainings)
            page.run()
            if page.url_path:  # the playground, which has none, does so itself
                offer_bundle(page.url_path)
    finally:  # last, and if the page fails, too: what its run made is saved, and what it shows is remembered
        data = {
            "ticket": saved.ticket,
            "waits": waits,
            "training": None if page.url_path == TrainState.PAGE else at_work,
            "tab": values_for_tab(),
            **saved.listing(),
        }
        with place:
            _mount(data, KEY)


def _go_on() -> None:
    st.session_state[_WENT_ON] = True


async def _list_items(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(object_of(request, SavedItems).listing))


async def _get_record(request: Request) -> Response:
    record = await run_in_threadpool(object_of(request, SavedItems).record, request.path_params["item"])
    if record is None:
        raise HTTPException(404, "This item is gone.")
    # Its payload is compressed. For this type, the server does not try to compress it again.
    return Response(record.to_bytes(), media_type="application/gzip")


async def _post_record(request: Request) -> Response:
    """Restore a record; respond whether the session has it now."""
    saved = object_of(request, SavedItems)
    data = await read_body(request, MAX_RECORD_BYTES + (64 << 10))
    return JSONResponse(await run_in_threadpool(saved.restore, request.path_params["item"], data))


ROUTES = [
    Route("/{prefix:path}items", _list_items),
    Route("/{prefix:path}items/{item}", _get_record),
    Route("/{prefix:path}items/{item}", _post_record, methods=["POST"]),
]
