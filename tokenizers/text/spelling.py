"""How a token is spelt for people, in one way everywhere.

A space is ·, a line feed ⏎ and a tab →. Any other character that draws nothing, or not the same in all fonts,
is its name or its number: ⟨CR⟩, ⟨NBSP⟩, ⟨U+3000⟩. A combining mark at the start is on a dotted circle: ◌́.
Bytes that are not whole characters are in hex, and no text: ⟨0xec 95⟩.

assets/components/common/spelling.js does the same in the browser; tests/spelling.json holds both to it.
"""

from __future__ import annotations

import re
import unicodedata

from ..utf8 import text_of

LONGEST_QUOTE = 40
"""Characters that are quoted of a token or a piece, or bytes in hex; of a longer one, its ends."""

_UNSEEN = re.compile(
    "[\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI "
    "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
_ALIASES = "DEL NEL NBSP SHY ZWSP ZWNJ ZWJ LRM RLM LRE RLE PDF LRO RLO WJ LRI RLI FSI PDI VS16 BOM"
SHORT_NAMES = {
    **dict(enumerate(_CONTROLS.split())),
    **{ord(unicodedata.lookup(alias)): alias for alias in _ALIASES.split()},
    **{0x2028: "LSEP", 0x2029: "PSEP"},
}
"""Abbreviations of characters that cannot be seen, by number."""

_GLYPHS = {" ": "·", "\n": "⏎", "\t": "→"}


def spell_text(text: str) -> str:
    """A text with all of its characters seen.

    >>> print(spell_text("the cat\\r\\n"), spell_text("a\\u200db\\u3000"))
    the·cat⟨CR⟩⏎ a⟨ZWJ⟩b⟨U+3000⟩
    """
    return _UNSEEN.sub(_spell_character, text)


def spell_alone(text: str) -> str:
    """A text that stands by itself, as in a cell: a combining mark at its start is on a dotted circle.

    >>> print(spell_alone("\u0e48"), spell_alone("e\u0301"), spell_alone("\ufe0f"))
    ◌่ é ⟨VS16⟩
    """
    spelt = spell_text(text)
    return f"◌{spelt}" if unicodedata.category(spelt[:1] or "a").startswith("M") else spelt


def isolate(text: str) -> str:
    """A person's words for a sentence, which keeps its order around them, whatever direction they run in.

    Only what has a character that is written from right to left is put between marks (FSI and PDI).

    >>> isolate("abc"), isolate("\u05e9") == "\u2068\u05e9\u2069"
    ('abc', True)
    """
    return f"\u2068{text}\u2069" if _RIGHT_TO_LEFT.search(text) else text


def _spell_character(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _GLYPHS.get(character) or f"⟨{SHORT_NAMES.get(code) or f'U+{code:04X}'}⟩"


def spell_change(was: str, became: str) -> tuple[str, str]:
    """A stretch of text and what it became, so that one sees the difference.

    If both look the same, as é of one character and of two, characters that are not ASCII are written as
    numbers. So is a fraction slash, because between digits fonts would draw it as a fraction again.

    >>> spell_change("e\u0301", "\xe9"), spell_change("½", "1\u20442")
    (('e⟨U+0301⟩', '⟨U+00E9⟩'), ('½', '1⟨U+2044⟩2'))
    """
    if unicodedata.normalize("NFC", was) != unicodedata.normalize("NFC", became):
        return was, became.replace("\u2044", "⟨U+2044⟩")
    one, other = (
        "".join(char if char.isascii() else f"⟨U+{ord(char):04X}⟩" for char in text) for text in (was, became)
    )
    return one, other


def spell_token(token_bytes: bytes) -> str:
    """A token's text, with all of its characters seen, or its bytes in hex.

    >>> print(spell_token(b" the\\n"), spell_token(b"\\xec\\x95"), spell_token(b"\\x00"))
    ·the⏎ ⟨0xec 95⟩ ⟨NUL⟩
    """
    text = text_of(token_bytes)
    return f"⟨0x{token_bytes.hex(' ')}⟩" if text is None else spell_alone(text)


def quote(token: bytes | str) -> str:
    """A token, or a whole piece, for a sentence; of a long one, its ends.

    >>> print(quote(b" the"), quote("\\u0939".encode()[:2]), quote(b"=" * 50))
    “·the” bytes e0 a4 “====================…====================”
    """
    token_bytes = token if isinstance(token, bytes) else token.encode("utf-8", "replace")
    half = LONGEST_QUOTE // 2
    text = text_of(token_bytes)
    if text is not None:
        if len(text) > LONGEST_QUOTE:
            return f"“{isolate(f'{spell_alone(text[:half])}…{spell_text(text[-half:])}')}”"
        return f"“{isolate(spell_alone(text))}”"
    digits = token_bytes.hex(" ")
    if len(token_bytes) > LONGEST_QUOTE:
        digits = f"{token_bytes[:half].hex(' ')} … {token_bytes[-half:].hex(' ')}"
    return f"{'byte' if len(token_bytes) == 1 else 'bytes'} {digits}"


def name_token(token: bytes) -> str:
    """A token in the middle of a sentence.

    >>> print(name_token(b" the"), name_token("\\u0939".encode()[:2]), sep="; ")
    token “·the”; token of the bytes e0 a4
    """
    return f"token {'of the ' if text_of(token) is None else ''}{quote(token)}"


# GPT-2's characters for bytes, in which the files of byte-level encodings write their tokens


def byte_characters() -> list[str]:
    """The character that stands for each byte.

    The 188 bytes that are visible characters stay as they are; the others become U+0100 and following. So a
    blank is a Ġ.

    >>> "".join(byte_characters()[byte] for byte in "hi é".encode())
    'hiĠÃ©'
    """
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in visible else next(others)) for byte in range(256)]
