"""What a page keeps is changed as a whole: a run is not ended between two changes that belong together.

A run of the page ends early when a newer one is asked for. Streamlit looks for that wherever the page draws
something, and at every look into ``st.session_state`` too. There, it can end a run that has just handed a
text over to another page and was about to note that it did: the newer run then takes that text for one that
was typed on the other page, and puts it in place of the newer one. What a person typed is lost.

So a run ends early only where it draws. What it changes between two things that it draws is changed together.
"""

from __future__ import annotations

from collections.abc import Callable

from streamlit.runtime.state import SafeSessionState, SessionState

_begin = SafeSessionState.__init__


def make_updates_whole() -> None:
    """Have no run end at a look into the session state."""
    # mypy: methods are no place to assign to
    setattr(SafeSessionState, "__init__", _begin_without_ends)  # noqa: B010


def _begin_without_ends(
    self: SafeSessionState, state: SessionState, yield_callback: Callable[[], None]
) -> None:
    """In place of ``__init__``. ``yield_callback`` may end the run, and would be called at every look."""
    _begin(self, state, lambda: None)
