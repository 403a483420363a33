"""The README tells the truth: its example runs, and what it names is there."""

from __future__ import annotations

import doctest
import re

from pages.session.menu import SECTIONS
from tests.browser import ROOT
from tests.judge import judge

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_known_answer() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert result.attempted >= 6 and not result.failed


def test_tiktoken_knows_the_same_answer() -> None:
    examples = re.findall(r'get_encoding\("(\w+)"\)\.encode\(text\)\n\[([\d, ]+)\]', README)
    assert len(examples) == 3
    for name, ids in examples:
        assert judge(name).encode("Tokenization, unbelievably!") == [int(each) for each in ids.split(", ")]


def test_every_page_is_in_the_readme_and_every_room_in_the_guide() -> None:
    features = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    titles = re.findall(r"^\| ([A-Z][\w ]+) \| \w", README, re.MULTILINE)
    assert len(titles) == sum(map(len, SECTIONS.values()))
    assert not [title for title in titles if f"**{title}.**" not in features]
    for name in re.findall(r"^\| (`.+?) \|", GUIDE, re.MULTILINE):
        for path in re.findall(r"`([\w./]+)`", name):
            assert (ROOT / path).exists() or (ROOT / "assets" / path).exists(), path


def test_links_between_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), (document.name, target)


def test_what_the_guide_names_is_there() -> None:
    root = r"(?:pages|tokenizers|assets|tests|tools|benchmarks)/[a-z0-9_./-]+"
    files = set(re.findall(rf"`({root})`", GUIDE))
    assert len(files) > 50
    assert not {file for file in files if not (ROOT / file).exists()}
    named = set(re.findall(rf"`([A-Za-z_]+)` (?:in|of) `({root}[.]py)`", GUIDE))
    assert len(named) > 8
    for name, file in named:
        assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")), (name, file)
