"""What app.py prints at the start: missing files and packages, and the server's URL in the network.

The app starts with missing files, too, and each page shows its own problems.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from streamlit import config

from tokenizers.bundled import RANK_FILES
from tokenizers.data import HASHES
from tokenizers.encoding import ASSETS
from tokenizers.shipped import damaged, missing

PACKAGES = {
    "ftfy": "clip is missing",
    "numba": "training is ten times slower",
    "sentencepiece": "SentencePiece’s encodings and methods are missing",
    "tokenizers": "bert-uncased and most tokenizer.json files fail",
    "vl-convert-python": "charts cannot be saved as pictures",
}
"""The packages, and what the app lacks without each."""

_FILES = [
    *(f"encodings/{name}" for name in RANK_FILES),
    *(f"vocabularies/{name}.xz" for name in HASHES),
    *("models/grove-udhr-8k.model", "udhr/udhr.jsonl.xz", "components/loader.js"),
]
"""What several pages need. A page says itself which of its other files are missing."""

# "Connecting" a datagram socket sends nothing: the system only chooses the own address that it would send
# from. The first target is reserved for examples (RFC 5737); the others are in private networks.
_PROBE_TARGETS = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")


def check(assets: Path = ASSETS) -> Iterator[str]:
    """Sentences about missing files in the folder of the app's files, and about missing packages."""
    for name in _FILES:
        try:
            data = (assets / name).read_bytes()
        except OSError as problem:
            yield str(missing(ASSETS / name, "The file", problem))
            continue
        sha256 = RANK_FILES.get(name.removeprefix("encodings/"))
        if not data or (sha256 and hashlib.sha256(data).hexdigest() != sha256):
            yield str(damaged(ASSETS / name, "The file"))
    for name, lost in PACKAGES.items():
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield f"The package {name} is not installed: {lost}."


def raise_open_files() -> None:
    """Raise the limit of open files as far as possible. A tab needs about eight; some systems allow 256."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = max(soft, 65_536) if hard == resource.RLIM_INFINITY else hard
        if soft != resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def local_addresses() -> list[str]:
    """This machine's addresses in its networks, the likeliest first. Asks no other machine for them."""
    addresses: dict[str, None] = {}  # in order
    for target in _PROBE_TARGETS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((target, 9))
                addresses[probe.getsockname()[0]] = None
            except OSError:  # no route
                continue
    return [each for each in addresses if not ipaddress.ip_address(each).is_loopback]


def is_in_container() -> bool:
    """Whether this process runs in a container, whose own addresses other machines cannot reach."""
    files = (Path("/.dockerenv"), Path("/run/.containerenv"))  # of Docker and podman
    return "KUBERNETES_SERVICE_HOST" in os.environ or any(path.exists() for path in files)


def class_urls() -> list[str]:
    """The URLs at which other machines in the network can open the app, the likeliest first.

    Empty: none can, or this runs in a container, whose host alone knows.
    """
    listens_at, port = config.get_option("server.address") or "", config.get_option("server.port")
    hosts = [listens_at]
    if listens_at in ("", "0.0.0.0", "::"):
        hosts = [] if is_in_container() else local_addresses()
    elif listens_at in ("localhost", "::1") or listens_at.startswith(("127.", "unix:")):
        return []
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    at_port = "" if port == {"http": 80, "https": 443}[scheme] else f":{port}"
    path = config.get_option("server.baseUrlPath").strip("/")
    below = f"/{path}" if path else ""
    return [f"{scheme}://{f'[{host}]' if ':' in host else host}{at_port}{below}" for host in hosts]
