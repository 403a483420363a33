"""A run of the whole page draws from its top, also in a thread that has just drawn a part of it.

While a part of the page (``st.fragment``) runs, what it draws goes into the part's own place. Streamlit
leaves it at that when the part is done: the thread ends then. But if the whole page is asked for before it
has ended, the page runs in the same thread, and Streamlit draws all of it inside that part. It looks the
same, until something is drawn where it was before: the browser finds another thing there, and stays white.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner

Run: TypeAlias = Callable[[ScriptRunner, RerunData], None]


def draw_from_the_top() -> None:
    """From now on, each run begins at the top of the page; a part's run goes to its own place from there."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "_run_script", _from_the_top(ScriptRunner._run_script))  # noqa: B010


def _from_the_top(
    run: Callable[[ScriptRunner, RerunData], None],
) -> Callable[[ScriptRunner, RerunData], None]:
    @functools.wraps(run)
    def run_from_the_top(self: ScriptRunner, data: RerunData) -> None:
        context_dg_stack.set(get_default_dg_stack_value())
        run(self, data)

    return run_from_the_top
