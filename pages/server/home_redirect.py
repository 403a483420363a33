"""Redirects ``/playground`` to the empty path.

Streamlit serves the first page of an app under the empty path alone. Under ``/playground`` it would show the
page with a message that there is no such page.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

NAME = "playground"


def redirect_home(request: Request) -> RedirectResponse:
    """Redirect to the empty path under the same prefix, with the same query."""
    query = request.url.query
    return RedirectResponse("./" + (f"?{query}" if query else ""))


def home_route() -> Route:
    """The route of the redirect."""
    return Route("/{prefix:path}" + NAME, redirect_home, methods=["GET", "HEAD"])
