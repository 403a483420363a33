"""The address that a class types in, said when the app starts and other machines can reach it.

No other host is asked for it: neither a server outside, as Streamlit does, nor one for names.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Mapping
from pathlib import Path

EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses at which a server listens for all machines."""

# A datagram socket that is "connected" sends nothing: the system only looks up by which of its own addresses
# it would send. The first is kept for examples (RFC 5737), the others for networks like that of a school.
_TOWARDS = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")


def own_addresses() -> list[str]:
    """This machine's addresses in networks that it is in, the likeliest first."""
    addresses: list[str] = []
    for target in _TOWARDS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((target, 9))
                address = probe.getsockname()[0]
            except OSError:  # no way leads there
                continue
        if address not in addresses and not ipaddress.ip_address(address).is_loopback:
            addresses.append(address)
    return addresses


_WRITTEN_BY = (Path("/.dockerenv"), Path("/run/.containerenv"))  # Docker, and podman


def is_in_container(
    environment: Mapping[str, str] = os.environ, written: tuple[Path, ...] = _WRITTEN_BY
) -> bool:
    """Whether this process is in a container, whose own addresses other machines cannot reach.

    Args:
        environment: of the process.
        written: files of which a container has one.

    >>> is_in_container({"KUBERNETES_SERVICE_HOST": "10.96.0.1"}), is_in_container({}, ())
    (True, False)
    """
    return "KUBERNETES_SERVICE_HOST" in environment or any(path.exists() for path in written)


def for_the_class(
    listens_at: str | None,
    port: int,
    path: str,
    scheme: str,
    *,
    in_container: bool | None = None,
) -> str:
    """What the terminal says of the address for a class; empty: nobody else can reach the server.

    Args:
        listens_at, port, path, scheme: as in ``class_addresses``.
        in_container: as ``is_in_container`` says; None: it is asked.

    >>> for_the_class("0.0.0.0", 8501, "", "http", in_container=True)  # doctest: +ELLIPSIS
    '\\n  For the class: the address of the machine that runs this container, with the port ...'
    >>> for_the_class("192.168.1.7", 8501, "", "http", in_container=True)
    '\\n  For the class: http://192.168.1.7:8501'
    """
    if in_container is None:
        in_container = is_in_container()
    if in_container and (listens_at or "") in EVERYWHERE:
        secure = "https:// and " if scheme == "https" else ""
        below = f", and /{path.strip('/')} behind it" if path.strip("/") else ""
        machine = "the address of the machine that runs this container, with the port published there"
        return f"\n  For the class: {secure}{machine}{below}."
    addresses = class_addresses(listens_at, port, path, scheme)
    return f"\n  For the class: {'  or  '.join(addresses)}" if addresses else ""


def class_addresses(
    listens_at: str | None, port: int, path: str = "", scheme: str = "http", own: list[str] | None = None
) -> list[str]:
    """What to write on the board; empty: nobody else can reach the server.

    Args:
        listens_at: the server's address; None: it listens for all machines.
        port: of the server.
        path: below which it is.
        scheme: http or https.
        own: this machine's addresses; None: they are found out.

    >>> class_addresses("0.0.0.0", 8501, own=["192.168.1.7"]), class_addresses("127.0.0.1", 8501)
    (['http://192.168.1.7:8501'], [])
    >>> class_addresses("192.168.1.7", 80, "/grove/")
    ['http://192.168.1.7/grove']
    """
    if listens_at is None or listens_at in EVERYWHERE:
        hosts = own_addresses() if own is None else own
    elif listens_at == "localhost" or listens_at.startswith(("127.", "unix:")) or listens_at == "::1":
        return []
    else:
        hosts = [listens_at]
    at_port = "" if port == {"http": 80, "https": 443}[scheme] else f":{port}"
    below = f"/{path.strip('/')}" if path.strip("/") else ""
    return [f"{scheme}://{f'[{host}]' if ':' in host else host}{at_port}{below}" for host in hosts]
