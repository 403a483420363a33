"""Ids to text as Hugging Face's library decodes them: which bytes does each token give back?

The library's decoders are steps over a list of texts, one for each token at first:

    ByteLevel      each character stands for a byte, by GPT-2's table
    Metaspace      ▁ becomes a space, except at the beginning
    WordPiece      a space before each token, except inside a word, and perhaps before punctuation
    BPEDecoder     the end of a word becomes a space
    ByteFallback   <0xE2> becomes a byte; bytes that are no UTF-8 become U+FFFD, each of them
    Replace        a text becomes another one
    Strip          characters at both ends are taken off
    Fuse           all texts become one

The library says only what all tokens give back together. To know which place of a text does not come back,
the bytes of each are needed, so the steps are done again here. What cannot be known for each token (CTC, and
a Replace by a regular expression) is left to the library.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..lazily import once
from ..text.byte_characters import byte_characters

_REPLACEMENT = "\ufffd".encode()

# What the library's clean-up takes out of a token, in this order.
_CLEAN_UP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


class NotPerTokenError(Exception):
    """What each token gives back cannot be known; the library says what they give back together."""


@functools.cache
def _byte_of() -> dict[str, int]:
    return {character: byte for byte, character in enumerate(byte_characters())}


def spell_bytes(token: str) -> bytes:
    """The bytes that a token's characters stand for; one with other characters is plain text.

    >>> spell_bytes("Ġhi"), spell_bytes("日")
    (b' hi', b'\\xe6\\x97\\xa5')
    """
    try:
        return bytes(map(_byte_of().__getitem__, token))
    except KeyError:
        return token.encode("utf-8")


def fallback_byte(token: str) -> int | None:
    """The byte that a token such as <0xE2> stands for; None: it is another token.

    >>> fallback_byte("<0xE2>"), fallback_byte("<0xZZ>"), fallback_byte("<0x+2>")
    (226, None, None)
    """
    if len(token) != 6 or not token.startswith("<0x") or not token.endswith(">"):
        return None
    digits = token[3:5]
    return int(digits, 16) if all(digit in "0123456789abcdefABCDEF" for digit in digits) else None


def flatten(decoder: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The steps of a decoder, with those of sequences in one list.

    >>> [step["type"] for step in flatten({"type": "Sequence", "decoders": [{"type": "Fuse"}]})]
    ['Fuse']
    """
    if decoder is None:
        return []
    if decoder["type"] == "Sequence":
        return [step for inner in decoder["decoders"] for step in flatten(inner)]
    return [decoder]


