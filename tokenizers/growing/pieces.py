"""SentencePiece's own trainer: BPE and Unigram.

BPE begins with single characters and joins the pair that occurs side by side most often, again and again.
Unigram begins with very many pieces, gives each a probability, and drops those that the text needs least,
until few enough are left.

Source: Kudo and Richardson 2018, SentencePiece, arXiv:1808.06226; Kudo 2018, arXiv:1804.10959; the settings:
https://github.com/google/sentencepiece/blob/master/doc/options.md.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .library_log import follow
from .lines import LONGEST_LINE, cut_lines

Normalisation = Literal["identity", "nfkc", "nmt_nfkc", "nmt_nfkc_cf"]
"""What a text goes through first: the library's own names."""

NORMALISATIONS: tuple[Normalisation, ...] = ("identity", "nfkc", "nmt_nfkc", "nmt_nfkc_cf")

LEAST_COVERAGE = 0.98
"""SentencePiece takes no smaller share."""


@dataclass(frozen=True, slots=True)
class Learning:
    """How far a trainer is.

    Attributes:
        n_tokens: tokens of the vocabulary so far. Those of a Unigram fall.
        newest: the piece that was learned last; empty: the library does not say.
    """

    n_tokens: int
    newest: str = ""


def learn_pieces(
    texts: Iterable[str],
    vocab_size: int,
    kind: Literal["bpe", "unigram"],
    *,
    coverage: float = 0.9995,
    byte_fallback: bool = True,
    normalisation: Normalisation = "identity",
    split_digits: bool = True,
    special_tokens: Sequence[str] = (),
    on_progress: Callable[[Learning], object] | None = None,
) -> bytes:
    """The content of a SentencePiece model that was learned from some texts.

    The same texts and settings give the same pieces and scores: one thread learns them, from all lines. If
    the text does not hold as many pieces, the model has fewer.

    Args:
        texts: what to learn from. They are cut into lines, see ``cut_lines``.
        vocab_size: tokens in all: <unk>, <s>, </s>, the special tokens, the bytes, characters and pieces.
        kind: of the model.
        coverage: the share of the characters of the text that get a piece of their own, from 0.98 to 1; the
            rarest are left out.
        byte_fallback: whether a character without a piece becomes its bytes, which are 256 tokens. Otherwise
            it is unknown.
        normalisation: what a text goes through first. With "identity", spaces stay as they are too.
        split_digits: whether every digit is a piece of its own.
        special_tokens: control pieces, which no text becomes by itself.
        on_progress: called while it learns. It listens to the process's standard error, so this is for
            processes that do nothing else.

    Raises:
        ValueError: the vocabulary is too small for these texts, or there is nothing in them; says what to do.
        OSError: the library is not installed.

    >>> model = learn_pieces(["a rose is a rose is a rose"], 273, "bpe")
    >>> from tokenizers.files.sentencepiece_file import from_bytes
    >>> enc = from_bytes(model, "rose")
    >>> enc.n_vocab, [enc.token_bytes(token_id) for token_id in enc.encode("a rose")]
    (273, [b' a', b' rose'])
    """
    specials = list(special_tokens)
    check_piece_specials(specials)
    if kind not in ("bpe", "unigram"):
        raise ValueError(f"SentencePiece learns no model of the kind {kind!r} here: choose bpe or unigram.")
    if normalisation not in NORMALISATIONS:
        raise ValueError(f"There is no normalisation {normalisation!r}: choose {', '.join(NORMALISATIONS)}.")
    if not LEAST_COVERAGE <= coverage <= 1:
        raise ValueError("The pieces can cover from 98% to 100% of the characters of the text.")
    try:
        import sentencepiece
    except ImportError:
        raise OSError(
            "This is learned by the library sentencepiece, which is not installed: pip install sentencepiece"
        ) from None
    is_plain = normalisation == "identity"
    model = io.BytesIO()
    settings: dict[str, Any] = {
        "sentence_iterator": cut_lines(texts),
        "model_writer": model,
        "model_type": kind,
        "vocab_size": vocab_size,
        "character_coverage": coverage,
        "byte_fallback": byte_fallback,
        "normalization_rule_name": normalisation,
        "split_digits": split_digits,
        # Code has spaces at a line's start, and several in a row. The library would drop them by default, as
        # a part of its default normalisation.
        "remove_extra_whitespaces": not is_plain,
        "allow_whitespace_only_pieces": is_plain,
        "control_symbols": specials,
        "hard_vocab_limit": False,  # fewer pieces, if there are no more, in place of an error
        "max_sentence_length": LONGEST_LINE,
        "num_threads": 1,  # the model of a Unigram depends on how many there are
        "minloglevel": 2 if on_progress is None else 0,
    }
    log = _Log(len(specials) + 3 + 256 * byte_fallback, on_progress) if on_progress is not None else None
    try:
        with follow(log.read) if log is not None else contextlib.nullcontext():
            sentencepiece.SentencePieceTrainer.train(**settings)
    except (RuntimeError, OSError) as problem:
        raise ValueError(_in_words(str(problem), byte_fallback)) from None
    return model.getvalue()


