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


def describe_urls(listens_at: str | None, port: int, path: str = "", scheme: str = "http") -> str:
    """A line for the terminal with the URLs for a class; empty: no other machine can reach the server.

    Args:
        listens_at: the server's address; None: it listens on all addresses.
        port: the server's port.
        path: the path of the app.
        scheme: http or https.

    >>> describe_urls("192.168.1.7", 80, "/grove/"), describe_urls("127.0.0.1", 8501)
    ('\\n  For the class: http://192.168.1.7/grove', '')
    """
    below = f"/{path.strip('/')}" if path.strip("/") else ""
    if (listens_at or "") not in ("", "0.0.0.0", "::"):
        hosts = [str(listens_at)]
        if hosts[0] in ("localhost", "::1") or hosts[0].startswith(("127.", "unix:")):
            return ""
    elif is_in_container():
        machine = "the address of the machine that runs this container, with the port published there"
        return f"\n  For the class: {scheme}:// and {machine}{below and f', and {below} behind it'}."
    else:
        hosts = local_addresses()
    at_port = "" if port == {"http": 80, "https": 443}[scheme] else f":{port}"
    urls = [f"{scheme}://{f'[{host}]' if ':' in host else host}{at_port}{below}" for host in hosts]
    return f"\n  For the class: {'  or  '.join(urls)}" if urls else ""
