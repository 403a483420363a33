"""Serves the components' files under a versioned URL, ``components/VERSION/editor/index.js``, for caches.

The version is a hash of all files, so an edit gives them a new URL. A reload of the page shows the edit,
without a restart of the server.
"""

from __future__ import annotations

import functools
import hashlib
import mimetypes
import time

from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tokenizers.encoding import ASSETS

FOLDER = ASSETS / "components"

mimetypes.add_type("text/javascript", ".js")  # the registry of Windows may say otherwise


def files_version() -> str:
    """A hash of the names and contents of all files. They are read at most once a second.

    >>> len(files_version())
    16
    """
    return _version_at(int(time.monotonic()))


@functools.lru_cache(maxsize=1)
def _version_at(second: int) -> str:
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*.*")):
        digest.update(f"{path.relative_to(FOLDER).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class ComponentFiles(StaticFiles):
    """Serves the files with headers for caches.

    A page that was opened before the last edit requests an older version. It gets the present files, and
    may not cache them under the old URL.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        is_present = scope["path_params"]["version"] == files_version()
        for_how_long = "public, max-age=31536000, immutable" if is_present else "no-cache"
        response.headers["Cache-Control"] = for_how_long
        return response


def component_route() -> Mount:
    """The route of the files.

    It accepts any path before ``components/``. Streamlit does not handle server.baseUrlPath for an app's own
    routes, and some proxies keep their own prefix.
    """
    return Mount("/{prefix:path}components/{version}", ComponentFiles(directory=FOLDER))
