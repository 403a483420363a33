"""The address at which phones reach this server."""

from __future__ import annotations

import ipaddress

from starlette.requests import Request
from streamlit import config

from pages.server.start_check import is_in_container, local_addresses


def class_origin(request: Request) -> str | None:
    """The scheme, host and port for a class, if the teacher's own would not do; None: no phone can reach it.

    A teacher on the server's machine may have it open under a loopback name, which is another machine to
    each phone. Empty: other names are right as they are.
    """
    name, port = request.url.hostname or "", request.url.port
    if not _is_loopback(name):
        return ""
    is_open = (config.get_option("server.address") or "") in ("", "0.0.0.0", "::")
    addresses = local_addresses() if is_open and not is_in_container() else []
    if not addresses:
        return None
    host = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    return f"{request.url.scheme}://{host}{f':{port}' if port else ''}"


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
