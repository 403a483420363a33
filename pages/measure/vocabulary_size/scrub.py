"""The scrubber: a text that the browser cuts anew at any vocabulary size, in two encodings."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

import tokenizers as tk
from pages.measure.vocabulary_size.texts import Text, why_no_curve
from pages.session.workspace import Workspace
from pages.shared.colours import hue_in
from pages.shared.components import newest_message, register
from tokenizers.bpe import full_size, smallest_size
from tokenizers.text import TextMap
from tokenizers.utf8 import first_bytes

KEY = "scrubber"
MAX_BYTES = 10_000
"""If a text is longer, only its beginning is cut, encoded by itself."""

_mount = register("scrubber")


def beginning_of(text: str, most: int = MAX_BYTES) -> str:
    """The first bytes of a text, up to a limit, to the end of a line if one ends in the last fifth.

    >>> beginning_of("first line\\nsecond", 12), beginning_of("h\\u00e9llo", 2), beginning_of("abc", 3)
    ('first line\\n', 'h', 'abc')
    """
    text = tk.well_formed(text[: most + 1])
    head = first_bytes(text, most)
    if len(head) == len(text):
        return head
    end = head.rfind("\n") + 1
    return head[:end] if end > len(head) * 4 // 5 else head


def scrub_data(workspace: Workspace, text: str, names: Sequence[str], note: str, size: int) -> dict[str, Any]:
    """What the component needs to cut a text by itself, at every size.

    Args:
        workspace: of the session.
        text: up to ``MAX_BYTES``.
        names: of the encodings.
        note: what to say of the text.
        size: the vocabulary size to begin with.
    """
    text_map = TextMap(text)
    stands: list[dict[str, Any]] = []
    smallest = 256
    for name in names:
        stand: dict[str, Any] = {"name": name, "hue": hue_in(workspace, name)}
        try:
            encoding = workspace.encoding(name)
            if problem := why_no_curve(encoding, dragged=True):
                raise ValueError(problem)
            seen = TextMap(encoding.seen(text_map.text))
            if seen.text != text_map.text:  # it is cut as it is read
                stand |= _bytes_and_edges(seen)
            gone = tk.cuts_by_size(encoding, text_map.text).astype("<u4")
            stand |= {"full": full_size(encoding), "gone": _base64(gone.tobytes())}
            stand["byte_ids"] = [encoding.ordinary[bytes([byte])] for byte in range(256)]
            stand["first_id"] = encoding.merging.first_id if encoding.merging else 0
            smallest = max(smallest, smallest_size(encoding))
        except (ValueError, OSError) as error:
            stand["problem"] = str(error)
        stands.append(stand)
    data = {**_bytes_and_edges(text_map), "smallest": smallest, "stands": stands, "note": note}
    revision = hashlib.sha256(repr(sorted(data.items())).encode()).hexdigest()[:16]
    return {**data, "revision": revision, "size": size}


def _bytes_and_edges(text_map: TextMap) -> dict[str, str]:
    """The bytes of a text, and where graphemes begin in them."""
    edges = text_map.is_grapheme_edge.astype(np.uint8).tobytes()
    return {"bytes": _base64(text_map.data), "edges": _base64(edges)}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def draw_scrubber(workspace: Workspace, text: Text, names: Sequence[str], size: int) -> int:
    """Draw it; returns the vocabulary size that the person dragged to."""
    message = newest_message(KEY)
    if message is not None and isinstance(message.get("size"), int):
        size = int(message["size"])
    head = beginning_of(text.text)
    n_bytes = len(head.encode("utf-8"))
    if n_bytes < text.all_bytes:
        note = f"The first {n_bytes:,} of {text.all_bytes:,} bytes of {text.title}, encoded by themselves."
    else:
        note = f"All {n_bytes:,} bytes of {text.title}."
    _mount(data=scrub_data(workspace, head, names, note, size), key=KEY, on_message_change=lambda: None)
    return size
