"""A file that is uploaded stays in memory, where Streamlit keeps it in any case, and never lies on the disk.

The server's parser would first write what is longer than 1 MB into a temporary file. With little room for
those, the upload ended in an error of the server; and nothing that a person brings is to lie there.
"""

from __future__ import annotations

import streamlit as st
from starlette.formparsers import MultiPartParser


def keep_uploads_in_memory() -> None:
    """Have the server's parser write no file, up to the size that is taken (``server.maxUploadSize``)."""
    MultiPartParser.spool_max_size = (int(st.get_option("server.maxUploadSize")) + 1) << 20
