"""After an edit, only what changed is encoded again; the ids are those of a whole encode.

The split pattern's walls are local. At some places there is a wall whatever comes before and after, and the
pieces on either side are the same as if the text ended there: mostly before a blank that follows something
visible. ``SAFE_CUT`` lists them, and says why.

    ... the last| word.

No alternative of a pattern that is known to be local matches across such a place, and what one might see
beyond it changes nothing. So ids are reused up to the last such place in the unchanged start, and from the
first such place in the unchanged end.
"""

from __future__ import annotations

import bisect

import numpy as np
import regex

from ..encoding import AllowedSpecial, Encoding
from ..split.patterns import SAFE_CUT, scanner_of
from ..text.spans import Spans, encode_spans
from ..text.text_map import TextMap, common_prefix, common_suffix
from ..utf8 import utf8_length

_SAFE_BACKWARDS = regex.compile(f"(?r){SAFE_CUT.pattern}")
_AT_CUTS = frozenset(" \n\u3001\u3002\uff0c")  # one of these is beside each such place


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
    new = text_map.text
    if not (_cuts_known(encoding) and before.joins and encoding.seen(new) == new):
        return encode_spans(encoding, text_map, allowed_special=allowed_special)
    old = before.text_map.text
    start = common_prefix(old, new)
    end = common_suffix(old, new, min(len(old), len(new)) - start)
    # All characters that a safe place depends on are in the common start, or in the common end.
    left = _SAFE_BACKWARDS.search(new, 0, start)
    right = SAFE_CUT.search(new, len(new) - end + 2) if end > 2 else None
    head = new[: left.start() if left else 0]
    tail = new[right.start() :] if right else ""
    first = bisect.bisect_right(before.ends, utf8_length(head))
    after = bisect.bisect_left(before.starts, before.text_map.n_bytes - utf8_length(tail))
    changed = new[len(head) : len(new) - len(tail)]
    middle = encoding.encode_array(changed, allowed_special=allowed_special)
    return Spans(text_map, encoding, np.concatenate([before.ids[:first], middle, before.ids[after:]]))


def _cuts_known(encoding: Encoding) -> bool:
    """Whether the safe places are safe for this encoding: a known pattern, no odd special token."""
    if encoding.splitting is None:
        return False
    has_odd = any(map(_AT_CUTS.intersection, encoding.special_tokens))
    return scanner_of(encoding.splitting.pattern) is not None and not has_odd
