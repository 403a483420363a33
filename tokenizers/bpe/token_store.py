"""Every token of a home-trained encoding as a tree of merges, and the bytes of those that are short.

Without walls a token can grow to the whole text, a little longer with each merge: 8,000 merges on
20,000 characters have tokens of 46 MB together, and 100,000 merges on a million characters have
several GB. As trees, they take two ids and a length for each merge. So bytes are kept for the first
tokens only, as long as they stay below ``MAX_TOKEN_BYTES`` together; nearly every encoding has no
others. A later token is spelled out when somebody asks for it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from ..amounts import bytes_in_words
from ..lazily import once
from .plain import Pair

MAX_TOKEN_BYTES = 1 << 25
"""Bytes that are kept, of the first tokens together."""

MAX_TOKEN_LENGTH = 1 << 30
"""Bytes in one token: more than any text here has. (30 lines of a file, each of them doubling a
token, could ask for a gigabyte.)"""

_MODULUS = (1 << 61) - 1  # a prime; the hash of some bytes is their value as one number, modulo this


class TokenStore:
    """Tokens by id: the 256 bytes, then one for each merge.

    Args:
        merges: the first pairs, in rank order; ``append`` adds one more.

    Raises:
        ValueError: a merge of ids that are not there yet, or a token beyond ``MAX_TOKEN_LENGTH``.

    >>> store = TokenStore([(104, 105), (256, 33)])
    >>> store.bytes_of(257), len(store), store.lengths[257]
    (b'hi!', 258, 3)
    """

    def __init__(self, merges: Iterable[Pair] = ()) -> None:
        self.merges: list[Pair] = []
        self.lengths: array[int] = array("q", [1]) * 256
        """Bytes in each token, by id."""
        self.kept = [bytes([byte]) for byte in range(256)]
        """The bytes of the first tokens, by id."""
        self._room = MAX_TOKEN_BYTES - 256
        for pair in merges:
            self.append(pair)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def keeps_all(self) -> bool:
        """Whether the bytes of every token are kept."""
        return len(self.kept) == len(self.lengths)

    def append(self, pair: Pair) -> int:
        """Add the token that a merge makes, and return its id.

        Raises:
            ValueError: ids that are not there yet, or a token beyond ``MAX_TOKEN_LENGTH``.
        """
        left, right = pair
        new_id = len(self.lengths)
        if not (0 <= left < new_id and 0 <= right < new_id):
            raise ValueError(
                f"Merge {new_id - 255:,} joins the tokens {left} and {right}, but only 0 to {new_id - 1} "
                "exist by then. The merges are damaged or out of order."
            )
        length = self.length_of(pair)
        if length > MAX_TOKEN_LENGTH:
            raise ValueError(
                f"Merge {new_id - 255:,} makes a token of more than {bytes_in_words(MAX_TOKEN_LENGTH)}. That "
                "is no vocabulary that text could have grown."
            )
        self.merges.append(pair)
        self.lengths.append(length)
        if self._room >= 0:  # once a token did not fit, no later one is kept
            self._room -= length
            if self._room >= 0:
                self.kept.append(self.kept[left] + self.kept[right])
        return new_id

    def length_of(self, pair: Pair) -> int:
        """Bytes that the two tokens have together."""
        return self.lengths[pair[0]] + self.lengths[pair[1]]

    def bytes_of(self, token_id: int) -> bytes:
        """What a token stands for.

        Work and memory grow with its length and with how many different tokens it is made of.
        """
        kept, lengths = self.kept, self.lengths
        if token_id < len(kept):
            return kept[token_id]
        data = memoryview(bytearray(lengths[token_id]))
        written: dict[int, int] = {}  # where each long token inside was spelled out first
        stack, at = [token_id], 0
        while stack:
            current = stack.pop()
            length = lengths[current]
            if current < len(kept):
                data[at : at + length] = kept[current]
            elif current in written:
                start = written[current]
                data[at : at + length] = data[start : start + length]
            else:
                written[current] = at
                stack += reversed(self.merges[current - 256])
                continue
            at += length
        return bytes(data)

    def ends_of(self, size: int) -> tuple[list[bytes], list[bytes]]:
        """The first and the last ``size`` bytes of every token, by id, without spelling any out.

        >>> heads, tails = TokenStore([(104, 105), (256, 33)]).ends_of(2)
        >>> heads[257], tails[257]
        (b'hi', b'i!')
        """
        heads = [bytes([byte])[:size] for byte in range(256)]
        tails = heads.copy()
        for left, right in self.merges:
            fits_left, fits_right = self.lengths[left] >= size, self.lengths[right] >= size
            heads.append(heads[left] if fits_left else (heads[left] + heads[right])[:size])
            tails.append(
                tails[right] if fits_right else (tails[left] + tails[right])[-size:] if size else b""
            )
        return heads, tails

    def containing(self, needle: bytes) -> list[int]:
        """The ids of all tokens whose bytes contain ``needle``, without spelling any out.

        A token contains what one of its parts contains, and what reaches across the place where they meet.

        >>> TokenStore([(104, 105), (256, 33), (257, 257)]).containing(b"i!")
        [257, 258]
        """
        if self.keeps_all:
            return [token_id for token_id, token in enumerate(self.kept) if needle in token]
        size = len(needle) - 1
        if size < 0:
            return list(range(len(self)))
        heads, tails = self.ends_of(size)
        contains = bytearray(bytes([byte]) == needle for byte in range(256))
        for left, right in self.merges:
            contains.append(contains[left] or contains[right] or needle in tails[left] + heads[right])
        return [token_id for token_id, does in enumerate(contains) if does]

    def hashes(self) -> array[int]:
        """A hash of every token's bytes, by id, from its parts and without spelling any out.

        h(left + right) = h(left) × 256^len(right) + h(right), modulo a prime.
        """
        hashes, shifts = array("q", range(256)), array("q", [256]) * 256
        for left, right in self.merges:
            hashes.append((hashes[left] * shifts[right] + hashes[right]) % _MODULUS)
            shifts.append(shifts[left] * shifts[right] % _MODULUS)
        return hashes


def hash_of(data: bytes) -> int:
    """The hash that a token of these bytes has in ``TokenStore.hashes``.

    >>> hash_of(b"hi!") == TokenStore([(104, 105), (256, 33)]).hashes()[257]
    True
    """
    return int.from_bytes(data, "big") % _MODULUS


class StoredRanks(Mapping[bytes, int]):
    """Ranks by bytes, as tiktoken has them, where not every token's bytes are kept.

    Iterating over the keys spells out every token, which can take more memory or time than there is: call
    ``HomeEncoding.check_spelled_out`` first.

    Args:
        ranks: of the tokens whose bytes are kept.
        store: all tokens.
        later: the ids of the other ones that a text can have.
    """

    def __init__(self, ranks: Mapping[bytes, int], store: TokenStore, later: Iterable[int]) -> None:
        self._ranks = ranks
        self._store = store
        self._later = np.fromiter(later, dtype=np.int64)

    @once
    def _by_hash(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The hashes of the later tokens, sorted, and which token has each."""
        hashes = np.array(self._store.hashes(), dtype=np.int64)[self._later]
        order = np.argsort(hashes)
        return hashes[order], self._later[order]

    @once
    def _later_lengths(self) -> set[int]:
        return {self._store.lengths[token_id] for token_id in self._later.tolist()}

    def __getitem__(self, data: bytes) -> int:
        rank = self._ranks.get(data)
        if rank is not None:
            return rank
        if len(data) in self._later_lengths:
            hashes, token_ids = self._by_hash
            wanted = hash_of(data)
            first, after = (np.searchsorted(hashes, wanted, side) for side in ("left", "right"))
            for token_id in token_ids[first:after].tolist():
                # Equal hashes prove nothing: compare the bytes.
                if self._store.lengths[token_id] == len(data) and self._store.bytes_of(token_id) == data:
                    return int(token_id)
        raise KeyError(data)

    def __iter__(self) -> Iterator[bytes]:
        yield from self._ranks
        yield from map(self._store.bytes_of, self._later.tolist())

    def __len__(self) -> int:
        return len(self._ranks) + len(self._later)
