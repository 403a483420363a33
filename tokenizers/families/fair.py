"""Byte pair encoding that is fair to languages: each merge is learned from the text that is worst off.

Plain BPE joins the pair that occurs most often in all texts together, so the language with the most text gets
most of the merges. Parity-aware BPE (Foroutan and others 2025, arXiv 2508.04796) looks which text has been
shortened least so far, and joins the most frequent pair of that one. On translations of one text, this means:
which has the most tokens. The trainer is Hugging Face's; what it learns is an ordinary byte-level BPE.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..bpe import HomeEncoding
from ..bpe.plain import Pair
from ..split import find_pattern, split
from .huggingface_engine import huggingface_engine, spell_bytes


def learn_fair(
    texts: Sequence[Sequence[str]],
    vocab_size: int,
    pattern: str | None = "gpt4o",
    special_tokens: Sequence[str] = (),
) -> HomeEncoding:
    """Learn a byte-level BPE in which all languages need about as many tokens for the same words.

    Args:
        texts: the texts of each language, at least two languages: translations of the same text.
        vocab_size: tokens in all: the 256 bytes, the merges and the special tokens.
        pattern: the split pattern, as in ``tokenizers.train``.
        special_tokens: they come after the merges.

    Raises:
        ValueError: there are fewer than two languages, no walls, or no room for a merge.
        OSError: the library is not installed.

    >>> from tokenizers.data import get_language
    >>> texts = [[get_language(code).text] for code in ("eng", "mya")]
    >>> fair = learn_fair(texts, 1024)
    >>> [len(fair.encode(text)) for text, in texts]
    [4610, 4616]
    """
    if len(texts) < 2:
        raise ValueError(
            "Fair BPE divides the merges among languages: choose at least two, of the same text."
        )
    n_merges = vocab_size - 256 - len(special_tokens)
    if n_merges < 1:
        raise ValueError(
            f"A vocabulary of {vocab_size:,} tokens has no room for a merge: choose a larger one."
        )
    engine = huggingface_engine()
    regex = find_pattern(pattern)
    if regex is None:
        raise ValueError("Fair BPE needs walls between pieces: choose a split pattern.")
    pieces = [[piece for text in each for piece in split(text, regex)] for each in texts]
    learner = engine.Tokenizer(engine.models.BPE())
    learner.pre_tokenizer = engine.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = engine.trainers.ParityBpeTrainer(
        num_merges=n_merges,
        show_progress=False,
        initial_alphabet=engine.pre_tokenizers.ByteLevel.alphabet(),
    )
    trainer.train_from_iterator(learner, train_iterators=pieces, dev_iterators=pieces)
    merges = _read_merges(json.loads(learner.to_str())["model"]["merges"])
    stopped = None
    if len(merges) < n_merges:
        stopped = (
            f"Stopped after {len(merges):,} of {n_merges:,} merges: the texts have nothing more to learn."
        )
    return HomeEncoding(merges, pattern, special_tokens, name="fair", stopped=stopped)


def _read_merges(written: Sequence[tuple[str, str]]) -> list[Pair]:
    """The pairs of ids in the library's merges, which are of characters that stand for bytes."""
    ids = {bytes([byte]): byte for byte in range(256)}
    merges: list[Pair] = []
    for both in written:
        left, right = map(spell_bytes, both)
        merges.append((ids[left], ids[right]))
        ids.setdefault(left + right, 255 + len(merges))
    return merges
