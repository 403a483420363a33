"""What is known of a trained encoding; the forecast; and where it then stands."""

from __future__ import annotations

import pytest

import tokenizers as tk
from pages.grow.train.result import held_out_in_words, recipe_rows
from pages.session.own_encodings import OwnEncoding, OwnEncodings
from pages.session.own_texts import digest_of
from pages.session.train_plan import Recipe
from pages.session.train_run import SessionTrainings
from pages.session.workspace import Workspace
from tests.trained import report_of
from tests.visit import TRAININGS, Visit
from tokenizers.data.corpus import STORIES, read_bundled


def growth_in(workspace: Workspace) -> OwnEncodings:
    recipe = Recipe(parts=((STORIES, 2.0), ("udhr:kor", 0.0)), vocab_size=300, ties="first", name="*tree*")
    encoding = tk.train(read_bundled(STORIES).texts, 300, "gpt4o", ties="first", name="*tree*")
    report = report_of(title="Two stories in English")
    trained = OwnEncoding(encoding, [9] * 44, 100, recipe, 1.26, report)
    workspace.own_encodings.add(trained)
    return workspace.own_encodings


CARD = """
Texts: two stories in English × 2: 100 bytes read
Method: Byte-level BPE, by Token Grove
Size: 300 tokens
Walls between pieces: gpt4o
Special tokens, one a line: none
Leave them out of the training text: no
When two pairs are equally frequent, merge: the first in the text
Held out: 10%
Time: 1.3 seconds
"""


def test_a_card_says_how_it_came_to_be() -> None:
    trained = growth_in(Workspace())["*tree*"]
    assert trained.recipe is not None
    rows = [": ".join(row) for row in recipe_rows(trained, trained.recipe)]
    assert "\n".join(rows) == CARD.strip()
    note = held_out_in_words(trained)
    assert note == "Held out\\: 300 bytes in whole lines from all parts of each text."


@pytest.mark.slow
def test_grown_again_it_learns_from_the_same_of_ones_own_texts() -> None:
    workspace = Workspace()
    cat, hat, bat = (workspace.own_texts.add(name, f"the {name} " * 9) for name in ("cat", "hat", "bat"))
    trained = growth_in(workspace)["*tree*"]
    trained.recipe = Recipe(parts=((cat, 1.0), (hat, 2.0)), vocab_size=300)
    trained.report = {}
    trained.own_digests = {key: digest_of(workspace.own_texts[key].text) for key in (cat, hat)}
    visit = Visit("grow/train/page.py", {}, workspace=workspace, train_encoding="*tree*", train_texts=[bat])
    visit.test.session_state["train_parts"] = "Recipe"
    visit.run()
    visit.press("train_again")
    assert visit.test.session_state["train_texts"] == [cat, hat]
    assert visit.test.session_state["train_vocab"] == 300
    assert visit.field(f"train_times_{hat}").value == 2.0
    workspace.own_texts.remove(cat)
    workspace.own_texts.add("another", "another text", key=cat)
    visit.press("train_again")
    assert visit.test.session_state["train_texts"] == [hat]
    assert "1 of your own texts" in visit.messages + "".join(each.value for each in visit.test.success)


@pytest.mark.slow
def test_what_was_grown_is_chosen_on_every_page() -> None:
    workspace = Workspace()
    visit = Visit("measure/compression/page.py", {}, workspace=workspace)
    visit.go("measure/vocabulary_size/page.py")
    growth_in(workspace)
    visit.test.session_state[TRAININGS] = SessionTrainings(newest="*tree*")
    visit.go("grow/train/page.py")
    for page in ("measure/compression", "measure/vocabulary_size", "explore/merge_trees"):
        visit.go(f"{page}/page.py")
        assert "*tree*" in visit.field(f"{page.split('/')[1]}_encodings").value, page
    visit.go("explore/vocabulary/page.py")
    assert visit.field("vocabulary_encoding").value == "*tree*"
