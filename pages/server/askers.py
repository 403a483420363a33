"""For which session a thread works: so the library can end what no browser waits for any more."""

from __future__ import annotations

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tokenizers import askers


def session_asker() -> askers.Asker | None:
    """The session whose page this thread draws; None: no session's, or there is no server."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not exists():
        return None
    runtime, session_id = get_instance(), context.session_id
    return askers.Asker(session_id, lambda: runtime.is_active_session(session_id))


def name_askers() -> None:
    """From now on, the library knows for which session each thread works."""
    askers.find_asker = session_asker
