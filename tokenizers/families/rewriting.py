"""Byte pairs of a text that is rewritten first, by a normal form of Unicode or in small letters.

Merges, trees and
reasons are those of the rewritten text. Each token covers what it came from in the text as typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import regex

from ..bpe.byte_pairs import BytePairEncoding, Engine
from ..bpe.explain import explain_seen
from ..encoding import AllowedSpecial, Ids
from ..placement import Placement
from ..steps import Steps
from ..text.rewriting import Rewritten
from ..text.spans import Spans
from ..text.text_map import TextMap
from ..utf8 import utf8_length, well_formed


class RewritingEncoding(BytePairEncoding):
    """A byte pair encoding that cuts another text than the one that is typed.

    Args:
        name, engine, pattern: as of ``BytePairEncoding``.
        rewriting: makes of a well-formed text what is cut.
        called: what the rewriting is called, after "by": "the normal form NFC".
        ending: what is done, after special tokens are found in that, to the stretches between them.
    """

    is_lossless = False
    longest_text = 2 << 20  # 70 to 220 times the text's memory, and up to 4 s a MB
    part_begin: regex.Pattern[str] | None = regex.compile("(?<=[!-~])(?= )")
    """A blank after a character of ASCII: normal forms change neither, and proven patterns have a wall here
    (``SAFE_CUT``). Special tokens have no blanks."""

    def __init__(
        self,
        name: str,
        *,
        engine: Engine,
        pattern: str,
        rewriting: Callable[[str], Rewritten],
        called: str,
        ending: Callable[[str], Rewritten] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name, engine=engine, pattern=pattern, **more)
        self._called = called
        self._rewriting = rewriting
        self._ending = ending
        self._plain = BytePairEncoding(name, engine=engine, pattern=pattern, **more)

    def _encode(self, text: str, allowed_special: AllowedSpecial) -> tuple[Rewritten, Ids]:
        """What is cut of a text, and its tokens."""
        rewritten = self._rewriting(text)
        if self._ending is None:
            return rewritten, self._plain.encode_array(rewritten.seen, allowed_special=allowed_special)
        parts: list[Rewritten] = []
        ids: list[Ids] = []
        for stretch, special_id in self.cut_at_specials(rewritten.seen, allowed_special):
            if special_id is None:
                parts.append(self._ending(stretch))
                ids.append(self._plain.encode_array(parts[-1].seen))
            else:
                parts.append(Rewritten(stretch, stretch))
                ids.append(np.array([special_id], np.uint32))
        return rewritten.then(Rewritten.join(parts)), np.concatenate(ids)

    def seen(self, text: str) -> str:
        """The text that the encoding cuts."""
        seen = "".join(self._rewriting(part).seen for part in self._cut(well_formed(text)))
        return seen if self._ending is None else self._ending(seen).seen

    def seen_spans(self, spans: Spans) -> Spans:
        """The same tokens, at their places in the text that the encoding cuts."""
        data = self.decode_array(spans.ids)
        return spans if data == spans.text_map.data else Spans(TextMap(data.decode()), self._plain, spans.ids)

    # Text to ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is in it as it was typed."""
        return Placement.join(
            (utf8_length(part), self._place(part, allowed_special))
            for part in self.in_parts(well_formed(text))
        )

    def _place(self, text: str, allowed_special: AllowedSpecial) -> Placement:
        rewritten, ids = self._encode(text, allowed_special)
        self.check_rewritten(utf8_length(rewritten.seen))
        ends = np.cumsum(self.byte_lengths[ids], dtype=np.int64)
        return Placement(ids, *rewritten.places(ends - self.byte_lengths[ids], ends))

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        parts = self.in_parts(well_formed(text))
        return np.concatenate([self._encode(part, allowed_special)[1] for part in parts])

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, one after the other."""
        return self._plain.encode_each(map(self.seen, texts), timeout=timeout)

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did when it gave these ids."""
        return self._plain.confirms_pieces(self.decode_array(ids).decode(), ids)

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == seen(text)``."""
        return self._plain.pieces(self.seen(text))

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence or two.

        Raises:
            ValueError: the text has no such place.
        """
        return explain_seen(spans, byte_offset, self._called)

    def family_steps(self) -> Steps:
        """What it does to a text, step by step.

        >>> from tokenizers import get_encoding
        >>> get_encoding("qwen").family_steps()[0]
        ('Normaliser', 'the normal form NFC')
        """
        return [("Normaliser", self._called), *super().family_steps()]

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the ranks, the split, and what is done to a text first."""
        yield f"{self._called}\n".encode()
        yield from super().fingerprint_data()
