"""Files of tests/known_answers that are written by hand: inputs, and below each what comes of it."""

from __future__ import annotations

from tools.known_answers import FOLDER


def read_sections(name: str) -> dict[str, list[str]]:
    """The paragraphs of each section of a file, by its title. What stands above the first is no section."""
    sections: dict[str, list[str]] = {}
    _, *written = (FOLDER / name).read_text("utf-8").rstrip("\n").split("\n\n# ")
    for section in written:
        title, *paragraphs = section.split("\n\n")
        assert title not in sections, f"two sections of {name} are called “{title}”"
        assert paragraphs, f"nothing stands in the section “{title}” of {name}"
        sections[title] = paragraphs
    return sections
