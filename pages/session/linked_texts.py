"""Own texts in a link to a page, if they are short together, and in a bundle.

Where it is opened, they are added to the session's own, and chosen on the page. A link that does not hold
them has their titles, and the page says that they are not here.
"""

from __future__ import annotations

from collections.abc import Mapping

from pages.session.links import LONGEST_STATE, pack_state, unpack_state
from pages.session.own_texts import PLAYGROUND, OwnTexts
from pages.session.page_state import Link, LinkValues
from tokenizers.json_types import JsonMapping

TEXTS = "texts"
"""The parameter of a page's URL with the texts."""

_NAME_TEXTS = ("compared", "text", "beside", "only", "focus")
"""The parameters with keys of texts, of pages that have ``SENDS_TEXTS``."""


def texts_of(own: OwnTexts, values: LinkValues) -> dict[str, list[str]]:
    """Title and text of the own texts that a link names, by key."""
    link = Link(values)
    keys = [key for name in _NAME_TEXTS for key in link.texts(name)]
    return {key: [own[key].title, own[key].text] for key in keys if key in own}


def with_texts(values: LinkValues, own: OwnTexts) -> LinkValues:
    """The values of a link with the own texts that they name, or with titles in place of their keys.

    >>> own = OwnTexts(lambda: "")
    >>> keys = [own.add("notes", "a text"), "prose"]
    >>> receiver = OwnTexts(lambda: "")
    >>> receiver.add("mine", "another text"), add_linked(with_texts({"text": keys}, own), receiver)
    ('own-1', {'text': ['own-2', 'prose']})
    >>> keys.append(own.add("book", "".join(map(chr, range(20_000)))))
    >>> with_texts({"text": keys}, own)
    {'text': ['“notes”', 'prose', '“book”']}
    """
    texts = texts_of(own, values)
    if not texts:
        return values
    is_short = sum(len(text) for _, text in texts.values()) <= LONGEST_STATE
    packed = pack_state(texts) if is_short else None
    if packed is None:
        return _renamed(values, {key: f"“{title}”" for key, (title, _) in texts.items()})
    return {**values, TEXTS: packed}


def add_linked(values: LinkValues, own: OwnTexts) -> LinkValues:
    """Add the texts of a link as ``add_texts`` does."""
    packed = Link(values).text(TEXTS)
    others = {name: value for name, value in values.items() if name != TEXTS}
    return add_texts(unpack_state(packed), others, own) if packed else values


def add_texts(texts: JsonMapping, values: LinkValues, own: OwnTexts) -> LinkValues:
    """Add texts, which are client input, to a session's own. A text that is here keeps its key and title.

    Returns:
        The values of the link or bundle, with the keys that the texts have here.

    Raises:
        ValueError: there is no room for them, or they are no texts.
    """
    keys = {}
    for key, each in texts.items():
        match each:
            case [str(title), str(text)]:
                is_here = key == PLAYGROUND and text in ("", own[key].text)
                keys[key] = key if is_here else own.add(title, text)
            case _:
                raise ValueError("The texts in it are damaged. Ask for it again.")
    return _renamed(values, keys)


def _renamed(values: LinkValues, keys: Mapping[str, str]) -> LinkValues:
    """The values of a link with other keys of texts."""
    named = {name: Link(values).texts(name) for name in _NAME_TEXTS if name in values}
    return {**values, **{name: [keys.get(key, key) for key in here] for name, here in named.items()}}
