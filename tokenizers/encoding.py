"""What an encoding is, and tiktoken's encodings read from files that lie here.

An encoding turns text into token ids and back. Every encoding of this module is a byte-level
BPE, and all of them share one engine, tiktoken's, which merges by the rank of the joined
bytes. What differs is where the ranks come from: tiktoken's own files (this module) or merges
that were learned here (``home.py``).
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import os
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import tiktoken

from .checks import check_list, check_string, check_whole_number, check_whole_numbers, wrong_type
from .split.patterns import CL100K, GPT2, GPT4, GPT4O, engines_agree, split

ASSETS = Path(__file__).resolve().parent.parent / "assets"
ENCODINGS_DIR = ASSETS / "encodings"

Ids = npt.NDArray[np.uint32]
"""Token ids as an array, shape (number of tokens,)."""

AllowedSpecial = Literal["all"] | Collection[str]
"""Which special tokens to recognise in a text: all, or those named. The rest is plain text."""


def well_formed(text: str) -> str:
    """The text as UTF-8 can hold it: surrogate pairs joined, each lone surrogate made U+FFFD.

    A Python string can hold half of a UTF-16 pair; UTF-8 cannot. The rule is tiktoken's own.
    The number of UTF-16 units stays the same, so positions in a browser stay true.

    >>> well_formed("a\\ud83d") == "a\\ufffd"
    True
    >>> well_formed("\\ud83d\\ude00") == "\\U0001f600"
    True
    """
    if not isinstance(text, str):
        raise wrong_type("text", "a string", text)
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def count_lone_surrogates(text: str) -> int:
    """How many characters ``well_formed`` has to replace.

    >>> count_lone_surrogates("\\ud83d\\ude00 \\ud83d")
    1
    """
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.count("\ufffd") - text.count("\ufffd")


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    """Matches any of these texts, and of two that begin alike the longer one; of none: matches nothing.

    Where texts begin alike their common start stands once, as a tree. So a look at a place takes a few
    comparisons, not one for each of thousands of texts.

    >>> _any_of(["<|x", "<|y|>", "<|x|>"]).pattern
    '<\\\\|(?:x(?:\\\\|>)?|y\\\\|>)'
    """
    in_order = sorted(set(names))
    return re.compile(_tree_of(in_order, 0) if in_order else r"(?!)")


_DEEPEST_TREE = 40
"""Nested groups in the pattern of special tokens; many more would be too deep for ``re``."""


def _tree_of(names: Sequence[str], depth: int) -> str:
    """A regular expression for these texts, which are sorted, and of which none occurs twice."""
    if depth == _DEEPEST_TREE:
        return "(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")"
    start = os.path.commonprefix([names[0], names[-1]])
    ends = [name[len(start) :] for name in names]
    ends_here = not ends[0]  # then it is the shortest of them, and comes last
    branches = [
        _tree_of(list(group), depth + 1)
        for _, group in itertools.groupby(filter(None, ends), key=operator.itemgetter(0))
    ]
    if not branches:
        return re.escape(start)
    return f"{re.escape(start)}(?:{'|'.join(branches)}){'?' if ends_here else ''}"


class Encoding:
    """Text to token ids and back, exactly.

    Args:
        name: what people call it.
        engine: a ``tiktoken.Encoding`` with the same ranks and special tokens.
        pattern: the split pattern; None: no walls.
        engine_splits: whether the engine may split the text itself. A pattern that a person
            typed must never reach it: tiktoken drops what a pattern does not match, and an
            empty pattern crashes it.

    Attributes:
        pattern: the split pattern as its authors published it, which ``train`` takes too.
        exact_pattern: the pattern that ``pieces`` goes by. The same, but for cl100k_base in newer versions
            of tiktoken, which never cut the white space at the end of a text.
    """

    def __init__(
        self, name: str, *, engine: tiktoken.Encoding, pattern: str | None, engine_splits: bool = True
    ) -> None:
        self.name = name
        self.pattern = pattern
        self.exact_pattern = CL100K if pattern == GPT4 and r"|\s++$|" in engine._pat_str else pattern
        self.special_tokens: dict[str, int] = dict(engine._special_tokens)
        self._engine = engine
        self._engine_splits = engine_splits

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {self.n_vocab:,} ids>"

    @property
    def n_vocab(self) -> int:
        """One more than the largest id. Some ids below it may be unused, as in cl100k_base."""
        return self._engine.n_vocab

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """The ordinary tokens that can arise: their bytes, and their ranks, which are their ids."""
        ranks: dict[bytes, int] = self._engine._mergeable_ranks
        return ranks

    # Text to ids

    def encode(self, text: str, *, allowed_special: AllowedSpecial = ()) -> list[int]:
        """The ids of ``text``; special tokens in it are plain text unless allowed.

        Lone surrogates are encoded as U+FFFD (see ``well_formed``).

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").encode("hello world")
        [31373, 995]
        >>> get_encoding("gpt2").encode("<|endoftext|>", allowed_special="all")
        [50256]
        """
        ids: list[int] = self.encode_array(text, allowed_special=allowed_special).tolist()
        return ids

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        text = well_formed(text)
        allowed = self._allowed(allowed_special)
        if self._engine_splits:
            try:
                return self._engine.encode_to_numpy(text, allowed_special=allowed, disallowed_special=())
            except ValueError:
                # The engine's regular expressions give up on very long runs of white space
                # (o200k_base: somewhat under a million). Ours do not.
                pass
        return self._encode_by_pieces(text, allowed)

    def _allowed(self, allowed_special: AllowedSpecial) -> set[str]:
        """The special tokens to recognise; names that this encoding does not have mean nothing."""
        if allowed_special == ():
            return set()
        if isinstance(allowed_special, str):
            if allowed_special == "all":
                return set(self.special_tokens)
            raise ValueError(
                f'Give allowed_special as a list, [{allowed_special!r}], or as "all" for every special token.'
            )
        names = check_list(allowed_special, "allowed_special", 'a list of special tokens or as "all"')
        return {
            name for name in names if check_string(name, "each of allowed_special") in self.special_tokens
        }

    def _encode_by_pieces(self, text: str, allowed: set[str]) -> Ids:
        """The same ids, split by ``regex`` here instead of inside the engine."""
        ids: list[int] = []
        seen: dict[str, list[int]] = {}
        for stretch, special_id in self.cut_at_specials(text, allowed):
            if special_id is not None:
                ids.append(special_id)
                continue
            for piece in self.pieces(stretch):
                piece_ids = seen.get(piece)
                if piece_ids is None:
                    piece_ids = seen[piece] = self.encode_piece(piece)
                ids.extend(piece_ids)
        return np.array(ids, dtype=np.uint32)

    def encode_piece(self, piece: str | bytes) -> list[int]:
        """The ids of a stretch without walls, a piece of the split pattern.

        Raises:
            TypeError: neither a string nor bytes.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").encode_piece(" world")
        [995]
        """
        if isinstance(piece, str):
            piece = well_formed(piece)
        elif not isinstance(piece, bytes):
            raise wrong_type("piece", "a string or bytes", piece)
        ids: list[int] = self._engine._encode_single_piece(piece)
        return ids

    def cut_at_specials(self, text: str, allowed: AllowedSpecial = "all") -> Iterator[tuple[str, int | None]]:
        """The stretches of a text, special tokens apart: (stretch, its special id or None).

        >>> from tokenizers import get_encoding
        >>> list(get_encoding("gpt2").cut_at_specials("a<|endoftext|>"))
        [('a', None), ('<|endoftext|>', 50256), ('', None)]
        """
        check_string(text, "text")
        names = self._allowed(allowed)
        end = 0
        if names:
            pattern = self.special_pattern if len(names) == len(self.special_tokens) else _any_of(names)
            for match in pattern.finditer(text):
                yield text[end : match.start()], None
                yield match.group(), self.special_tokens[match.group()]
                end = match.end()
        yield text[end:], None

    @functools.cached_property
    def special_pattern(self) -> re.Pattern[str]:
        """Matches where a text spells a special token, the longest one; without any, it matches nothing.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").special_pattern.findall("a<|endoftext|>b")
        ['<|endoftext|>']
        """
        return _any_of(self.special_tokens)

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text as the engine did that gave it these ids."""
        if not self._engine_splits or engines_agree(text):
            return True
        special = {name for name, token_id in self.special_tokens.items() if token_id in ids}
        return bool(np.array_equal(self._encode_by_pieces(text, special), ids))

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == text``.

        >>> from tokenizers import get_encoding
        >>> get_encoding("cl100k_base").pieces("it's 12345")
        ['it', "'s", ' ', '123', '45']
        """
        return split(check_string(text, "text"), self.exact_pattern)

    # Ids to text

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes that ``ids`` stand for, joined.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        ids = ids if type(ids) is list else check_list(ids, "ids", "a list of token ids")
        try:
            return self._engine.decode_bytes(ids)
        except TypeError:
            return self.decode_bytes(check_whole_numbers(ids, "ids"))  # says which one is none
        except (KeyError, OverflowError):
            return b"".join(map(self.token_bytes, ids))  # names the id that is at fault

    def decode(self, ids: Iterable[int]) -> str:
        """The text that ``ids`` stand for; bytes that are no valid UTF-8 become U+FFFD.

        Raises:
            ValueError: an id that this encoding does not have; names it.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").decode([31373, 995])
        'hello world'
        >>> get_encoding("gpt2").decode([50257])
        Traceback (most recent call last):
        ...
        ValueError: gpt2 has no token 50257: its ids run from 0 to 50256.
        """
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for: bytes, not always whole characters.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        try:
            if 0 <= token_id < self.n_vocab:
                return self._engine.decode_single_token_bytes(token_id)
        except TypeError:
            raise wrong_type("token_id", "a whole number", token_id) from None
        except KeyError:
            raise ValueError(
                f"{self.name} has no token {token_id}: ids run from 0 to {self.n_vocab - 1}, and this "
                "is one of the unused ones."
            ) from None
        raise ValueError(f"{self.name} has no token {token_id}: its ids run from 0 to {self.n_vocab - 1}.")

    # One token

    def token_id(self, token_bytes: bytes) -> int | None:
        """The id of the ordinary token that stands for exactly these bytes, or None.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").token_id(b" world"), get_encoding("gpt2").token_id(b"gibberish")
        (995, None)
        """
        if not isinstance(token_bytes, bytes):
            raise wrong_type("token_bytes", "bytes", token_bytes)
        return self.mergeable_ranks.get(token_bytes)

    def rank(self, token_id: int) -> int | None:
        """The order in which the token's merge was learned; None for bytes and special tokens.

        Ranks are numbered as in a .tiktoken file, the 256 bytes first, so a rank equals its id.
        """
        if self.is_special(token_id) or len(self.token_bytes(token_id)) == 1:
            return None
        return token_id

    def is_special(self, token_id: int) -> bool:
        """Whether the id is a special token's."""
        if not isinstance(token_id, int):
            token_id = check_whole_number(token_id, "token_id")
        return token_id in self._special_ids

    @functools.cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self.special_tokens.values())

    @functools.cached_property
    def byte_lengths(self) -> npt.NDArray[np.uint32]:
        """Bytes in each token, shape (n_vocab,), indexed by id; 0: no such token.

        Of an id that several special tokens share, as 200018 in o200k_harmony, those of the last one;
        ``lengths_in`` looks at the text, and is right for each.

        From ids to byte offsets is one look-up and one running sum:

        >>> from tokenizers import get_encoding
        >>> enc = get_encoding("gpt2")
        >>> enc.byte_lengths[enc.encode_array("hello world")].cumsum().tolist()
        [5, 11]
        """
        ranks = self._engine._mergeable_ranks
        lengths = np.zeros(self.n_vocab, dtype=np.uint32)
        ids = np.fromiter(ranks.values(), dtype=np.int64, count=len(ranks))
        lengths[ids] = np.fromiter(map(len, ranks), dtype=np.uint32, count=len(ranks))
        for special, token_id in self.special_tokens.items():
            lengths[token_id] = len(special.encode("utf-8"))
        return lengths

    @functools.cached_property
    def _special_names(self) -> dict[int, list[bytes]]:
        """The ids that several special tokens share, as o200k_harmony's 200018, with their bytes."""
        names: dict[int, list[bytes]] = {}
        for special, token_id in self.special_tokens.items():
            names.setdefault(token_id, []).append(special.encode("utf-8"))
        return {token_id: found for token_id, found in names.items() if len(found) > 1}

    def lengths_in(self, ids: Ids, data: bytes) -> npt.NDArray[np.int64]:
        """Bytes that each of ``ids`` covers in the text ``data`` which they encode, shape (n,)."""
        lengths = self.byte_lengths[ids].astype(np.int64)
        if self._special_names:
            starts = np.cumsum(lengths) - lengths
            shift = 0  # how far the tokens so far were longer than assumed
            for i in np.flatnonzero(np.isin(ids, list(self._special_names))):
                for name in self._special_names[int(ids[i])]:
                    if data.startswith(name, int(starts[i]) + shift):
                        shift += len(name) - int(lengths[i])
                        lengths[i] = len(name)
                        break
        return lengths