_OWN_PIECES = re.compile(r"<unk>|<s>|</s>|<0x[0-9A-Fa-f]{2}>")


def check_piece_specials(special_tokens: Iterable[str]) -> None:
    """Refuse special tokens that SentencePiece has pieces of its own for.

    >>> check_piece_specials(["<|end|>", "<s>"])
    Traceback (most recent call last):
    ...
    ValueError: SentencePiece has a <s> of its own. Give the special token another name, or leave it out.
    """
    for special in special_tokens:
        if _OWN_PIECES.fullmatch(special):
            raise ValueError(
                f"SentencePiece has a {special} of its own. Give the special token another name, or leave it "
                "out."
            )


class _Log:
    """Reads what the library writes while it learns.

    Args:
        n_given: tokens that are there before anything is learned: special ones and bytes.
        on_progress: see ``learn_pieces``.
    """

    _ALPHABET = re.compile(r"Alphabet size=(\d+)")
    _MERGED = re.compile(r"Merged: .*merges=(\d+) piece=(.*)")
    _SIZE = re.compile(r"EM sub_iter=\d+ size=(\d+)")

    def __init__(self, n_given: int, on_progress: Callable[[Learning], object]) -> None:
        self._n_given = n_given
        self._on_progress = on_progress

    def read(self, line: str) -> None:
        """Take note of a line."""
        if match := self._ALPHABET.search(line):
            self._n_given += int(match[1])
        elif match := self._MERGED.search(line):
            self._on_progress(Learning(self._n_given + int(match[1]), match[2].strip("\n")))
        elif match := self._SIZE.search(line):
            self._on_progress(Learning(self._n_given + int(match[1])))


def _in_words(problem: str, byte_fallback: bool) -> str:
    """What the library's trainer says, as a sentence that says what to do.

    >>> print(_in_words("INTERNAL: x.cc(638) [a <= b] Vocabulary size is smaller than required_chars. "
    ...                 "20 vs 65. Increase vocab_size or decrease character_coverage", False))
    The vocabulary has to hold every character that is covered: with the special tokens, that is 65 tokens, \
and 20 are asked for. Choose 66 or more, or a smaller character coverage.
    >>> print(_in_words("INTERNAL: src/trainer.cc(1) [(a) > (b)] Something is odd.", True))
    SentencePiece’s trainer gave up: “Something is odd.” Change the text or the settings.
    """
    if match := re.search(r"smaller than required_chars\. (\d+) vs (\d+)", problem):
        given, needed = map(int, match.groups())
        also = "the special tokens and the 256 bytes" if byte_fallback else "the special tokens"
        return (
            f"The vocabulary has to hold every character that is covered: with {also}, that is {needed:,} "
            f"tokens, and {given:,} are asked for. Choose {needed + 1:,} or more, or a smaller character "
            "coverage."
        )
    if match := re.search(r"Vocabulary size too high \((\d+)\)\. .*<= (\d+)", problem):
        given, most = map(int, match.groups())
        return (
            f"The text holds {most:,} pieces, and {given:,} are asked for. Choose {most:,} or fewer, or more "
            "text."
        )
    if "!sentences_.empty()" in problem or "all_chars_count" in problem:
        return "There is nothing to learn from: the text holds nothing but white space. Choose more text."
    if match := re.search(r"(\S.*) is already defined", problem.partition("INTERNAL: ")[2]):
        return f"The special token {match[1]} is there already. Give it another name, or leave it out."
    sentence = re.sub(r"^[A-Z_]+: (?:\S+\(\d+\) )?(?:\[.*\] ?)?", "", problem).strip() or problem.strip()
    return f"SentencePiece’s trainer gave up: “{sentence[:300]}” Change the text or the settings."