class Decoding:
    """The steps of a decoder.

    Args:
        decoder: as tokenizer.json has it; None: tokens are joined by spaces.

    >>> Decoding({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}).parts(["▁a", "▁b"])
    [b'a', b' b']
    """

    def __init__(self, decoder: Mapping[str, Any] | None) -> None:
        self.steps = flatten(decoder)
        self.joins_by_spaces = decoder is None
        self._known: dict[tuple[int, str], str] = {}

    @once
    def _kinds(self) -> frozenset[str]:
        return frozenset(step["type"] for step in self.steps)

    def parts(self, tokens: Sequence[str]) -> list[bytes]:
        """The bytes that each token gives back, which join to what the library decodes.

        Raises:
            NotPerTokenError: it cannot be known for each token.
        """
        if self.joins_by_spaces:
            return [(" " + token if number else token).encode("utf-8") for number, token in enumerate(tokens)]
        parts: list[str] = list(tokens)
        data: list[bytes] | None = None  # once tokens are bytes
        is_one = False
        for number, step in enumerate(self.steps):
            kind = step["type"]
            if kind == "Fuse":
                is_one = True
            elif kind == "Strip" and data is not None:
                _strip_bytes(data, step, is_one)
            elif data is not None or (is_one and kind != "Strip"):
                if kind == "ByteFallback" and data is not None:
                    continue  # nothing is left of its kind
                raise NotPerTokenError
            elif kind == "ByteLevel":
                data = list(map(spell_bytes, parts))
                is_one = True
            elif kind == "ByteFallback":
                data = _from_bytes(parts)
            elif kind == "Strip" and is_one:
                data = [part.encode("utf-8") for part in parts]
                _strip_bytes(data, step, is_one)
            elif kind == "Metaspace":
                mark = step["replacement"]
                strips = bool(parts) and step.get("prepend_scheme", "always") != "never"
                first = parts[0].replace(mark, "") if strips else ""
                parts = self._each(number, parts, _replacing(mark, " "))
                if strips:
                    parts[0] = first
            elif kind == "WordPiece":
                parts = self._pieces(number, parts, step)
            elif kind == "BPEDecoder":
                end = step["suffix"]
                last = parts[-1].replace(end, "") if parts else ""
                parts = self._each(number, parts, _replacing(end, " "))
                parts[-1:] = [last] if parts else []
            elif kind == "Replace" and "String" in step["pattern"]:
                old, new = step["pattern"]["String"], step["content"]
                parts = self._each(number, parts, _replacing(old, new))
            elif kind == "Strip":
                parts = self._each(number, parts, functools.partial(_strip, step))
            else:
                raise NotPerTokenError
        return [part.encode("utf-8") for part in parts] if data is None else data

    def _each(self, number: int, parts: list[str], change: Callable[[str], str]) -> list[str]:
        """A step that does the same to a token wherever it is; done once for each."""
        known = self._known
        changed: list[str] = []
        for part in parts:
            key = number, part
            if key not in known:
                if len(known) > 200_000:
                    known.clear()
                known[key] = change(part)
            changed.append(known[key])
        return changed

    def _pieces(self, number: int, parts: list[str], step: Mapping[str, Any]) -> list[str]:
        prefix, cleans = step["prefix"], step["cleanup"]

        def inside(part: str) -> str:
            part = part.replace(prefix, "", 1) if part.startswith(prefix) else " " + part
            return clean_up(part) if cleans else part

        first = [clean_up(part) if cleans else part for part in parts[:1]]
        return first + self._each(number, parts[1:], inside)

    def token_bytes(self, token: str) -> bytes:
        """What a token stands for within a text, to show it.

        >>> Decoding({"type": "WordPiece", "prefix": "##", "cleanup": True}).token_bytes("##able")
        b'##able'
        """
        kinds = self._kinds
        if "ByteLevel" in kinds:
            return spell_bytes(token)
        if "ByteFallback" in kinds and (byte := fallback_byte(token)) is not None:
            return bytes([byte])
        if not kinds or "WordPiece" in kinds:
            return token.encode("utf-8")
        for step in self.steps:
            if step["type"] == "Metaspace":
                token = token.replace(step["replacement"], " ")
            elif step["type"] == "BPEDecoder":
                token = token.replace(step["suffix"], " ")
            elif step["type"] == "Replace" and "String" in step["pattern"]:
                token = token.replace(step["pattern"]["String"], step["content"])
        return token.encode("utf-8")


def clean_up(token: str) -> str:
    """A token without the spaces that the library takes out before punctuation and in English contractions.

    >>> clean_up(" ,"), clean_up(" n't")
    (',', "n't")
    """
    for old, new in _CLEAN_UP:
        token = token.replace(old, new)
    return token


def _replacing(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def _strip(step: Mapping[str, Any], text: str) -> str:
    char, front, back = step["content"], step["start"], step["stop"]
    start, end = 0, len(text)
    while start < min(front, len(text)) and text[start] == char:
        start += 1
    while len(text) - end < back and end > 0 and text[end - 1] == char:
        end -= 1
    return text[start : max(start, end)]


def _strip_bytes(parts: list[bytes], step: Mapping[str, Any], is_one: bool) -> None:
    """Take characters off both ends: of each part, or of all as one."""
    stripped = step["content"].encode("utf-8")
    if not is_one:
        raise NotPerTokenError
    for count, places, takes_front in (
        (step["start"], range(len(parts)), True),
        (step["stop"], range(len(parts) - 1, -1, -1), False),
    ):
        for place in places:
            while count and parts[place]:
                part = parts[place]
                if not (part.startswith(stripped) if takes_front else part.endswith(stripped)):
                    count = 0
                    break
                parts[place] = part[len(stripped) :] if takes_front else part[: -len(stripped)]
                count -= 1
            if not count:
                break


def _from_bytes(parts: list[str]) -> list[bytes]:
    """Each part in UTF-8. Runs of parts that stand for bytes become those bytes, or a U+FFFD for each."""
    data: list[bytes] = []
    run: list[int] = []

    def end_run() -> None:
        if run:
            try:
                bytes(run).decode("utf-8")
                data.extend(bytes([byte]) for byte in run)
            except UnicodeDecodeError:
                data.extend([_REPLACEMENT] * len(run))
            run.clear()

    for part in parts:
        byte = fallback_byte(part)
        if byte is not None:
            run.append(byte)
        else:
            end_run()
            data.append(part.encode("utf-8"))
    end_run()
    return data
