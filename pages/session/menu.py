"""The pages: their sections, their folders, which are their URLs too, and their titles.

A new one is its title and a few words here, and ``pages/SECTION/NAME/page.py``; ``pages/learn/words`` is
the shortest folder. Its state is a class as ``page_state`` shows it: ``open_state`` of
``pages/shared/widgets.py`` opens it, ``tied`` ties a widget to a field, and ``write_link`` keeps the
address. Each page asks its question at the top and offers one thing to try (``draw_question``).
"""

from __future__ import annotations

SECTIONS = {
    "Explore": {
        "playground": "Playground",
        "merge_trees": "Merge trees",
        "vocabulary": "Vocabulary",
        "unicode": "Unicode",
    },
    "Grow": {"train": "Train", "add_tokenizer": "Add a tokenizer", "by_hand": "By hand"},
    "Measure": {
        "compression": "Compression",
        "vocabulary_size": "Vocabulary size",
        "languages": "Languages",
        "compare": "Compare",
    },
    "Learn": {"lessons": "Lessons", "words": "Words and sources"},
}

FOR_WHAT = {
    "playground": "text as tokens",
    "merge_trees": "how a token is built",
    "vocabulary": "search all tokens",
    "unicode": "characters and bytes",
    "train": "your own tokenizer",
    "add_tokenizer": "from a file",
    "by_hand": "learn tokens yourself",
    "compression": "fewest tokens",
    "vocabulary_size": "is more better?",
    "languages": "what each one costs",
    "compare": "two tokenizers",
    "lessons": "guess, and see why",
    "words": "a glossary",
}
"""What the menu says of each page, behind its title. Both together have room on a phone: 33 characters."""

MENU = {page: f"{section} · {title}" for section, pages in SECTIONS.items() for page, title in pages.items()}
"""What a link to a page says, such as "Grow · By hand"; by the page's folder."""
