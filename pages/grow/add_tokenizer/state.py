"""What the page “Add a tokenizer” shows, and the tokenizers that are being imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from pages.session.bundles import is_bundle, open_bundle
from pages.session.page_state import Field, Link, PageState
from pages.session.pending_tokenizers import MAX_NAME, PendingTokenizers
from pages.session.tokenizer_files import TokenizerFile, Uploads
from pages.session.workspace import Workspace
from tokenizers.json_types import JsonObject

NASTY_TEXT = "안녕하세요, naïve ½ don't DON'T 1234567 treesAndLeaves x² 日本語です 👩‍🚀"
"""The first text to try: scripts, an accent, places where split patterns differ, an emoji."""

MAX_TEXT = 500  # characters of the text to try


class AddTokenizerState(PageState):
    """What the user chose on the page.

    Attributes:
        text: the text that every pending tokenizer encodes.
        path: the path of a file on this machine.
        repo: the name of a repository on the Hugging Face hub.
        find: what is typed to find a model.
    """

    PAGE = "add_tokenizer"
    LINKED = ("text", "find")  # and no pending tokenizers

    text = Field(NASTY_TEXT)
    path = Field("")
    repo = Field("")
    find = Field("")

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """The text in a link, and the model to find."""
        return cls(text=link.text("text", NASTY_TEXT)[:MAX_TEXT], find=link.text("find", "")[:MAX_NAME])

    @classmethod
    def name_of(cls, key: str, default: str) -> Field[str]:
        """The field for the name of a pending tokenizer."""
        return cls.field(f"name_{key}", default[:MAX_NAME])

    @classmethod
    def form_of(cls, key: str, default: str) -> Field[str]:
        """The field for the normal form that a file does not tell."""
        return cls.field(f"form_{key}", default)

    @classmethod
    def answer_of(cls, key: str, default: str) -> Field[str]:
        """The field for the answer to a question about a file."""
        return cls.field(f"answer_{key}", default)


@dataclass
class TokenizerImport:
    """A session's imports of tokenizers.

    Attributes:
        uploads: files that the page has not read yet.
        tokenizers: those that are pending.
        problems: a sentence for each file that could not be read, until the next import.
        added: the name of the encoding that was added last, until the next import.
        view: the page and the view of a bundle that was just opened.
    """

    uploads: Uploads = field(default_factory=Uploads)
    tokenizers: PendingTokenizers = field(default_factory=PendingTokenizers)
    problems: list[str] = field(default_factory=list)
    added: str = ""
    view: tuple[str, JsonObject] | None = None

    def read(
        self, files: Sequence[TokenizerFile], workspace: Workspace, problems: Sequence[str] = ()
    ) -> None:
        """Read files into pending tokenizers; ``problems`` are about files that could not be uploaded."""
        self.added = ""
        problems = list(problems)
        for file in files:
            try:
                self.view = open_bundle(file, workspace) if is_bundle(file.data) else self.view
            except (ValueError, OSError) as problem:
                problems.append(str(problem))
        tokenizers = [file for file in files if not is_bundle(file.data)]
        self.problems = [*problems, *self.tokenizers.read(tokenizers, workspace)]
