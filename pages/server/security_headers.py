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
import hashlib
import os
import re
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.page_script import PAGE

VARIABLE = "TOKEN_GROVE_EMBED"
"""Sites that may show the app in a frame, such as ``https://school.example``, separated by spaces."""

_SITE = re.compile(r"https?://(\*\.)?[a-z0-9.-]+(:(\d{1,5}|\*))?", re.IGNORECASE)
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_OFF = "camera display-capture geolocation microphone midi payment serial usb xr-spatial-tracking".split()


def sites_that_embed(variables: Mapping[str, str]) -> list[str]:
    """The other sites that may show the app in a frame.

    >>> sites_that_embed({"TOKEN_GROVE_EMBED": "https://school.example, https://*.lab.example; script-src *"})
    ['https://school.example', 'https://*.lab.example']
    """
    sites = [site.rstrip("/") for site in re.split(r"[\s,;]+", variables.get(VARIABLE, ""))]
    return list(filter(_SITE.fullmatch, sites))


def security_headers(variables: Mapping[str, str]) -> dict[str, str]:
    """The headers of every response, by name in small letters.

    Args:
        variables: the environment variables.

    >>> headers = security_headers({})
    >>> headers["x-content-type-options"], headers["x-frame-options"], headers["referrer-policy"]
    ('nosniff', 'SAMEORIGIN', 'same-origin')
    """
    embedded_by = sites_that_embed(variables)
    digests = [hashlib.sha256(script).digest() for script in _INLINE.findall(PAGE.read_bytes())]
    hashes = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    policy = [
        "default-src 'none'",
        " ".join(("script-src 'self' blob:", *hashes)),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'; form-action 'none'",
        " ".join(("frame-ancestors 'self'", *embedded_by)),
    ]
    headers = {
        "content-security-policy": "; ".join(policy),
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",  # URLs hold texts, which no other site may see
        "permissions-policy": ", ".join(f"{feature}=()" for feature in _OFF),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    return headers if embedded_by else {**headers, "x-frame-options": "SAMEORIGIN"}


class SecurityHeaders:
    """Middleware: adds ``security_headers`` to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = security_headers(os.environ)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)
