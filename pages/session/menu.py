"""The pages: their sections, their folders, which are their URLs too, and their titles."""

from __future__ import annotations

SECTIONS = {
    "Explore": {
        "playground": "Playground",
        "merge_trees": "Merge trees",
        "vocabulary": "Vocabulary",
        "unicode": "Unicode",
    },
    "Grow": {"train": "Train", "bring": "Add a tokenizer", "by_hand": "By hand"},
    "Measure": {
        "compression": "Compression",
        "vocabulary_size": "Vocabulary size",
        "languages": "Languages",
        "compare": "Compare",
    },
    "Learn": {"lessons": "Lessons", "words": "Words and sources"},
}

MENU = {page: f"{section} · {title}" for section, pages in SECTIONS.items() for page, title in pages.items()}
"""What a link to a page says, such as "Grow · By hand"; by the page's folder."""
