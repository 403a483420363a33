"""Pages that had another URL before. Links to the old URL go on working."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pages.session.menu import OLD_PAGES


async def redirect(request: Request) -> Response:
    """Lead to the page's new URL, with the same query. It is relative, since a proxy may add a prefix."""
    old = request.url.path.rpartition("/")[2]
    return RedirectResponse(f"{OLD_PAGES[old]}?{request.url.query}", 301)


ROUTES = [Route(f"{prefix}/{old}", redirect) for old in OLD_PAGES for prefix in ("", "/{prefix:path}")]
"""Of the app (app.py)."""
