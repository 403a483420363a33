"""What every encoding promises of every text, checked on one text."""

from __future__ import annotations

import contextlib
import itertools
import re

import tokenizers as tk
from tokenizers.bpe.trees import forest
from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.families.sentencepieces import SentencePieces
from tokenizers.text import encode_spans
from tokenizers.utf8 import well_formed


def check(enc: Encoding, text: str) -> None:
    """Its ids by every method, where its tokens stand, and what ``check_spans`` checks."""
    clean = well_formed(text)
    spans = encode_spans(enc, text)
    ids, seen = spans.ids.tolist(), spans.seen
    assert ids == enc.encode(text) == enc.encode_array(text).tolist() == enc.place(text).ids.tolist()
    assert all(0 <= token_id < enc.n_vocab for token_id in ids)
    assert seen.text_map.text == enc.seen(text)
    assert enc.decode_array(spans.ids) == enc.decode_bytes(ids)
    assert (enc.decode(ids) == clean) == spans.decodes_to_text
    if not isinstance(enc, SentencePieces) and enc.family != "word pieces":  # tests/test_sentencepiece.py
        for token_id, start, end in zip(ids, seen.starts.tolist(), seen.ends.tolist(), strict=True):
            if token_id != enc.unknown_id:  # which can be anything
                assert seen.text_map.data[start:end] == enc.token_bytes(token_id)
                assert enc.token_id(enc.token_bytes(token_id)) == token_id
    check_spans(enc, clean)


def check_spans(enc: Encoding, text: str, allowed: AllowedSpecial = ()) -> None:
    """Check where tokens stand, which text decoding restores, and that each place has a reason."""
    spans = encode_spans(enc, text, allowed_special=allowed)
    data = spans.text_map.data
    ids = spans.ids.tolist()
    back = enc.decode_array(spans.ids)
    own = b"".join(map(enc.token_bytes, ids))
    for became, losses in ((back, spans.losses), (own, spans.changes)):
        rebuilt, at = b"", 0
        for loss in losses:
            rebuilt += data[at : loss.start] + loss.became.encode()
            at = loss.end
        assert rebuilt + data[at:] == became.decode("utf-8", "replace").encode()
    assert (not spans.losses) == (back == data) == spans.decodes_to_text
    assert back == data or not enc.is_lossless
    assert enc.drops_text or not spans.unknown.any()
    owners, starts, ends = (each.tolist() for each in spans.stretches)
    assert b"".join(data[a:b] for a, b in zip(starts, ends, strict=True)) == data
    assert [each for each in owners if each >= 0] == list(range(len(ids)))
    # In the name of a special token that is plain text here, added tokens are not found, and elsewhere they
    # are: so its characters cannot be tried alone.
    names = [] if allowed else [name for name in enc.special_tokens if name in text]
    plain = [match.span() for name in names for match in re.finditer(re.escape(name), text)]
    named = {at for a, b in plain for at in range(len(text[:a].encode()), len(text[:b].encode()))}
    for owner, start, end in zip(owners, starts, ends, strict=True):
        middles = [place for place in range(start + 1, end) if data[place] & 0xC0 != 0x80]
        assert (
            owner >= 0
            or named.issuperset(range(start, end))
            or is_dropped(enc, data, start, end, allowed)
            or any(  # one step drops this, another one that
                is_dropped(enc, data, start, middle, allowed) and is_dropped(enc, data, middle, end, allowed)
                for middle in middles
            )
        ), (start, end)
    places = range(0, len(data) + 1, len(data) // 50 + 1)
    assert all(spans.reason(place).endswith((".", "”")) for place in places)
    if enc.merging:
        assert all(tk.explain_cut(enc, text, place, allowed) for place in places)
        assert spans.special.any() or [root.token_id for root in forest(enc, text)] == ids
    if enc.joining and not spans.special.any() and not set(ids) & set(enc.special_tokens.values()):
        with contextlib.suppress(ValueError):  # an added token is in it
            grown = enc.joining.grow(text)
            assert [root.token_id for root in grown.roots] == ids
            assert b"".join(root.token_bytes for root in grown.roots) == grown.data
            assert [merge.rank for merge in grown.merges] == sorted(merge.rank for merge in grown.merges)


def is_dropped(enc: Encoding, data: bytes, start: int, end: int, allowed: AllowedSpecial) -> bool:
    """Whether the ids are the same without these characters, with all around them, with some, none, or an x.

    Or whether they are those of what is around them, apart: without them, an added token that has to be a
    whole word may be found. The one before may be dropped, too: what is put in front of a text has its first
    character's place.
    """

    def ids(text: str) -> list[int] | None:
        with contextlib.suppress(ValueError):  # the library breaks down on it
            return enc.encode(text, allowed_special=allowed)
        return None

    before, stretch, after = (part.decode() for part in (data[:start], data[start:end], data[end:]))
    return any(
        (found := ids(left + dropped + right)) is not None
        and found in (ids(left + right), [*(ids(left) or ()), *(ids(right) or ())])
        for before, dropped in ((before, stretch), (before[:-1], before[-1:] + stretch))
        for left, right in itertools.product((before, before[-1:], "", "x"), (after, after[:1], "", "x"))
    )
