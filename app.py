"""Token Grove: `streamlit run app.py` starts the server; every visit runs pages/main.py.

The script of the visits is not here, because Streamlit takes a folder named pages beside
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
from streamlit import config

import tokenizers as tk
from pages.explore.playground.keystroke import KeysAtOnce
from pages.grow.train import progress
from pages.server.askers import name_askers
from pages.server.class_address import for_the_class
from pages.server.component_files import component_files
from pages.server.compressed_files import CompressedFiles
from pages.server.empty_page import NoEmptyPage
from pages.server.ended_sessions import EndedSessions
from pages.server.faults import say_fault
from pages.server.finished_runs import hear_finished_runs
from pages.server.forged_values import take_no_forged_values
from pages.server.home_address import home_route
from pages.server.keys_first import let_keys_go_first
from pages.server.left_pages import WithoutLeftPages
from pages.server.logs import keep_logs_short_and_private
from pages.server.messages import CheckedMessages
from pages.server.open_files import allow_many, keep_log_short
from pages.server.parts_of_parts import drop_with_what_is_in_it
from pages.server.run_places import run_few_scripts_at_a_time
from pages.server.saved_files import keep_saved_files
from pages.server.security_headers import SecurityHeaders
from pages.server.settings_at_once import read_settings_at_once
from pages.server.slow_requests import SteadyBodies, bound_connections
from pages.server.start_check import check
from pages.server.top_of_page import draw_from_the_top
from pages.server.turns import run_scripts_in_turn
from pages.server.uploads import BoundedUploads, bound_uploads, keep_uploads_in_memory
from pages.server.visitors import LimitedVisitors, bound_by_files
from pages.server.wake_once import wake_loop_once
from pages.server.who_may_ask import OnlyWhoMayAsk
from pages.server.whole_updates import make_updates_whole
from pages.session.workspace import first_encodings
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


def say(line: str) -> None:
    """Print a line; what this terminal cannot show becomes a question mark, and stops nothing."""
    encoding = sys.stdout.encoding or "utf-8"
    print(line.encode(encoding, "replace").decode(encoding), flush=True)


def say_what_is_missing(files: int | None) -> None:
    """A line for each thing that this machine lacks. ``files``: how many may be open; None: not known."""
    for line in check(os.environ, files):
        say(f"  Missing: {line}")


def say_where() -> None:
    """The address for a class, if other machines can reach this one."""
    get = config.get_option
    scheme = "https" if get("server.sslCertFile") else "http"
    where = (get("server.address"), get("server.port"), get("server.baseUrlPath"), scheme)
    for line in for_the_class(*where, encoding=sys.stdout.encoding or "utf-8"):
        say(line)


@asynccontextmanager
async def start(_: st.App) -> AsyncIterator[None]:
    """What happens once, when the server starts."""
    for problem in limits.PROBLEMS:
        print(problem, file=sys.stderr)
    files = allow_many()
    bound_by_files(files)
    say_what_is_missing(files)
    keep_log_short()
    say_where()
    threading.Thread(target=load_encodings, name="load encodings", daemon=True).start()
    yield


read_settings_at_once()
name_askers()
hear_finished_runs()
drop_with_what_is_in_it()
wake_loop_once()
keep_saved_files()
keep_uploads_in_memory()
bound_uploads()
make_updates_whole()
draw_from_the_top()
let_keys_go_first()
run_scripts_in_turn()
run_few_scripts_at_a_time()  # last: a run that waits for its place has not its session's turn
take_no_forged_values()
keep_logs_short_and_private()
bound_connections()
app = st.App(
    "pages/main.py",
    lifespan=start,
    routes=[component_files.route(), home_route(), progress.route],
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(OnlyWhoMayAsk),
        Middleware(LimitedVisitors),
        Middleware(SteadyBodies),
        Middleware(KeysAtOnce),
        Middleware(BoundedUploads),
        Middleware(CompressedFiles),
        Middleware(NoEmptyPage),
        Middleware(CheckedMessages),
        Middleware(WithoutLeftPages),
        Middleware(EndedSessions),
    ],
    on_script_error=say_fault,
)
