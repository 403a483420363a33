"""Token Grove: `streamlit run app.py` starts the server; every visit runs pages/main.py.

The script of the visits is not here, because Streamlit takes a folder named pages beside
the main script for its old way of making pages: the first visitor of a fresh server who came by a
page's own address would be told "Page not found" over the right page.
"""

import asyncio
import gc
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from streamlit import config

import tokenizers as tk
from pages.explore.playground.encode_route import ROUTES as ENCODE_ROUTES
from pages.grow.bring import upload_route
from pages.grow.train import progress
from pages.server.class_address import for_the_class
from pages.server.component_files import component_route
from pages.server.ended_sessions import end_sessions
from pages.server.faults import say_fault
from pages.server.home_address import home_route
from pages.server.host_check import HostCheck
from pages.server.logs import keep_typed_text_out_of_logs
from pages.server.message_filter import MessageFilter
from pages.server.page_script import PageScript
from pages.server.security_headers import SecurityHeaders
from pages.server.session_limit import SessionLimit
from pages.server.start_check import check, raise_open_files
from pages.server.streamlit_fixes import fix_streamlit
from pages.session.workspace import first_encodings
from pages.shared.saved_items_route import ROUTES as SAVED_ITEMS
from tokenizers import limits

_IN_TURN: tuple[Literal["search", "trees"], ...] = ("search", "trees")


def load_encodings() -> None:
    """Load what the first screen shows, while the first browser is still opening."""
    for name in first_encodings():
        with suppress(ValueError, OSError):  # its panel says what is wrong
            tk.get_encoding(name).byte_lengths  # noqa: B018  # computed once, on first use
    # Half a million tokens stay in memory for good: freeze them, so that the garbage collector skips them.
    gc.collect()
    gc.freeze()
    time.sleep(2)  # the first screen comes first
    for until in _IN_TURN:  # first what a search needs, which is quick; then what takes seconds for each
        for name in reversed(first_encodings()):
            with suppress(ValueError, OSError):
                tk.vocabulary_of(tk.get_encoding(name)).prepare(until, pause=0.05)
    with suppress(ValueError, OSError):
        tk.list_parallel()  # takes half a second: done now, so that opening Languages is quick


def report_start() -> None:
    """Print what is wrong or missing, and the address for a class if other machines can reach this one."""
    print(*limits.PROBLEMS, sep="\n", end="", file=sys.stderr)
    get = config.get_option
    scheme = "https" if get("server.sslCertFile") else "http"
    lines = [f"  Missing: {line}" for line in check(max_files=raise_open_files())]
    lines.append(for_the_class(get("server.address"), get("server.port"), get("server.baseUrlPath"), scheme))
    encoding = sys.stdout.encoding or "utf-8"
    for line in filter(None, lines):  # what this terminal cannot show becomes a question mark
        print(line.encode(encoding, "replace").decode(encoding), flush=True)


@asynccontextmanager
async def start(_: st.App) -> AsyncIterator[None]:
    """What happens once, when the server starts."""
    report_start()
    threading.Thread(target=load_encodings, name="load encodings", daemon=True).start()
    ending = asyncio.create_task(end_sessions())
    yield
    ending.cancel()


# A thread that works keeps Python for 5 ms after another wants it, and a key's request wants it several
# times.
sys.setswitchinterval(0.001)
config.set_option("server.maxUploadSize", limits.TEXT_MB + 1)  # and what a browser sends around a file
keep_typed_text_out_of_logs()
fix_streamlit()
app = st.App(
    "pages/main.py",
    lifespan=start,
    routes=[
        *ENCODE_ROUTES,
        component_route(),
        home_route(),
        progress.route,
        upload_route.route,
        *SAVED_ITEMS,
    ],
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(HostCheck),
        Middleware(SessionLimit),
        Middleware(GZipMiddleware, compresslevel=4),  # Streamlit's own leaves its scripts as they are
        Middleware(PageScript),
        Middleware(MessageFilter),
    ],
    on_script_error=say_fault,
)
