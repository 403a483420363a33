"""The first page's own name leads to it.

Streamlit knows the first page of an app by the empty path alone: ``/playground`` would open it under a
message that there is no such page.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

NAME = "playground"


def lead_home(request: Request) -> RedirectResponse:
    """From the first page's name to the empty path beside it, under any prefix; the link's values stay."""
    query = request.url.query
    return RedirectResponse("./" + (f"?{query}" if query else ""))


def home_route() -> Route:
    """The route of the first page's name."""
    return Route("/{prefix:path}" + NAME, lead_home, methods=["GET", "HEAD"])
