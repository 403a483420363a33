"""A file that is uploaded stays in memory, where Streamlit keeps it in any case, and never lies on the disk.

The server's parser would first write what is longer than 1 MB into a temporary file. With little room for
those, the upload ended in an error of the server; and nothing that a person brings is to lie there.
"""

from __future__ import annotations

from starlette.formparsers import MultiPartParser
from streamlit import config

from tokenizers import limits

MAX_FILES = 200
"""That a browser may send at a time."""


def keep_uploads_in_memory() -> None:
    """Have the server's parser write no file.

    As much as one text may have is taken; whoever runs the server may have changed that.
    """
    MultiPartParser.spool_max_size = (limits.TEXT_MB.value + 1) * limits.MB
    if limits.TEXT_MB.value != limits.TEXT_MB.default:
        config.set_option("server.maxUploadSize", limits.TEXT_MB.value)
