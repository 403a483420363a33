"""What JSON holds of a file, a request or a template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]
"""An object that is only read."""


def json_bytes(content: Any) -> bytes:
    """A value as JSON in UTF-8, whose characters stay as they are; half of one becomes a question mark."""
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
