"""Draws the scrubber: a text at every vocabulary size of byte pair encodings, dragged or played.

The browser cuts the text; the server says once at which size each cut goes (``cuts_by_size``).
"""

from __future__ import annotations

from collections.abc import Sequence

from pages.session.own_texts import digest_of
from pages.session.workspace import Workspace
from pages.shared.colours import css_hue_in
from pages.shared.components import base64_of, newest_message, register
from tokenizers.bpe import cuts_by_size, size_range
from tokenizers.description import why_no_trees
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.registry import short_title
from tokenizers.text import TextMap, isolate
from tokenizers.utf8 import first_bytes, well_formed

SCRUBBED_BYTES = 10_000
"""If a text is longer, only its beginning is cut, encoded by itself."""

_mount = register("scrubber", "message")


def why_no_curve(encoding: Encoding, *, dragged: bool = False) -> str:
    """Why an encoding cannot be cut to smaller vocabularies, as a sentence; empty: it can.

    Args:
        encoding: the encoding.
        dragged: whether the browser cuts the text.
    """
    if dragged and encoding.joining is not None:
        return (
            f"{encoding.name} merges characters, not bytes, so it cannot be cut here. See its curve above, "
            "or its merges on Merge trees."
        )
    if encoding.has_merges:
        return ""
    if encoding.not_drawn:
        return f"{why_no_trees(encoding)} So it has no curve, only one size: {encoding.n_tokens:,} tokens."
    return (
        f"{encoding.name} has no merges, so it has no smaller vocabularies and no curve: its size is "
        f"{encoding.n_tokens:,} tokens."
    )


def beginning_of(text: str, most: int = SCRUBBED_BYTES) -> str:
    """The start of a text, up to a limit of bytes; it ends with a line, if one ends in the last fifth.

    >>> beginning_of("first line\\nsecond", 12), beginning_of("h\\u00e9llo", 2), beginning_of("abc", 3)
    ('first line\\n', 'h', 'abc')
    """
    text = well_formed(text[: most + 1])
    head = first_bytes(text, most)
    if len(head) == len(text):
        return head
    end = head.rfind("\n") + 1
    return head[:end] if end > len(head) * 4 // 5 else head


def scrub_data(workspace: Workspace, text: str, names: Sequence[str], note: str, size: int) -> JsonObject:
    """The data with which the component cuts a text at every size.

    Args:
        workspace: the session's workspace.
        text: up to ``SCRUBBED_BYTES``.
        names: the names of the encodings.
        note: a note about the text.
        size: the first vocabulary size.
    """
    text_map = TextMap(text)
    stands: list[JsonObject] = []
    smallest = 256
    for name in names:
        stand: JsonObject = {"name": name, "title": short_title(name), "hue": css_hue_in(workspace, name)}
        try:
            encoding = workspace.find_encoding(name)
            if problem := why_no_curve(encoding, dragged=True):
                raise ValueError(problem)
            seen = TextMap(encoding.seen(text_map.text))
            if seen.text != text_map.text:  # the encoding rewrites the text first
                stand |= _describe_text(seen)
            gone = cuts_by_size(encoding, text_map.text).astype("<u4")
            least, full = size_range(encoding)
            stand |= {
                "full": full,
                "gone": base64_of(gone.tobytes()),
                "byte_ids": [encoding.ordinary[bytes([byte])] for byte in range(256)],
                "first_id": encoding.merging.first_id if encoding.merging else 0,
            }
            smallest = max(smallest, least)
        except (ValueError, OSError) as error:
            stand["problem"] = str(error)
        stands.append(stand)
    data = {**_describe_text(text_map), "smallest": smallest, "stands": stands, "note": note}
    revision = digest_of(repr(sorted(data.items())))
    return {**data, "revision": revision, "size": size}


def _describe_text(text_map: TextMap) -> JsonObject:
    """The bytes of a text, and its graphemes of several characters."""
    return {"bytes": base64_of(text_map.data), "clusters": text_map.cluster_lengths.tolist()}


def draw_scrubber(
    workspace: Workspace, key: str, title: str, beginning: str, n_bytes: int, names: Sequence[str], size: int
) -> int:
    """Draw the scrubber; returns the vocabulary size that the user dragged to.

    Args:
        workspace: the session's workspace.
        key: the key of the component.
        title: of the text, within a sentence.
        beginning: the text, or its beginning.
        n_bytes: of the whole text.
        names: the names of the encodings.
        size: the first vocabulary size.
    """
    message = newest_message(key)
    if message is not None and isinstance(message.get("size"), int):
        size = int(message["size"])
    head = beginning_of(beginning)
    n_head = len(head.encode("utf-8"))
    note = f"All {n_head:,} bytes of {isolate(title)}."
    if n_head < n_bytes:
        note = f"The first {n_head:,} of {n_bytes:,} bytes of {isolate(title)}, encoded by themselves."
    _mount(scrub_data(workspace, head, names, note, size), key)
    return size
