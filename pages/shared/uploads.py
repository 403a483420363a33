"""Files that a browser uploads stay in memory: nothing that a person brings is written to the disk."""

from __future__ import annotations

from starlette.formparsers import MultiPartParser
from streamlit import config

from tokenizers import limits


def keep_uploads_in_memory() -> None:
    """Have Starlette keep an upload in memory, which above 1 MB it would put into a temporary file.

    As much as one text may have is taken; whoever runs the server may have changed that.
    """
    MultiPartParser.spool_max_size = (limits.TEXT_MB.value + 1) * limits.MB
    if limits.TEXT_MB.value != limits.TEXT_MB.default:
        config.set_option("server.maxUploadSize", limits.TEXT_MB.value)
