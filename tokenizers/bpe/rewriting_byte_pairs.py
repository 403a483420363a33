"""Byte pair encodings that rewrite a text before they cut it: a normal form of Unicode, or small letters.

The merges, their trees and their reasons are those of the text that is seen. Each token covers what it
came from in the text as typed, and what changed does not come back.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tiktoken

from ..checks import check_string
from ..encoding import AllowedSpecial, Ids
from ..placement import Losses, Placement
from ..text.rewriting import Rewritten, rewrite_in_parts
from ..text.spans import Spans
from ..text.spelling import quote, spell_change
from ..utf8 import well_formed
from .byte_pairs import BytePairEncoding
from .explain import cut_in_words, explain_in

_MOST_REMEMBERED = 1 << 20  # characters: what is remembered of a text stays until another one comes


class RewritingEncoding(BytePairEncoding):
    """A byte pair encoding that cuts another text than the one that is typed.

    Args:
        name, engine, pattern, first_id: as of ``BytePairEncoding``.
        rewriting: makes of a well-formed text what is cut.
        called: what the rewriting is called, after "by": "the normal form NFC".
        specials_first: whether special tokens are found in the text as typed, and stay as they are; otherwise
            they are found in what is seen.
    """

    is_lossless = False
    longest_text = 2 << 20  # 70 to 220 times the text's memory, and up to 4 s a MB

    def __init__(
        self,
        name: str,
        *,
        engine: tiktoken.Encoding,
        pattern: str | None,
        rewriting: Callable[[str], Rewritten],
        called: str,
        specials_first: bool,
        **more: Any,
    ) -> None:
        super().__init__(name, engine=engine, pattern=pattern, **more)
        self.called = called
        self._rewriting = rewriting
        self._specials_first = specials_first
        self._plain = BytePairEncoding(name, engine=engine, pattern=pattern, **more)
        self._last: tuple[str, frozenset[str], Rewritten] | None = None

    def rewritten(self, text: str, allowed: Iterable[str] = ()) -> Rewritten:
        """What the encoding sees of a well-formed text, in which these special tokens are recognised."""
        # Only names that occur in the text: so the same text is known again by its ids.
        names = frozenset(name for name in allowed if name in text) if self._specials_first else frozenset()
        last = self._last  # one text is asked for many times: for its tokens, its losses, its walls
        if last is not None and last[0] == text and last[1] == names:
            return last[2]
        if names:
            rewritten = Rewritten.join(
                [
                    Rewritten(stretch, stretch) if special_id is not None else self._rewrite(stretch)
                    for stretch, special_id in self.cut_at_specials(text, names)
                ]
            )
        else:
            rewritten = self._rewrite(text)
        if len(text) <= _MOST_REMEMBERED:
            self._last = text, names, rewritten
        return rewritten

    def _rewrite(self, text: str) -> Rewritten:
        return rewrite_in_parts(text, self._rewriting)

    def seen(self, text: str) -> str:
        """The text that the encoding cuts."""
        return self.rewritten(well_formed(check_string(text, "text"))).seen

    def seen_spans(self, spans: Spans) -> Spans:
        """The same tokens, at their places in the text that the encoding cuts."""
        rewritten = self._rewritten_of(spans.text_map.text, spans.ids)
        return Spans(rewritten.seen_map, self._plain, spans.ids) if rewritten.is_changed else spans

    def _rewritten_of(self, text: str, ids: Ids) -> Rewritten:
        """What was seen of a text when it was given these ids."""
        special_ids = np.fromiter(self.special_tokens.values(), dtype=np.int64)
        present = set(ids[np.isin(ids, special_ids)].tolist())
        return self.rewritten(
            text, [name for name, token_id in self.special_tokens.items() if token_id in present]
        )

    # Text to ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is in it as it was typed."""
        text = well_formed(check_string(text, "text"))
        rewritten = self.rewritten(text, self._allowed(allowed_special))
        self.check_growth(rewritten.seen_map.n_bytes)
        ids = self.encode_array(text, allowed_special=allowed_special)
        ends = np.cumsum(self.lengths_in(ids, rewritten.seen_map.data), dtype=np.int64)
        starts = ends - self.lengths_in(ids, rewritten.seen_map.data)
        return Placement(ids, *rewritten.places(starts, ends))

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        text = well_formed(check_string(text, "text"))
        allowed = self._allowed(allowed_special)
        rewritten = self.rewritten(text, allowed)
        if not self._specials_first or not rewritten.is_changed or not any(name in text for name in allowed):
            return self._plain.encode_array(rewritten.seen, allowed_special=allowed)
        # What is seen may spell a special token that nobody typed.
        return np.concatenate(
            [
                self._plain.encode_array(self._rewrite(stretch).seen)
                if special_id is None
                else np.array([special_id], dtype=np.uint32)
                for stretch, special_id in self.cut_at_specials(text, allowed)
            ]
        )

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, one after the other."""
        return self._plain.encode_each(
            (self._rewriting(well_formed(text)).seen for text in texts), timeout=timeout
        )

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did when it gave these ids."""
        return self._plain.confirms_pieces(self._rewritten_of(text, ids).seen, ids)

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == seen(text)``."""
        return self._plain.pieces(self.seen(text))

    # What changed

    def losses_in(self, text: str, placed: Placement) -> Losses:
        """The places that the encoding sees in another way than they were typed."""
        return self._rewritten_of(text, placed.ids).losses

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence or two.

        Raises:
            ValueError: the text has no such place.
        """
        spans.check_place(byte_offset)
        if spans.seen is spans:
            return super().reason(spans, byte_offset)
        rewritten = self._rewritten_of(spans.text_map.text, spans.ids)
        is_inside = 0 < byte_offset < spans.text_map.n_bytes
        if is_inside and None in (spans.covering(byte_offset - 1), spans.covering(byte_offset)):
            return "Here is white space. It ends a word, and belongs to no token."
        is_edge = _is_edge(spans, byte_offset)
        became = []
        for start, end, was, now in rewritten.changes_at(byte_offset):
            if "".join(was.split()) == "".join(now.split()):
                continue  # the ends of words, which are not typed
            before, after = spell_change(_short(was.strip()), _short(now.strip()))
            sentence = f"{quote(before.encode())} becomes {quote(after.encode())} first, by {self.called}."
            if start < byte_offset < end and not is_edge:
                return f"No place of its own: {sentence}"
            became.append(sentence)
        if not is_inside:
            at = 0 if byte_offset == 0 else spans.seen.text_map.n_bytes
        elif is_edge:
            at = int(spans.seen.ends[bisect.bisect_right(spans.ends, byte_offset) - 1])
        else:
            at = rewritten.seen_offset(byte_offset)
        return " ".join([*became, cut_in_words(explain_in(spans.seen, at))])

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the ranks, the split, and what is done to a text first."""
        yield f"{self.called}\n".encode()
        yield from super().fingerprint_data()


def _is_edge(spans: Spans, byte_offset: int) -> bool:
    """Whether a token begins or ends at this place."""
    begins = bisect.bisect_left(spans.starts, byte_offset)
    ends = bisect.bisect_left(spans.ends, byte_offset)
    return bool(
        (begins < len(spans) and spans.starts[begins] == byte_offset)
        or (ends < len(spans) and spans.ends[ends] == byte_offset)
    )


def _short(text: str) -> str:
    return text if len(text) <= 20 else text[:19] + "…"
