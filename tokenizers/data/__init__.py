"""Texts and files that the app ships: 500 languages, corpora to train on, recipes, vocabularies.

udhr                the Universal Declaration of Human Rights, and which characters it uses
parallel            the translations that are complete enough to compare
hard_texts          texts on which tokenizers often differ, made by rules
corpus              texts to train on, with their weights, and what is held out
models              the recipes of the encodings that were trained here; vocabularies that others published
"""

from __future__ import annotations

from ..utf8 import utf8_length
from .corpus import (
    DOCS,
    LANGUAGE,
    LIBRARY,
    MAX_WEIGHT,
    STORIES,
    TITLES,
    Source,
    SourcePart,
    check_weight,
    count_bytes,
    fingerprint,
    part_sources,
    read_bundled,
    weigh,
    weighed_bytes,
)
from .hard_texts import hard_texts
from .models import FIRST_MODEL, MODELS_DIR, read_recipe
from .parallel import RULE, ParallelText, list_left_out, list_parallel, own_text
from .udhr import (
    characters_of_the_declaration,
    code_of_tag,
    compose,
    get_language,
    language_titles,
    list_languages,
)
