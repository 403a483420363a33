"""Starts Token Grove's server: `streamlit run app.py`. Each page run executes pages/main.py.

The page script is a file of its own, since Streamlit makes pages of a folder named pages beside the main
script. It would then show "Page not found" over the right page.
"""

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from streamlit import config

import tokenizers as tk
from pages.explore.playground.encode_route import ROUTES as ENCODE_ROUTES
from pages.grow.add_tokenizer import upload_route
from pages.grow.train import progress
from pages.learn.classroom.routes import ROUTES as CLASS_ROUTES
from pages.server.api import api_route
from pages.server.component_files import component_route
from pages.server.connections import ConnectionLimits
from pages.server.ended_sessions import end_sessions
from pages.server.errors import keep_typed_text_out_of_logs, show_error
from pages.server.host_check import HostCheck
from pages.server.page_script import PageScript
from pages.server.security_headers import SecurityHeaders
from pages.server.start_check import (
    class_urls,
    how_others_reach_it,
    missing_packages,
    open_browser,
    raise_open_files,
)
from pages.server.streamlit_fixes import fix_streamlit
from pages.session.workspace import first_encodings
from pages.shared.saved_items import ROUTES as SAVED_ITEMS
from tokenizers import limits
from tokenizers.data import list_parallel


def load_encodings() -> None:
    """Load the encodings of the first screen before the first browser asks for them."""
    for name in first_encodings():
        tk.get_encoding(name).byte_lengths  # noqa: B018  # computed once, on first use
    # Half a million tokens stay in memory for good. Freeze them, so that the garbage collector skips them.
    gc.collect()
    gc.freeze()
    time.sleep(2)  # the first screen comes first
    for what in ("scripts", "unreachable"):  # a search needs the first; the second takes longer
        for name in reversed(first_encodings()):
            getattr(tk.vocabulary_of(tk.get_encoding(name)), what)
    list_parallel()  # takes half a second, for the page Languages


def report_start() -> None:
    """Print problems, missing packages, and the server's URLs in the network."""
    print(*limits.PROBLEMS, sep="\n", end="", file=sys.stderr)
    lines = [f"  Missing: {line}" for line in missing_packages()]
    lines.append(f"\n  For the class: {'  or  '.join(class_urls()) or how_others_reach_it()}")
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # what a terminal cannot show is a "?"
    print(*lines, sep="\n", flush=True)


@asynccontextmanager
async def start(_: st.App) -> AsyncIterator[None]:
    """Report the start, open the browser, load encodings, and end old sessions as long as the server runs."""
    report_start()
    open_browser()
    threading.Thread(target=load_encodings, name="load encodings", daemon=True).start()
    ending = asyncio.create_task(end_sessions())
    yield
    ending.cancel()


# By default, a busy thread keeps the interpreter for 5 ms after another thread asks for it. A key's request
# asks several times.
sys.setswitchinterval(0.001)
config.set_option("server.maxUploadSize", limits.TEXT_MB + 1)  # 1 MB for the rest of the request
config.set_option("runner.fastReruns", False)  # as in config.toml: a hosting service may say otherwise
config.set_option("browser.gatherUsageStats", False)
raise_open_files()
keep_typed_text_out_of_logs()
fix_streamlit()
app = st.App(
    "pages/main.py",
    lifespan=start,
    routes=[
        api_route(os.environ),
        *ENCODE_ROUTES,
        component_route(),
        progress.route,
        upload_route.route,
        *SAVED_ITEMS,
        *CLASS_ROUTES,
    ],
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(HostCheck),
        Middleware(ConnectionLimits),
        Middleware(GZipMiddleware, compresslevel=4),  # Streamlit's own does not compress its scripts
        Middleware(PageScript),
    ],
    on_script_error=show_error,
)

if __name__ == "__main__":  # python app.py
    app.run(config={"server.address": "127.0.0.1"})
