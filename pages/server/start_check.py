"""The start of app.py: missing packages, the server's URL in the network, and this computer's browser."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from typing import NamedTuple

from streamlit import config

from pages.server.host_check import VARIABLE as HOSTS
from tokenizers.encoding import ASSETS

BUNDLE = "TOKEN_GROVE_BUNDLE"
"""The variable that deploy/bundle/start.py sets: the app was started by a double-click."""

PACKAGES = {
    "ftfy": "clip is missing",
    "numba": "training is ten times slower",
    "sentencepiece": "SentencePiece’s tokenizers and methods are missing",
    "tokenizers": "bert-uncased and most tokenizer.json files fail",
    "vl-convert-python": "charts cannot be saved as pictures",
}
"""The packages, and what the app lacks without each."""

# "Connecting" a datagram socket sends nothing: the system only chooses the own address that it would send
# from. The first target is reserved for examples (RFC 5737); the others are in private networks.
_PROBE_TARGETS = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")

_ALL_ADDRESSES = ("", "0.0.0.0", "::")
_SECONDS_TO_LISTEN = 1


def missing_packages() -> Iterator[str]:
    """A sentence for each package that is not installed."""
    for name, lost in PACKAGES.items():
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield f"The package {name} is not installed: {lost}."


def raise_open_files() -> None:
    """Raise the limit of open files as far as possible. A tab needs about eight; some systems allow 256."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (65_536 if hard == resource.RLIM_INFINITY else hard, hard))


def local_addresses() -> list[str]:
    """This machine's addresses in its networks, the likeliest first. Asks no other machine for them."""
    addresses: dict[str, None] = {}  # in order
    for target in _PROBE_TARGETS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
            probe.connect((target, 9))  # an OSError: there is no route
            addresses[probe.getsockname()[0]] = None
    return [address for address in addresses if not address.startswith("127.")]


def is_in_container() -> bool:
    """Whether this process runs in a container, whose own addresses other machines cannot reach."""
    variables = {"KUBERNETES_SERVICE_HOST", "container"}  # the second is podman's, and systemd's
    return not variables.isdisjoint(os.environ) or os.path.exists("/.dockerenv")


class HowToReach(NamedTuple):
    """What lets other devices open the app: Markdown, and a command to copy, or none."""

    words: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.command}".rstrip()


def how_others_reach_it() -> HowToReach:
    """What lets other devices open the app, for where ``class_urls`` knows no URL."""
    if names := os.environ.get(HOSTS):  # behind a proxy
        return HowToReach(
            f"Others open Token Grove at `{names}`. Open it there, too: links and classes then have it."
        )
    if _listens_here_only():
        only_here = "Only this computer can open the app. For a class,"
        if os.environ.get(BUNDLE):
            return HowToReach(f"{only_here} close its window and open “Token Grove for a class”.")
        return HowToReach(f"{only_here} start it with this command:", class_command())
    return HowToReach(
        "Token Grove does not know the address at which others open it. Find the one of this computer, and "
        f"open `{_url_at('that-address')}` yourself: links and classes then have it."
    )


def class_command() -> str:
    """The command that starts the app for a class on this system."""
    if ASSETS.parent.parent.name == "token_grove":  # an installed package
        return f'"{sys.executable}" -m token_grove --class'
    return r".venv\Scripts\python -m token_grove --class" if os.name == "nt" else "make run ARGS=--class"


def _listens_here_only() -> bool:
    return str(config.get_option("server.address")).startswith(("localhost", "::1", "127.", "unix:"))


def class_urls() -> list[str]:
    """The URLs at which other machines in the network can open the app, the likeliest first.

    Empty: none can, or this runs in a container, whose host alone knows.
    """
    listens_at = config.get_option("server.address") or ""
    hosts = [listens_at]
    if listens_at in _ALL_ADDRESSES:
        hosts = [] if is_in_container() else local_addresses()
    elif _listens_here_only():
        return []
    return [_url_at(host) for host in hosts]


def _url_at(host: str) -> str:
    """The app's URL at one of this machine's names or addresses."""
    port = config.get_option("server.port")
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    at_port = "" if port == {"http": 80, "https": 443}[scheme] else f":{port}"
    below = f"/{config.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}{at_port}{below}"


def open_browser() -> None:
    """Open the app in this computer's browser, unless the server is headless.

    Streamlit opens none for an st.App.
    """
    has_windows = sys.platform in ("win32", "darwin")
    if not (has_windows or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return  # a browser for terminals would cover what is printed
    if config.get_option("server.headless"):
        return
    listens_at = config.get_option("server.address") or ""
    is_local = _listens_here_only() or listens_at in _ALL_ADDRESSES
    url = _url_at("localhost" if is_local else listens_at)
    threading.Timer(_SECONDS_TO_LISTEN, webbrowser.open, [url]).start()
