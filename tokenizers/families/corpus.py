"""The texts that the bundled vocabularies of characters and words learned from."""

from __future__ import annotations

from ..data import udhr
from ..data.corpus import LANGUAGE
from ..data.models import FIRST_MODEL, read_recipe


def all_languages() -> list[str]:
    """The declaration of human rights in every language that is here: nearly every character in use.

    Raises:
        OSError: the file is missing. ValueError: it is damaged.

    >>> len(all_languages())
    532
    """
    return [language.text for language in udhr.list_languages()]


def model_languages() -> list[str]:
    """The declaration in the languages that grove-udhr-8k learned from, to be compared with it.

    Raises:
        OSError: a file is missing. ValueError: it is damaged.

    >>> len(model_languages())
    28
    """
    return [udhr.get_language(code).text for code in read_recipe(FIRST_MODEL).languages]


def all_sources() -> list[str]:
    """The keys of the texts of ``all_languages``."""
    return [LANGUAGE + language.code for language in udhr.list_languages()]


def model_sources() -> list[str]:
    """The keys of the texts of ``model_languages``."""
    return [LANGUAGE + code for code in read_recipe(FIRST_MODEL).languages]


def model_size() -> int:
    """Tokens in the vocabulary of grove-udhr-8k.

    >>> model_size()
    8192
    """
    return read_recipe(FIRST_MODEL).vocab_size
