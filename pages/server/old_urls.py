"""Pages that had another URL before. Links to it go on working."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

_NEW = {"bring": "add_tokenizer"}


async def redirect(request: Request) -> Response:
    """Lead to the page's new URL, with the same query. It is relative, since a proxy may add a prefix."""
    old = request.url.path.rpartition("/")[2]
    return RedirectResponse(f"{_NEW[old]}?{request.url.query}", 301)


ROUTES = [Route(f"/{{prefix:path}}{old}", redirect) for old in _NEW]
"""Of the app (app.py)."""
