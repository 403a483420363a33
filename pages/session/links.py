"""Packs the state of a page into a link: as compressed JSON in one query parameter."""

from __future__ import annotations

import base64
import binascii
import json
import zlib

from tokenizers.json_types import JsonObject

PARAMETER = "s"
MAX_LENGTH = 6_000
"""Characters. Browsers accept more, but proxies and chat programs often stop at 8 KB."""

_VERSION = "1"
LONGEST_STATE = 50_000
"""The most bytes of JSON that a link may unpack to."""


def pack_state(state: JsonObject) -> str | None:
    """Pack a state into the parameter's value; None: it is too long for a link.

    >>> unpack_state(pack_state({"text": "h\\u00e9llo \\ud83d"}))
    {'text': 'héllo \\ud83d'}
    >>> pack_state({"text": "a" * LONGEST_STATE}) is None  # though it would be a short one
    True
    """
    raw = json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    if len(raw) > LONGEST_STATE:
        return None
    packed = zlib.compress(raw, 6)
    value = _VERSION + base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    return value if len(value) <= MAX_LENGTH else None


def unpack_state(value: str) -> JsonObject:
    """Unpack a state from the parameter's value.

    Raises:
        ValueError: the link is damaged, or of another version.

    >>> unpack_state("0" + pack_state({"text": "a"})[1:])
    Traceback (most recent call last):
    ...
    ValueError: This link was made by another version of Token Grove, so it restored nothing.
    >>> unpack_state("1not-a-link")
    Traceback (most recent call last):
    ...
    ValueError: This link is damaged, so it could not restore anything. Ask for it again, ...
    """
    damaged = ValueError(
        "This link is damaged, so it could not restore anything. Ask for it again, and copy it whole."
    )
    if not value.startswith(_VERSION):
        raise ValueError("This link was made by another version of Token Grove, so it restored nothing.")
    body = value[1:]
    try:
        packed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        unpacker = zlib.decompressobj()
        unpacked = unpacker.decompress(packed, LONGEST_STATE)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise damaged
        state = json.loads(unpacked.decode("utf-8", "surrogatepass"))
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise damaged from None
    if not isinstance(state, dict):
        raise damaged
    return state
