"""Whether the merges of a tokenizer.json can be drawn: trees, ranks, walls and reasons.

Hugging Face's engine merges by the place of a *pair* in the list of merges. The trees here go by the rank of
the *joined bytes*, as tiktoken does, or of the joined piece. The two are the same if

- the pairs that make a token follow one another in the list, so that it has one rank, and
- the engine makes each token of its own characters (or both ways never make it).

Why: let tokens c and d be side by side whose joined text is the token T. Until then, no merge has reached
over the edges of T, so what happened within them is what happens in T alone: there, too, c and d are the last
two. If the engine goes on to T, that pair is in the list, and both ways merge it, at the same rank.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..bpe.merge_rule import Merging, last_middle
from ..split.patterns import GPT2, known_pattern, usual_spelling
from ..text.spelling import quote
from ..text.text_map import TextMap
from .huggingface import HuggingFaceEncoding, Step, fallback_byte, spell_bytes, steps_of, token_speller
from .piece_merges import PieceForest, PieceMerges
from .sentencepieces import SPACE


class NotDrawnError(Exception):
    """Why the merges of a file are not drawn, to follow "not drawn:"."""


def pairs_of(model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The pairs of tokens that merge, in order."""
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        yield left, right


# Merges of bytes


def merges_of_bytes(
    encoding: HuggingFaceEncoding, content: Mapping[str, Any]
) -> tuple[Merging, str | None, str]:
    """The merges of a byte-level BPE, the pattern that cuts as its pre-tokeniser does, if one is known, and
    what its normaliser is called.

    Raises:
        NotDrawnError: the merges cannot be drawn.
    """
    model, added = content["model"], encoding.token_ids.keys()
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"):
        raise NotDrawnError("its tokens are marked at the ends of words, or are not made of bytes")
    ranks = {spell_bytes(token): i for token, i in model["vocab"].items() if token not in added}
    if len(ranks) < len(model["vocab"].keys() - added):
        raise NotDrawnError("two of its tokens stand for the same bytes")
    if any(bytes([byte]) not in ranks for byte in range(256)):
        raise NotDrawnError("not every byte is one of its tokens")
    if any(spell_bytes(name) != name.encode("utf-8") for name in added):
        raise NotDrawnError("an added token of it is spelled as bytes are")
    if any(token["lstrip"] or token["rstrip"] for token in content["added_tokens"]):
        raise NotDrawnError("an added token of it takes white space")
    forms = [step["type"] for step in steps_of(content["normalizer"])]
    if forms not in ([], ["NFC"], ["NFKC"]):
        raise NotDrawnError("its normaliser does more than NFC or NFKC")
    pattern = _check_cutting(steps_of(content["pre_tokenizer"]))
    _check_merges(encoding, model, ranks, added)
    called = f"the normal form {forms[0]}" if forms else ""
    return Merging(ranks, first_id=min(ranks.values())), pattern, called


def _check_cutting(steps: list[Step]) -> str | None:
    """The one pattern by which a pre-tokeniser cuts, if it is known here."""
    if not any(step["type"] == "ByteLevel" for step in steps):
        raise NotDrawnError("its tokens are not made of bytes")
    if steps[-1]["type"] != "ByteLevel":
        raise NotDrawnError("it cuts a text again once its characters are bytes")
    for step in steps:
        kind = step["type"]
        if kind == "ByteLevel":
            if step.get("add_prefix_space", True):
                raise NotDrawnError("it puts a space in front of a text, which stands nowhere in it")
        elif kind not in ("Split", "Digits", "Punctuation") or step.get("behavior") == "Removed":
            raise NotDrawnError(f"its pre-tokeniser has a step, {kind}, that drops or changes characters")
    *splits, last = steps
    if last.get("use_regex", True):
        return None if splits else GPT2
    if len(splits) != 1 or splits[0].get("behavior") != "Isolated" or splits[0].get("invert"):
        return None
    regex = usual_spelling(splits[0].get("pattern", {}).get("Regex", ""))
    return regex if known_pattern(regex) else None


def _check_merges(
    encoding: HuggingFaceEncoding,
    model: Mapping[str, Any],
    ranks: Mapping[bytes, int],
    added: Collection[str],
) -> None:
    """Refuse a list of merges that does not say the same as the ids of the tokens."""
    vocabulary = model["vocab"]
    last_id = -1
    for left, right in pairs_of(model):
        if left + right in added or left in added or right in added:
            raise NotDrawnError("a merge of it makes an added token")
        if vocabulary[left + right] < last_id:
            raise NotDrawnError("its merges are not in the order of the ids that they make")
        last_id = vocabulary[left + right]
    made = (token for token in vocabulary if token not in added)
    for token in _find_unmade(encoding, made):
        if not model.get("ignore_merges"):
            raise NotDrawnError("some of its tokens are out of its merges' reach")
        if last_middle(spell_bytes(token), ranks):
            raise NotDrawnError("its merges make a token of other parts than the ranks of its tokens would")


