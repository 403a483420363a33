"""Unigram: of all ways to cut a text into pieces, the one with the highest probability.

As SentencePiece's BPE (``sentencepieces.py``), but nothing is merged. Each piece has a probability of its
own, and a cutting has the product of those of its pieces; in logarithms, the sum of their scores. The best
path through all pieces that fit (``lattice.py``) is found by Viterbi's algorithm, from the beginning of the
text to its end. Other paths, of lower sums, spell the same text; a model can be trained on them, too (subword
regularisation).

Source: Kudo 2018, Subword Regularization, arXiv:1804.10959.
"""

from __future__ import annotations

from ..cached import cached_property
from ..text.spans import Spans
from ..utf8 import well_formed
from .lattice import UNKNOWN_PRICE, Lattice, explain_by_paths
from .sentencepieces import NORMAL, SPACE, SentencePieces


class UnigramEncoding(SentencePieces):
    """A SentencePiece model of the kind Unigram."""

    family = "Unigram"
    model_in_words = "Unigram, {}, of which the most probable path is taken"
    longest_text = 2 << 20  # about 120 times the text's memory, and 1 s a MB

    @property
    def way(self) -> str:
        """How it cuts a text, to follow its name in a sentence."""
        return "takes the most probable of all ways to cut a text into its pieces"

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit a text, as it is cut: normalised, with the space that is put there.

        Raises:
            ValueError: the text is too long.
        """
        return self._lattice_of(self._read(well_formed(text)).replace(SPACE, " "))

    def _lattice_of(self, normal: str) -> Lattice:
        scores, longest, unknown = self._lattice_scores
        return Lattice(normal, scores.get, longest, unknown)

    @cached_property
    def _lattice_scores(self) -> tuple[dict[bytes, float], int, float]:
        """The scores of the pieces, by their bytes; the length of the longest; the score of what is none."""
        normal = self.scores[self.kinds == NORMAL]
        best, worst = (normal.max(), normal.min()) if len(normal) else (0.0, 0.0)
        scores = {  # a user-defined symbol has so high a score that it is always taken
            data: len(data) * best - 0.1 if token_id in self._user_defined else float(self.scores[token_id])
            for data, token_id in self.ordinary.items()
            if not self._is_byte[token_id]
        }
        return scores, max(map(len, scores), default=1), float(worst) - UNKNOWN_PRICE

    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two pieces, or none inside of one.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("j2")
        >>> spans = encode_spans(enc, "hello zyzzyva 12345")
        >>> print(enc.reason(spans, 8))
        “zy” + “zzy”, of log-probability -25.60. Without a cut here, the best would be “z” + “yz” + “zy”, of \
log-probability -33.66.
        >>> print(enc.reason(spans, 16))
        No cut: “12345”, of log-probability -13.90. With a cut here, the best would be “12” + “345”, of \
log-probability -22.12.
        >>> print(enc.reason(spans, 5))
        No piece of j2 reaches over this place, between “·hello” and “·”.
        """
        ids = spans.ids.tolist()
        return explain_by_paths(
            spans,
            before,
            after,
            byte_offset,
            tokens=[self._tokens[token_id] for token_id in ids],
            ends_part=lambda index: self._ends_part(ids[index - 1], ids[index]),
            make_lattice=self._lattice_of,
        )

    def _ends_part(self, left: int, right: int) -> bool:
        """Whether a part that is cut by itself ends between these two tokens."""
        return bool(self._is_control[[left, right]].any())
