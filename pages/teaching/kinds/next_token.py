"""A step of a class: it votes for the next token, again and again, until the sentence ends.

The answer shows what the tiny model of the lesson "What happens next" would have said
(``tokenizers/measure/next_token.py``). The token with the most votes is put behind the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pages.teaching.kinds.choice import ChoiceKind
from pages.teaching.kinds.kind import DrawnStep
from tokenizers.json_types import JsonObject
from tokenizers.measure import finish_sentence, is_sentence, next_pieces
from tokenizers.text import spell_text

BEGINNING = "The letter"
MAX_ROUNDS = 10
"""After which the sentence stays without an end."""
_CHOICES = 5


def ask_what_follows(text: str = BEGINNING, votes: int = 1) -> DrawnStep:
    """The slide of this kind for a text.

    Args:
        text: the sentence so far.
        votes: how many there have been, with this one.
    """
    pieces = next_pieces(text, _CHOICES)
    pieces.sort(key=lambda piece: piece.text)  # not the likeliest first
    best = max(pieces, key=lambda piece: piece.share)
    return {
        "kind": "next",
        "when": "lesson",
        "asks": f"What comes next? Vote {votes} of up to {MAX_ROUNDS}",
        "text": text,
        "votes": votes,
        "choices": [spell_text(piece.text) for piece in pieces],
        "pieces": [piece.text for piece in pieces],
        "shares": [piece.share for piece in pieces],
        "reveals": (
            f"The tiny model, which knows two stories and looks at the last token only, would have said "
            f"“{spell_text(best.text)}”."
        ),
    }


class NextKind(ChoiceKind):
    """Vote for a token. An answer is the place of the chosen one."""

    is_scored = False
    answer_fields = ("shares",)

    def picture(self, slide: DrawnStep, answers: Sequence[int]) -> JsonObject:
        """How many voted for each token, and the place of the one that is put behind the text."""
        votes = Counter(answers)
        return {
            "counts": [votes[place] for place in range(len(slide["choices"]))],
            "winner": _winner(slide, answers),
        }

    def follow(self, slide: DrawnStep, answers: Sequence[int]) -> DrawnStep:
        """The next vote; at the end of the sentence, what the class has written, and the model alone."""
        text = slide["text"] + slide["pieces"][_winner(slide, answers)]
        is_whole = is_sentence(text)
        if is_whole or slide["votes"] >= MAX_ROUNDS:
            writes = "The class has written" if is_whole else f"{MAX_ROUNDS} votes, and no end yet"
            return {
                "kind": "say",
                "when": "lesson",
                "asks": f"{writes}: “{text}”",
                "reveals": f"The tiny model alone: “{finish_sentence(BEGINNING, MAX_ROUNDS)}”",
            }
        return ask_what_follows(text, slide["votes"] + 1)


def _winner(slide: DrawnStep, answers: Sequence[int]) -> int:
    """The place with the most votes; of several, and of none, the one that the model finds likeliest."""
    votes = Counter(answers)
    places = range(len(slide["choices"]))
    return max(places, key=lambda place: (votes[place], slide["shares"][place]))
