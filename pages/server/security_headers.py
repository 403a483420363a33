"""Adds security headers to every response: no other hosts, no foreign scripts, no frames of other sites.

Streamlit's scripts are files, and Vega's interpreter draws its charts, so nothing needs ``unsafe-eval``.
These exceptions remain:

- ``style-src 'unsafe-inline'``: Streamlit writes styles into the page while it runs.
- ``script-src blob:``: Streamlit imports a component's first script as a blob. The hash of the one script in
  the page itself is allowed.
- ``img-src data: blob:``: icons in styles, and pictures that a page made.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

VARIABLE = "TOKEN_GROVE_EMBED"
"""Sites that may show the app in a frame, such as ``https://school.example``, separated by spaces."""

_log = logging.getLogger(__name__)

_SITE = re.compile(r"https?://(\*\.)?[a-z0-9.-]+(:(\d{1,5}|\*))?", re.IGNORECASE)
_MEDIA = re.compile(r"(^|/)media/[^/]+$")
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_OFF = """accelerometer camera display-capture geolocation gyroscope magnetometer microphone midi payment
publickey-credentials-get serial usb xr-spatial-tracking""".split()


def sites_that_embed(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The other sites that may show the app in a frame.

    Hugging Face shows a Space in a frame of its site, and sets ``SPACE_HOST`` there.

    >>> sites_that_embed({"TOKEN_GROVE_EMBED": "https://school.example, https://*.lab.example; script-src *"})
    ('https://school.example', 'https://*.lab.example')
    >>> sites_that_embed({"SPACE_HOST": "me-grove.hf.space"})
    ('https://huggingface.co',)
    """
    return _read_sites(variables.get(VARIABLE, ""), bool(variables.get("SPACE_HOST")))


@functools.lru_cache(8)  # every response needs it
def _read_sites(variable: str, is_space: bool) -> tuple[str, ...]:
    sites = (site.rstrip("/") for site in re.split(r"[\s,;]+", variable))
    return (*filter(_SITE.fullmatch, sites), *(["https://huggingface.co"] if is_space else []))


@functools.cache
def _inline_scripts() -> tuple[str, ...]:
    """The hashes of the scripts in Streamlit's own page."""
    page = Path(st.__file__).parent / "static" / "index.html"
    try:
        scripts = _INLINE.findall(page.read_bytes())
    except OSError:
        return ()
    return tuple(f"'sha256-{base64.b64encode(hashlib.sha256(each).digest()).decode()}'" for each in scripts)


def content_policy(embedded_by: tuple[str, ...] = ()) -> str:
    """The Content-Security-Policy of a page.

    >>> "unsafe-eval" in content_policy(), content_policy(("https://school.example",))[-45:]
    (False, "frame-ancestors 'self' https://school.example")
    """
    policy = {
        "default-src": ("'none'",),
        "script-src": ("'self'", "blob:", *_inline_scripts()),
        "style-src": ("'self'", "'unsafe-inline'"),
        "img-src": ("'self'", "data:", "blob:"),
        "font-src": ("'self'", "data:"),
        "connect-src": ("'self'",),
        "manifest-src": ("'self'",),
        "base-uri": ("'none'",),
        "form-action": ("'none'",),
        "frame-ancestors": ("'self'", *embedded_by),
    }
    return "; ".join(" ".join((name, *sources)) for name, sources in policy.items())


def security_headers(variables: Mapping[str, str], path: str = "/") -> dict[str, str]:
    """The headers of a response, by name in small letters.

    A file under ``/media/``, which a user may have made, runs no script.

    >>> headers = security_headers({})
    >>> headers["x-content-type-options"], headers["x-frame-options"], headers["referrer-policy"]
    ('nosniff', 'SAMEORIGIN', 'same-origin')
    >>> security_headers({}, "/media/0a1b.svg")["content-security-policy"]
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; sandbox; frame-ancestors 'self'"
    """
    is_file = _MEDIA.search(path) is not None and "/static/" not in path
    return dict(_headers_of(sites_that_embed(variables), is_file))


@functools.lru_cache(8)
def _headers_of(embedded_by: tuple[str, ...], is_file: bool) -> tuple[tuple[str, str], ...]:
    policy = content_policy(embedded_by)
    if is_file:
        policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; sandbox; "
        policy += " ".join(("frame-ancestors", "'self'", *embedded_by))
    headers = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",  # URLs hold texts, which no other site may see
        "permissions-policy": ", ".join(f"{feature}=()" for feature in _OFF),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    if not embedded_by:
        headers["x-frame-options"] = "SAMEORIGIN"
    return tuple(headers.items())


class SecurityHeaders:
    """Middleware: adds ``security_headers`` to every response, also to those about errors."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                ours = security_headers(os.environ, scope["path"])
                theirs = [pair for pair in message["headers"] if pair[0].decode("latin-1") not in ours]
                message["headers"] = theirs + [
                    (name.encode(), value.encode()) for name, value in ours.items()
                ]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:
            if not has_begun:  # the server's own response would have no headers
                sentence = "Something went wrong here. Reload the page.\n"
                await PlainTextResponse(sentence, 500)(scope, receive, send_with_headers)
            raise
