"""Computes a lesson: its numbers, its answers, and all that the page draws of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlencode

from pages.session.links import pack_state
from pages.session.menu import MENU
from pages.teaching.drawn_tokens import graphemes_of
from pages.teaching.formulas import Find, Value, evaluate, learned, weigh
from pages.teaching.kinds import KINDS
from pages.teaching.kinds.kind import DrawnStep
from pages.teaching.lesson import Lesson, LessonStep
from pages.teaching.sentences import fill_in
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.measure import draw_row
from tokenizers.registry import encoding_title
from tokenizers.text import spell_text, spell_token

MAX_ROWS = 12
"""The most rows of a lattice: more would be too small on a wall."""
_TAKE_A_TEXT = ("merge_trees", "by_hand", "unicode")


def work_out(lesson: Lesson, find: Find) -> JsonObject:
    """Compute the data that the page draws: each step with its numbers, the answers, and the tokens.

    Args:
        lesson: a result of ``read_lesson``.
        find: returns an encoding by its name.

    Raises:
        ValueError, OSError: an encoding cannot be loaded, or a claim is false; names the claim.
    """
    values: dict[str, Value] = dict(lesson.texts)
    for name, formula in lesson.figures.items():
        values[name] = evaluate(formula, values, find)
    for claim in lesson.claims:
        if evaluate(claim, values, find) is not True:
            raise ValueError(f"{lesson.title}: this no longer holds, so its words would be wrong: {claim}.")
    return {
        "slug": lesson.slug,
        "title": lesson.title,
        "question": lesson.question,
        "takeaway": fill_in(lesson.takeaway, values),
        "notes": lesson.notes,
        "steps": [_work_out_step(lesson, step, values, find) for step in lesson.steps],
        "quiz": [_work_out_step(lesson, step, values, find) for step in lesson.quiz],
    }


def _work_out_step(lesson: Lesson, step: LessonStep, values: Mapping[str, Value], find: Find) -> DrawnStep:
    drawn: DrawnStep = {
        "kind": step.kind,
        "asks": fill_in(step.asks, values),
        "reveals": fill_in(step.reveals, values),
        "link": _link_to(lesson, step),
        "page": MENU[step.page],
        "sources": [
            {"says": source.says, "address": source.address, "site": source.address.split("/")[2]}
            for source in step.sources
        ],
    }
    if step.text is not None:
        drawn |= _work_out_text(lesson.texts, step.text, step, find)
    where = f"{lesson.title}: of “{step.asks[:60]}”"
    return drawn | KINDS[step.kind].add_to_step(step, values, find, where)


def _work_out_text(texts: Mapping[str, str], name: str, step: LessonStep, find: Find) -> DrawnStep:
    """A step's text, and what the step draws of it: tokens, counts, a lattice, characters, merges."""
    text = texts[name]
    drawn: DrawnStep = {
        "text": _spell_blanks(text),
        "clusters": graphemes_of(text),
        "shows": KINDS[step.kind].show_tokens(step, text, find),
    }
    if step.counts:
        drawn["counts"] = [_count(find(each), step.counts, texts) for each in step.encodings]
    if step.lattice and step.encodings:
        bars = weigh(text, find(step.encodings[0])).bars()
        drawn["lattice"] = [bar for bar in bars if bar.row < MAX_ROWS]
        drawn["n_fit"] = len(bars)
    if step.row:
        drawn["row"] = draw_row(text)
    if step.merges is not None:
        drawn["stage"] = list(map(spell_token, learned(text, step.merges)))
        drawn["next_stage"] = list(map(spell_token, learned(text, step.merges + 1)))
    return drawn


def _link_to(lesson: Lesson, step: LessonStep) -> str | None:
    """The URL of the page that shows a step live, with its text; None: the step has no text."""
    text = lesson.texts.get(step.text or "")
    if step.page != "playground":
        parameters = parse_qsl(step.link)
        if text is not None and step.page in _TAKE_A_TEXT:
            parameters.insert(0, ("text", text))
        return f"./{step.page}?{urlencode(parameters)}" if parameters else f"./{step.page}"
    if text is None:
        return None
    view: JsonObject = {
        "text": text,
        "encodings": list(step.encodings) or ["gpt2", "o200k_base"],
    }
    if step.special:
        view["special_as_tokens"] = True
    packed = pack_state(view)
    return f"./?s={packed}" if packed else None


def _count(encoding: Encoding, names: Sequence[str], texts: Mapping[str, str]) -> JsonObject:
    """The numbers of tokens of some texts, each after the text's name."""
    bars = []
    for name in names:
        n_tokens = len(encoding.encode(texts[name]))
        bars.append((name.capitalize(), n_tokens))
    return {"name": encoding_title(encoding.name), "bars": bars}


def _spell_blanks(text: str) -> str:
    """A text, with visible blanks if it begins or ends with blanks.

    >>> _spell_blanks("two words"), _spell_blanks("  x"), _spell_blanks("\\tx")
    ('two words', '··x', '→x')
    """
    if text.strip(" \t") == text:
        return text
    return "\n".join(map(spell_text, text.split("\n")))