def _find_unmade(encoding: HuggingFaceEncoding, tokens: Iterable[str]) -> list[str]:
    """The tokens that the engine does not make of their own characters by merges."""
    model = encoding.engine.model
    looks_up, model.ignore_merges = model.ignore_merges, False
    unmade = [token for token in tokens if len(model.tokenize(token)) != 1]
    model.ignore_merges = looks_up
    return unmade


# Merges of pieces

_FRONT = {"type": "Prepend", "prepend": SPACE}
_SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}


class _PiecesBesideAdded(PieceMerges):
    """Merges of a model that also has added tokens, which are found before any merge.

    Attributes:
        always: added tokens that ``grow`` must refuse.
    """

    always: Sequence[str] = ()

    def grow(self, text: str) -> PieceForest:
        """As ``PieceMerges.grow``.

        Raises:
            ValueError: the text is too long, or contains an added token.
        """
        added = next((name for name in self.always if name in text), None)
        if added is not None:
            raise ValueError(
                f"{quote(added.encode('utf-8'))} is an added token here, which is found before pieces are "
                "joined, so no forest is drawn of a text with it. Take a part without it."
            )
        return super().grow(text)


def merges_of_pieces(encoding: HuggingFaceEncoding, content: Mapping[str, Any]) -> PieceMerges:
    """The merges of a BPE that joins characters, without words, as SentencePiece does: Llama 2's files.

    Raises:
        NotDrawnError: the merges cannot be drawn as such.
    """
    _check_joining(content)
    if token_speller(content["decoder"])(SPACE) != b" ":
        raise NotDrawnError(f"its decoder does not write {SPACE} as a space")
    vocabulary, n_vocab = content["model"]["vocab"], encoding.n_vocab
    special = {token["content"] for token in content["added_tokens"] if token["special"]}
    pieces = [
        encoding.token_bytes(i) if length else b"" for i, length in enumerate(encoding.byte_lengths.tolist())
    ]
    ranks: dict[str, int] = {}
    last = ""
    for number, (left, right) in enumerate(pairs_of(content["model"])):
        if left + right != last and left + right in ranks:
            raise NotDrawnError("its merges are not in the order of the pieces that they make")
        last = left + right
        ranks.setdefault(last, number)
    is_piece = np.zeros(n_vocab, dtype=np.bool_)
    byte_ids: dict[int, int] = {}
    for token, token_id in vocabulary.items():
        byte = fallback_byte(token)
        if byte is not None:
            byte_ids[byte] = token_id
        elif token not in special and (token in ranks or len(token) == 1):
            is_piece[token_id] = True
        elif token in special and token in ranks:
            raise NotDrawnError(f"a merge of it makes the special token {token[:40]}")
    if len(byte_ids) < 256:
        raise NotDrawnError("not every byte is one of its tokens")
    ranks_of_bytes = {pieces[vocabulary[token]]: rank for token, rank in ranks.items()}
    for token in _find_unmade(encoding, ranks):
        piece = pieces[vocabulary[token]]
        if last_middle(piece, ranks_of_bytes, TextMap(piece.decode("utf-8")).byte_of_char.tolist()):
            raise NotDrawnError("its merges make a token of other parts than its ranks would")
    scores = np.zeros(n_vocab)
    scores[[vocabulary[token] for token in ranks]] = [-float(rank) for rank in ranks.values()]
    merges = _PiecesBesideAdded(pieces, scores, is_piece, byte_ids, encoding.read)
    merges.always = [token["content"] for token in content["added_tokens"] if not token["special"]]
    return merges


def _check_joining(content: Mapping[str, Any]) -> None:
    """Refuse a pipeline that does more than to put a space in front and to join pieces."""
    model = content["model"]
    if any(map(model.get, ("end_of_word_suffix", "continuing_subword_prefix", "ignore_merges"))):
        raise NotDrawnError("its tokens are marked at the ends of words, or taken whole")
    if SPACE not in model["vocab"]:
        raise NotDrawnError(f"it has no token {SPACE}")
    normalizer, cutter = content["normalizer"], content["pre_tokenizer"]
    steps = normalizer["normalizers"] if normalizer and normalizer["type"] == "Sequence" else [normalizer]
    no_spaces = {"type": "Split", "pattern": {"String": " "}}  # there are none left
    cuts_nothing = cutter is None or {key: cutter.get(key) for key in no_spaces} == no_spaces
    is_front = steps in ([_FRONT, _SPACES], [_SPACES]) and cuts_nothing
    is_metaspace = normalizer is None and bool(cutter) and cutter["type"] == "Metaspace"
    if not is_front and not (
        is_metaspace and not cutter.get("split", True) and cutter["replacement"] == SPACE
    ):
        raise NotDrawnError("it does more to a text than to write its spaces in another way")
