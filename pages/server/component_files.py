"""The components' files, served once by address instead of with every answer.

An address holds a version, ``components/VERSION/editor/index.js``, so a browser may keep a file for ever. The
version is a hash of all files. They are looked at again when they are asked for, at most once a second, and
an edit gives them a new version: it shows after a reload of the page, with no restart of the server.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tokenizers.encoding import ASSETS

FOLDER = ASSETS / "components"

LOOK = 1.0
"""Seconds between two looks at the files. Each asks the disk a hundred things, and a browser that opens its
first page asks for fifty files."""

_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_FOR_EVER = "public, max-age=31536000, immutable"


_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


def _names(condition: str, tag: str) -> bool:
    """Whether an ``If-None-Match`` names this tag.

    It may be a list, or a star for any. A proxy that compressed the file has marked the tag as weak, which
    makes no difference here (RFC 9110, section 13.1.2).

    >>> _names('"a", W/"b"', '"b"'), _names("*", '"b"'), _names('"a"', '"b"')
    (True, True, False)
    """
    return condition.strip() == "*" or tag in _ENTITY_TAG.findall(condition)


@dataclass(frozen=True)
class Snapshot:
    """All files at one moment.

    Attributes:
        version: a hash of their names and contents.
        files: content by path below the folder, such as ``editor/index.js``.
    """

    version: str
    files: Mapping[str, bytes]


class ComponentFiles:
    """The HTML, CSS and JavaScript files below a folder, read again when one of them changes.

    Args:
        folder: where they are.
        clock: seconds that only rise.
    """

    def __init__(self, folder: Path = FOLDER, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._clock = folder, clock
        self._next_look = -math.inf
        self._signature: tuple[tuple[str, int, int], ...] = ()
        self._snapshot = Snapshot("", {})

    def snapshot(self) -> Snapshot:
        """What the files hold now, or held a moment ago.

        >>> files = ComponentFiles().snapshot()
        >>> len(files.version), "editor/index.js" in files.files
        (16, True)
        """
        now = self._clock()
        if now < self._next_look and self._snapshot.files:
            return self._snapshot
        self._next_look = now + LOOK  # set first: meanwhile, other threads take what is there
        try:
            signature = tuple(sorted(self._scan(self._folder)))
            if signature == self._signature:
                return self._snapshot
            contents = {path: (self._folder / path).read_bytes() for path, _, _ in signature}
        except OSError:
            if not self._snapshot.files:
                raise
            return self._snapshot  # a file is being replaced right now: the next look sees the new one
        digest = hashlib.sha256()
        for path, content in contents.items():
            digest.update(f"{path}\0{len(content)}\0".encode())
            digest.update(content)
        # The snapshot goes first: another thread that sees the new signature must not get the old files.
        self._snapshot = Snapshot(digest.hexdigest()[:16], contents)
        self._signature = signature
        return self._snapshot

    @property
    def last(self) -> Snapshot:
        """The last snapshot, without a look at the files."""
        return self._snapshot if self._snapshot.files else self.snapshot()

    def _scan(self, folder: Path | str, below: str = "") -> list[tuple[str, int, int]]:
        """Path, time of the last change in nanoseconds, and size of each file."""
        files = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    files += self._scan(entry.path, f"{below}{entry.name}/")
                elif os.path.splitext(entry.name)[1] in _TYPES:
                    status = entry.stat()
                    files.append((below + entry.name, status.st_mtime_ns, status.st_size))
        return files

    def answer(self, request: Request) -> Response:
        """Answer a request for a file.

        A page that was opened before the last change asks for files of an older version. It gets the
        present ones, since the old ones are gone, and may not keep them under the old address.
        """
        snapshot = self.snapshot()
        path = request.path_params["path"]
        content = snapshot.files.get(path)
        if content is None:
            return Response("There is no such file.", status_code=404, media_type="text/plain")
        is_present = request.path_params["version"] == snapshot.version
        tag = f'"{snapshot.version}"'
        headers = {
            "Cache-Control": _FOR_EVER if is_present else "no-cache",
            "ETag": tag,
            "X-Content-Type-Options": "nosniff",
        }
        if _names(", ".join(request.headers.getlist("if-none-match")), tag):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=_TYPES[os.path.splitext(path)[1]])

    def route(self) -> Route:
        """The route that serves the files.

        It takes any path before ``components/``, because Streamlit leaves server.baseUrlPath to the routes
        that an app brings, and some proxies keep their own prefix.
        """
        return Route("/{prefix:path}components/{version}/{path:path}", self.answer, methods=["GET"])


component_files = ComponentFiles()
