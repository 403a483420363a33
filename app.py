"""Token Grove: `streamlit run app.py` starts the server; every visit runs pages/main.py.

The script of the visits does not stand here, because Streamlit takes a folder named pages beside
the main script for its old way of making pages: the first visitor of a fresh server who came by a
page's own address would be told "Page not found" over the right page.
"""

import gc
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import streamlit as st
from starlette.middleware import Middleware

import tokenizers as tk
from pages.session.workspace import first_encodings
from pages.shared.askers import name_askers
from pages.shared.component_files import component_files
from pages.shared.finished_runs import hear_finished_runs
from pages.shared.home_address import home_route
from pages.shared.left_pages import WithoutLeftPages
from pages.shared.logs import keep_texts_out_of_logs
from pages.shared.uploads import keep_uploads_in_memory
from pages.shared.visitors import LimitedVisitors
from tokenizers import limits

_IN_TURN: tuple[Literal["search", "trees"], ...] = ("search", "trees")


def load_encodings() -> None:
    """Load what the first screen shows, while the first browser is still opening."""
    for name in first_encodings():
        try:
            tk.get_encoding(name).byte_lengths  # noqa: B018  # computed once, on first use
        except (ValueError, OSError):
            pass  # its panel says what is wrong
    # Half a million tokens stay in memory for good: freeze them, so that the garbage collector skips them.
    gc.collect()
    gc.freeze()
    prepare_vocabularies()


def prepare_vocabularies() -> None:
    """Work out what Vocabulary and the biographies need, in the background."""
    time.sleep(2)  # the first screen comes first
    for until in _IN_TURN:  # first what a search needs, which is quick; then what takes seconds for each
        for name in reversed(first_encodings()):
            try:
                tk.vocabulary_of(tk.get_encoding(name)).prepare(until, pause=0.05)
            except (ValueError, OSError):
                pass  # the page says what is wrong
    try:
        tk.list_parallel()  # takes half a second: done now, so that opening Languages is quick
    except (ValueError, OSError):
        pass  # the page says what is wrong


@asynccontextmanager
async def start(_: st.App) -> AsyncIterator[None]:
    """What happens once, when the server starts."""
    for problem in [*limits.PROBLEMS, *limits.likely_slips(os.environ)]:
        print(problem, file=sys.stderr)
    threading.Thread(target=load_encodings, name="load encodings", daemon=True).start()
    yield


name_askers()
hear_finished_runs()
keep_uploads_in_memory()
keep_texts_out_of_logs()
app = st.App(
    "pages/main.py",
    lifespan=start,
    routes=[component_files.route(), home_route()],
    middleware=[Middleware(LimitedVisitors), Middleware(WithoutLeftPages)],
)
