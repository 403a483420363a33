"""Finds the server's URL in the network, which app.py prints for a class when the server starts.

It asks no other host: neither a server outside, as Streamlit does, nor a name server.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Mapping
from pathlib import Path

EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses at which a server listens for all machines."""

# "Connecting" a datagram socket sends nothing: the system only chooses the own address that it would send
# from. The first target is reserved for examples (RFC 5737); the others are in private networks.
_PROBE_TARGETS = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")


def local_addresses() -> list[str]:
    """This machine's addresses in its networks, the likeliest first."""
    addresses: list[str] = []
    for target in _PROBE_TARGETS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((target, 9))
                address = probe.getsockname()[0]
            except OSError:  # no route
                continue
        if address not in addresses and not ipaddress.ip_address(address).is_loopback:
            addresses.append(address)
    return addresses


_CONTAINER_FILES = (Path("/.dockerenv"), Path("/run/.containerenv"))  # of Docker and podman


def is_in_container(
    environment: Mapping[str, str] = os.environ, files: tuple[Path, ...] = _CONTAINER_FILES
) -> bool:
    """Whether this process runs in a container, whose own addresses other machines cannot reach.

    Args:
        environment: the variables of the process.
        files: files that exist only in a container.

    >>> is_in_container({"KUBERNETES_SERVICE_HOST": "10.96.0.1"}), is_in_container({}, ())
    (True, False)
    """
    return "KUBERNETES_SERVICE_HOST" in environment or any(path.exists() for path in files)


def describe_urls(
    listens_at: str | None,
    port: int,
    path: str,
    scheme: str,
    *,
    in_container: bool | None = None,
) -> str:
    """A line for the terminal with the URLs for a class; empty: no other machine can reach the server.

    Args:
        listens_at, port, path, scheme: see ``network_urls``.
        in_container: whether the process runs in a container; None: find out.

    >>> describe_urls("0.0.0.0", 8501, "", "http", in_container=True)  # doctest: +ELLIPSIS
    '\\n  For the class: the address of the machine that runs this container, with the port ...'
    >>> describe_urls("192.168.1.7", 8501, "", "http", in_container=True)
    '\\n  For the class: http://192.168.1.7:8501'
    """
    if in_container is None:
        in_container = is_in_container()
    if in_container and (listens_at or "") in EVERYWHERE:
        secure = "https:// and " if scheme == "https" else ""
        below = f", and /{path.strip('/')} behind it" if path.strip("/") else ""
        machine = "the address of the machine that runs this container, with the port published there"
        return f"\n  For the class: {secure}{machine}{below}."
    addresses = network_urls(listens_at, port, path, scheme)
    return f"\n  For the class: {'  or  '.join(addresses)}" if addresses else ""


def network_urls(
    listens_at: str | None, port: int, path: str = "", scheme: str = "http", own: list[str] | None = None
) -> list[str]:
    """The URLs at which other machines reach the server; empty: none can.

    Args:
        listens_at: the server's address; None: it listens on all addresses.
        port: the server's port.
        path: the path of the app.
        scheme: http or https.
        own: this machine's addresses; None: find out.

    >>> network_urls("0.0.0.0", 8501, own=["192.168.1.7"]), network_urls("127.0.0.1", 8501)
    (['http://192.168.1.7:8501'], [])
    >>> network_urls("192.168.1.7", 80, "/grove/")
    ['http://192.168.1.7/grove']
    """
    if listens_at is None or listens_at in EVERYWHERE:
        hosts = local_addresses() if own is None else own
    elif listens_at == "localhost" or listens_at.startswith(("127.", "unix:")) or listens_at == "::1":
        return []
    else:
        hosts = [listens_at]
    at_port = "" if port == {"http": 80, "https": 443}[scheme] else f":{port}"
    below = f"/{path.strip('/')}" if path.strip("/") else ""
    return [f"{scheme}://{f'[{host}]' if ':' in host else host}{at_port}{below}" for host in hosts]
