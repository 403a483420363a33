"""After an edit, only what changed is encoded again; the ids are those of a whole encode.

The split pattern's walls are local. At some places a wall stands whatever comes before and after,
and the pieces on either side are the same as if the text ended there: between a line end that
follows a visible character and an ASCII letter that begins the next line.

    ... the last word.⏎|Next line ...

No alternative of a pattern that is known to be local reaches across that place, and none looks
across it and decides otherwise. So ids are reused up to the last such place in the unchanged start, and from
the first such place in the unchanged end.
"""

from __future__ import annotations

import bisect

import numpy as np
import regex

from ..encoding import AllowedSpecial, Encoding
from ..split.patterns import known_pattern
from ..text.common_ends import common_prefix, common_suffix
from ..text.spans import Spans, TextMap, encode_spans

_SAFE = regex.compile(r"(?<=[^\s]\n)(?=[A-Za-z])")
_SAFE_BACKWARDS = regex.compile(r"(?r)(?<=[^\s]\n)(?=[A-Za-z])")


def reencode(before: Spans, text_map: TextMap, *, allowed_special: AllowedSpecial = ()) -> Spans:
    """The tokens of a text that was edited, as ``encode_spans`` gives them.

    Args:
        before: the tokens before the edit, encoded with the same ``allowed_special``.
        text_map: the text after it.
        allowed_special: as in ``Encoding.encode``.

    >>> from tokenizers import encode_spans, get_encoding
    >>> before = encode_spans(get_encoding("gpt2"), "One line.\\nAnother line.\\nThe end.")
    >>> reencode(before, TextMap("One line.\\nAnother wine.\\nThe end.")).ids.tolist()
    [3198, 1627, 13, 198, 6610, 8237, 13, 198, 464, 886, 13]
    """
    encoding = before.encoding
    old, new = before.text_map.text, text_map.text
    if not (_cuts_known(encoding) and before.joins and encoding.seen(new) == new):
        return encode_spans(encoding, text_map, allowed_special=allowed_special)
    start = common_prefix(old, new)
    end = common_suffix(old, new, min(len(old), len(new)) - start)
    # The last safe place whose three characters lie in the common start, and the first in the end.
    left = _SAFE_BACKWARDS.search(new, 0, start)
    right = _SAFE.search(new, len(new) - end + 2) if end > 2 else None
    left_at = left.start() if left else 0
    right_at = right.start() if right else len(new)
    kept_start = len(new[:left_at].encode("utf-8"))
    kept_end = len(new[right_at:].encode("utf-8"))
    first = bisect.bisect_right(before.ends, kept_start)
    after = bisect.bisect_left(before.starts, before.text_map.n_bytes - kept_end)
    middle = encoding.encode_array(new[left_at:right_at], allowed_special=allowed_special)
    return Spans(text_map, encoding, np.concatenate([before.ids[:first], middle, before.ids[after:]]))


def _cuts_known(encoding: Encoding) -> bool:
    """Whether the safe places are safe for this encoding: a known pattern, no odd special token."""
    if encoding.splitting is None:
        return False
    known = known_pattern(encoding.splitting.pattern)
    return known is not None and known.is_local and not any("\n" in name for name in encoding.special_tokens)
