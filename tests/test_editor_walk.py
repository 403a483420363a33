"""Nothing is lost, whatever arrives in which order: random walks of the editor against a model.

A failure names its walk and each step. ``WALK=123`` begins with that one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.editor_walk import Walk
from tests.test_modules import modules as modules

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIRST = int(os.environ.get("WALK", "0"))
"""The seed of the first walk."""

WALKS = int(os.environ.get("WALKS", "12"))


@pytest.mark.slow
def test_editor_and_server_agree_with_what_a_person_did(modules: Page) -> None:
    modules.clock.install()
    modules.goto("/")
    modules.clock.pause_at(4_000_000_000)
    for seed in range(FIRST, FIRST + WALKS):
        modules.goto("/")
        Walk(modules, seed).run()
