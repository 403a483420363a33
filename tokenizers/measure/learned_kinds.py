"""What a vocabulary learned along its ranks: which scripts, how much code, digits, blanks and web addresses.

The order of merges follows the frequencies in the corpus, so it is a fingerprint of it, and not its mixture:
that needs the merges of every kind of text, and a linear programme (Hayase and others 2024, "Data Mixture
Inference", arXiv 2407.16607).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import regex

from ..arrays import I64
from ..encoding import Encoding
from ..text.scripts import COMMON, PART_OF_CHARACTER, TOKEN_SCRIPTS
from .vocabulary import TokenIds, Vocabulary, vocabulary_of

BLANKS = "white space"
DIGITS = "digits"
ADDRESSES = "web addresses"
CODE = "code and markup"
SYMBOLS = "other symbols"
OTHER = "other scripts"

_MOST_SCRIPTS = 6
_ADDRESS = regex.compile(r"https?|://|www\.|\.(?:com|org|net|html?|php)\b", regex.IGNORECASE)
# A sign that prose has rarely, or a word with a capital letter inside.
_CODE = regex.compile(r"[_{}()\[\];=<>\\/#$&|*+@^~`]|\p{Ll}\p{Lu}")


class LearnedKinds(NamedTuple):
    """The learned tokens of a vocabulary in stretches of ranks, and how many of each kind there are.

    Attributes:
        ids: the learned tokens in rank order.
        of_ids: the kind of each, as an index into ``kinds``.
        edges: stretch i has the places [edges[i], edges[i + 1]) of ``ids``.
        first_rank: of the first of them: how many tokens there were before.
        kinds: the names.
        counts: shape (stretches, kinds).
    """

    ids: TokenIds
    of_ids: I64
    edges: I64
    first_rank: int
    kinds: tuple[str, ...]
    counts: I64

    def ranks(self, stretch: int) -> range:
        """The ranks of a stretch."""
        begin, end = self.edges[stretch : stretch + 2].tolist()
        return range(self.first_rank + begin, self.first_rank + end)

    def members(self, stretch: int, kind: str) -> list[int]:
        """The ids of a kind in a stretch, in rank order."""
        begin, end = self.edges[stretch : stretch + 2].tolist()
        is_of_kind = self.of_ids[begin:end] == self.kinds.index(kind)
        members: list[int] = self.ids[begin:end][is_of_kind].tolist()
        return members


def learned_kinds(vocabularies: Sequence[Vocabulary], stretches: int = 40) -> list[LearnedKinds]:
    """The kinds of what each vocabulary learned, with the same names for all.

    A token is of the first kind that fits: white space; digits; a part of a web address; code or markup (a
    sign that prose has rarely, or a capital letter inside a word); a script, the most frequent ones by name;
    a part of a character; or else symbols.

    Args:
        vocabularies: of byte pair encodings.
        stretches: into how many the ranks are divided, each as many times as long as the one before.

    Raises:
        ValueError: an encoding that merges no bytes, or has no merges.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.measure import vocabulary_of
    >>> (gpt2,) = learned_kinds([vocabulary_of(get_encoding("gpt2"))], 8)
    >>> gpt2.kinds[:5], int(gpt2.counts.sum())
    (('white space', 'digits', 'web addresses', 'code and markup', 'Latin'), 50000)
    >>> get_encoding("gpt2").decode(gpt2.members(7, "web addresses"))
    ' HTTPSHTTPHttp'
    """
    sorted_out = [vocabulary.encoding.cached(_name_kinds) for vocabulary in vocabularies]
    scripts = {*TOKEN_SCRIPTS} - {COMMON, PART_OF_CHARACTER}
    counted: Counter[str] = Counter()
    for _, names, of_names in sorted_out:
        for name, count in zip(names, np.bincount(of_names).tolist(), strict=True):
            if name in scripts:
                counted[name] += count
    shown = sorted(counted, key=lambda name: (-counted[name], name))[:_MOST_SCRIPTS]
    kinds = (BLANKS, DIGITS, ADDRESSES, CODE, *shown, OTHER, PART_OF_CHARACTER, SYMBOLS)
    found = []
    for vocabulary, (ids, names, of_names) in zip(vocabularies, sorted_out, strict=True):
        merging = vocabulary.encoding.merging
        first_rank = merging.n_letters if merging else 0
        places = np.array([kinds.index(name if name in kinds else OTHER) for name in names], np.int64)
        of_ids = places[of_names]
        ranks = np.geomspace(max(1, first_rank), first_rank + len(ids), stretches + 1)
        edges = np.unique(np.round(ranks).astype(np.int64) - max(1, first_rank))
        counts = [
            np.bincount(of_ids[begin:end], minlength=len(kinds))
            for begin, end in zip(edges.tolist(), edges[1:].tolist(), strict=False)
        ]
        found.append(LearnedKinds(ids, of_ids, edges, first_rank, kinds, np.array(counts, np.int64)))
    return found


def _name_kinds(encoding: Encoding) -> tuple[TokenIds, list[str], I64]:
    """The learned tokens in rank order; the names of kinds and scripts among them; of each, which name."""
    merging = encoding.merging
    if merging is None:
        raise ValueError(f"{encoding.name} does not merge bytes, so it is not shown by ranks.")
    ids = np.sort(np.fromiter(merging.ranks.values(), np.int64))[merging.n_letters :]
    if not len(ids):
        raise ValueError(f"{encoding.name} has learned no merges, so it has no ranks to show.")
    vocabulary = vocabulary_of(encoding)
    name_of_each = [_kind_of(vocabulary, token_id) for token_id in ids.tolist()]
    names, of_names = np.unique(name_of_each, return_inverse=True)
    return ids, names.tolist(), of_names


def _kind_of(vocabulary: Vocabulary, token_id: int) -> str:
    text = vocabulary.texts[token_id]
    if vocabulary.whitespace[token_id]:
        return BLANKS
    if vocabulary.digits[token_id]:
        return DIGITS
    if _ADDRESS.search(text):
        return ADDRESSES
    if _CODE.search(text):
        return CODE
    script = vocabulary.script_of(token_id)
    return SYMBOLS if script == COMMON else script