# tiktoken's encodings, offline

_GPT2_VOCAB = "6d1cbeee0f20b3d9449abfede4726ed8212e3aee"
_GPT2_ENCODER = "6c7ea1a7e38e3a7f062df639a5b80947f075ffe6"
_R50K = "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4"
_P50K = "ec7223a39ce59f226a68acc30dc1af2788490e15"
_CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"

# Each rank file, named as tiktoken's cache names it, with the SHA-256 that tiktoken expects.
RANK_FILES: dict[str, str] = {
    _GPT2_VOCAB: "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    _GPT2_ENCODER: "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    _R50K: "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    _P50K: "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    _CL100K: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    _O200K: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}

# name: (split pattern, rank files)
TIKTOKEN_ENCODINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "gpt2": (GPT2, (_GPT2_VOCAB, _GPT2_ENCODER)),
    "r50k_base": (GPT2, (_R50K,)),
    "p50k_base": (GPT2, (_P50K,)),
    "p50k_edit": (GPT2, (_P50K,)),
    "cl100k_base": (GPT4, (_CL100K,)),
    "o200k_base": (GPT4O, (_O200K,)),
    "o200k_harmony": (GPT4O, (_O200K,)),
}

_environment = threading.Lock()


def load_tiktoken(name: str, folder: Path = ENCODINGS_DIR) -> Encoding:
    """One of tiktoken's encodings, from the rank files in ``folder``; never from the network.

    tiktoken deletes a cached file whose hash is wrong and then downloads it, so each file is
    checked here first.

    Raises:
        ValueError: no such encoding, or a rank file is damaged; names the file.
        OSError: a rank file is missing or unreadable; names it.
    """
    if name not in TIKTOKEN_ENCODINGS:
        raise ValueError(f"tiktoken has no encoding {name!r} here; it has {', '.join(TIKTOKEN_ENCODINGS)}.")
    pattern, files = TIKTOKEN_ENCODINGS[name]
    for file in files:
        _check_rank_file(folder / file, name)
    # tiktoken reads its cache folder from the environment, for the whole process.
    with _environment:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        try:
            engine = tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before
    return Encoding(name, engine=engine, pattern=pattern)


def _check_rank_file(path: Path, name: str) -> None:
    """Raise unless the file is there and its bytes are the ones that tiktoken expects."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise OSError(
            f"{name} cannot be loaded: its rank file {path} is missing or unreadable ({problem.strerror}). "
            "Restore it from the repository: git checkout -- assets/encodings"
        ) from None
    if hashlib.sha256(data).hexdigest() != RANK_FILES[path.name]:
        raise ValueError(
            f"{name} cannot be loaded: its rank file {path} is damaged (its SHA-256 is not the published "
            "one). Restore it from the repository: git checkout -- assets/encodings"
        )


def engine_from_ranks(
    name: str, ranks: dict[bytes, int], special_tokens: dict[str, int], pattern: str
) -> tiktoken.Encoding:
    """tiktoken's engine over ranks of our own. ``pattern`` must be one of ours, never a user's."""
    arguments: dict[str, Any] = {"mergeable_ranks": ranks, "special_tokens": special_tokens}
    return tiktoken.Encoding(name, pat_str=pattern, **arguments)
