"""Learn · Lessons: the list, a lesson walked from its first guess to its end, and the teacher's view."""

from __future__ import annotations

import re
from html import escape as escape_html
from typing import TYPE_CHECKING

import pytest
from streamlit import config

import tokenizers as tk
from pages.learn.lessons.course import list_parts
from pages.learn.lessons.state import EXAMPLE, MAKE, OWN, LessonsState
from pages.server.start_check import class_command
from pages.session.links import pack_state
from pages.session.page_state import Link
from pages.shared.markdown import escape
from pages.teaching.lesson_draft import LessonDraft, StepDraft, write_draft
from pages.teaching.lesson_files import list_lessons, read_lesson
from pages.teaching.work_out import work_out
from pages.teaching.worksheet import MANY, write_worksheet
from tests.browser import PHONE, expect, go_to, press, save_file, settled
from tests.examples import some
from tests.visit import Visit, components

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = "learn/lessons/page.py"
LANGUAGES = next(lesson for lesson in list_lessons() if lesson.slug == "languages")


def test_the_list_has_all_and_opens_them() -> None:
    visit = Visit(PAGE, {})
    lessons = list_lessons()
    said = "\n".join(each.value for each in visit.test.markdown)
    assert all(lesson.title in said for lesson in lessons)
    assert "min: [1. What a token is](./lessons?lesson=token)" in said
    plans = [each.value for each in visit.test.markdown if " minutes**" in each.value]
    assert len(plans) == 3
    for plan in plans:
        together, *parts = map(int, re.findall(r"(\d+) min", plan))
        assert 0 <= together - sum(parts) <= 1
    openers = [button for button in visit.test.button if "lessons_open_" in str(button.key)]
    assert len(openers) == len(lessons) + len(list_parts(lessons))
    first, second = lessons[:2]
    visit.press(f"lessons_open_{first.slug}")
    assert visit.heading == first.title
    visit.test.session_state["lessons_slides"] = {"event": {"open": second.slug}}
    visit.run()
    assert visit.heading == second.title and not visit.test.error


def test_a_plan_for_a_class_is_made_of_lessons_and_steps() -> None:
    visit = Visit(PAGE, {})
    visit.press("lessons_change_15")
    assert visit.link == {"lesson": "plan", "parts": "name,spelling"}
    assert "About 15 minutes" in visit.said
    assert "1. What a token is" in visit.field("lessons_plan_parts").options
    assert [each.label for each in visit.test.expander] == ["3\\. Counting letters"]
    assert next(lesson.notes for lesson in list_lessons() if lesson.slug == "spelling") in visit.said
    visit.set("lessons_plan_parts", ["digits"])
    assert "\\" not in "".join(visit.field("lessons_plan_digits").options)
    visit.set("lessons_plan_parts", ["token", "name", "spelling"])
    visit.set("lessons_plan_spelling", [2, 0])
    assert visit.link["parts"] == "token,name,spelling:0-2"
    (button,) = visit.test.get("link_button")
    assert button.proto.url == "./class/open/plan?parts=token%2Cname%2Cspelling%3A0-2"
    assert "About 16 minutes" in visit.said
    visit.set("lessons_plan_parts", [])
    assert "Choose what the class should do." in visit.messages and not visit.test.get("link_button")


@pytest.mark.parametrize("parts, says", [("token:1-2,next_token", ""), ("nothing", "Choose the lessons")])
def test_a_plan_comes_back_by_its_link(parts: str, says: str) -> None:
    visit = Visit(PAGE, {"lesson": "plan", "parts": parts})
    assert says in visit.messages
    assert visit.link == ({"lesson": "plan"} if says else {"lesson": "plan", "parts": parts})


def test_a_quiz_mixes_the_questions_of_its_part() -> None:
    visit = Visit(PAGE, {"lesson": "quiz-2"})
    drawn = [work_out(lesson, tk.get_encoding) for lesson in list_lessons()[5:10]]
    asked = [questions["quiz"][at]["asks"] for at in (0, 1) for questions in drawn]
    assert [step["asks"] for step in visit.sent["lesson"]["steps"]] == asked
    assert visit.heading == "Quiz on lessons 6 to 10"
    assert "class_open" not in str(visit.test.get("link_button"))


def test_the_list_marks_the_lesson_to_go_on_with() -> None:
    first, second, third, *_ = list_lessons()
    done = {first.slug: [9, 10, True]}
    begun = {**done, third.slug: [3, 10, False]}
    for progress, slug, label in (
        ({}, first.slug, f"Start, {first.minutes} minutes"),
        (done, second.slug, f"Next: start, {second.minutes} minutes"),
        (begun, third.slug, "Go on: step 4 of 10"),
        ({lesson.slug: [9, 10, True] for lesson in list_lessons()}, None, None),
    ):
        visit = Visit(PAGE, {}, lessons_progress=progress)
        marked = [button for button in visit.test.button if button.proto.type == "primary"]
        labels = [(button.key, button.label) for button in marked if "_open_" in str(button.key)]
        assert labels == ([(f"lessons_open_{slug}", label)] if slug else [])
        visit.press("try_of_lessons")
        assert visit.link["lesson"] == (slug or first.slug)


@pytest.mark.parametrize("address, is_reachable", [("127.0.0.1", False), ("192.0.2.7", True)])
def test_a_teacher_hears_before_the_class_that_no_phone_can_join(address: str, is_reachable: bool) -> None:
    before = config.get_option("server.address")
    config.set_option("server.address", address)
    try:
        tests = [Visit(PAGE, link).test for link in ({}, {"lesson": "token"})]
    finally:
        config.set_option("server.address", before)
    for test in tests:
        assert any(each.value.startswith("Only this computer") for each in test.markdown) is not is_reachable
        assert any(each.value == class_command() for each in test.code) is not is_reachable
    (button,) = tests[1].get("link_button")
    assert button.proto.label == ("Run with a class" if is_reachable else "Open the class on this computer")


def test_a_link_opens_a_lesson_and_what_is_wrong_in_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.shared.this_machine.class_urls", list)  # no phone reaches this computer
    lesson = list_lessons()[0]
    visit = Visit(PAGE, {"lesson": lesson.slug, "teach": "1"})
    assert visit.field("lessons_teaching").value and not visit.test.error
    assert len(components(visit.test)) == 1
    assert [each.proto.popover.label for each in visit.test.get("popover")] == ["Run with a class"]
    faulty = EXAMPLE.replace("{tokens_1}", "{tokns}")
    visit = Visit(PAGE, {"lesson": OWN, "own": pack_state({"lesson": faulty}) or ""})
    assert "tokns" in visit.messages


def test_a_lesson_of_ones_own_is_tried_and_travels_in_the_link() -> None:
    title = escape("A <b>bold</b> lesson")
    visit = Visit(PAGE, {})
    visit.press("lessons_make")
    visit.field("lessons_title").set_value("A <b>bold</b> lesson")
    visit.field("lessons_step_1_text").set_value("Zoë <b>")
    visit.press("lessons_try")
    assert visit.heading == title and not visit.test.error
    assert Visit(PAGE, visit.link).heading == title
    visit.press("lessons_change")
    assert visit.field("lessons_step_1_text").value == "Zoë <b>"
    visit.field("lessons_step_1_note").set_value("It takes {tokns}, or 3.")
    visit.press("lessons_try")
    assert "note\\: there is no figure" in visit.messages
    assert visit.heading == "Make a lesson"  # what is wrong is said where it can be changed


TWO_STEPS = """\
title = "My lesson"
question = "How is my name cut?"
minutes = 2

[texts]
text_1 = "Wilhelmina"
text_2 = "Wilhelmina"

[figures]
tokens_1 = "tokens(text_1, 'cl100k_base')"
tokens_2 = "tokens(text_2, 'cl100k_base')"

[[step]]
kind = "choice"
asks = "How many?"
text = "text_1"
encodings = ["cl100k_base", "gpt2"]
choices = [
  { says = "One" },
  { says = "{tokens_1}", right = true },
  { says = "None" },
]

[[step]]
kind = "cuts"
asks = "Where does GPT-4 cut my name?"
text = "text_2"
encodings = ["cl100k_base", "gpt2"]
reveals = "It takes {tokens_2} tokens."
"""


def test_steps_are_added_moved_and_taken_away() -> None:
    visit = Visit(PAGE, {"lesson": MAKE})
    visit.press("lessons_add")
    assert visit.field("lessons_step_2_text").value == "Wilhelmina"
    visit.set("lessons_step_2_kind", "choice")
    assert visit.field("lessons_step_2_text").value == "Wilhelmina"
    visit.field("lessons_step_2_asks").set_value("How many?")
    visit.field("lessons_step_2_choices").set_value("One\n{tokens}\n\nNone")
    visit.field("lessons_step_2_right").set_value(1)
    visit.press("lessons_up_2")
    assert visit.state(LessonsState).writing == TWO_STEPS
    visit.press("lessons_drop_2")
    assert not any("step_2" in str(each.key) for each in visit.test.text_area)
    visit.press("lessons_add")  # again with the number 2, but nothing of what it held
    assert visit.field("lessons_step_2_asks").value == ""
    assert visit.field("lessons_step_2_kind").value == "cuts"
    visit.press("lessons_add")
    visit.press("lessons_add")
    visit.press("lessons_up_3")
    assert visit.state(LessonsState).steps == [1, 3, 2, 4]


def test_an_uploaded_lesson_fills_the_fields_or_is_opened() -> None:
    visit = Visit(PAGE, {"lesson": MAKE})
    test = visit.test
    mine = EXAMPLE.replace("My lesson", "Mine")

    def upload(number: int, data: bytes) -> None:
        test.file_uploader(key=f"lessons_file_{number}").set_value(("l.toml", data, "application/toml"))
        visit.run()

    byte_order_mark = b"\xef\xbb\xbf"
    upload(0, byte_order_mark + mine.replace('"gpt2"', '"my own"').encode())
    assert not test.error
    assert [choice.value for choice in test.multiselect] == [["cl100k_base"]]
    upload(1, b"\xff=")
    assert "and this is none. Your lesson is still here." in visit.messages
    upload(2, b"")  # what else is refused: refusals.txt
    assert "no \\[\\[step" in visit.messages and "still here" in visit.messages
    assert visit.field("lessons_title").value == "Mine"
    upload(3, mine.replace("minutes = 2", 'minutes = 2\nclaims = ["1 == 1"]').encode())
    assert visit.heading == "Mine" and not test.error
    assert "Change it" not in [button.label for button in test.button]  # no field has the claim


def test_a_lesson_that_no_field_holds_gives_way_to_the_example() -> None:
    visit = Visit(PAGE, {"lesson": MAKE, "writing": EXAMPLE.replace("minutes = 2", 'claims = ["1 == 1"]')})
    assert "This lesson cannot be changed here." in visit.messages
    assert visit.field("lessons_step_1_text").value == "Wilhelmina"


def test_lessons_state_keeps_a_long_lesson_in_its_tab() -> None:
    texts = ["".join(map(chr, range(first, first + 2_000))) for first in range(0x4E00, 0x7000, 2_000)]
    steps = tuple(StepDraft("say", "Read it.", text=text) for text in texts)
    long = write_draft(LessonDraft("Long", "How long?", 1, steps))
    assert pack_state({"lesson": long}) is None
    visit = Visit(PAGE, {"lesson": MAKE, "writing": long})
    assert "too long for a link" in visit.said
    state = LessonsState(lesson=OWN, own=long, writing=long)
    again = LessonsState.from_link(Link(state.to_tab()))
    assert (again.own, again.writing) == (long, long)
    in_list = LessonsState(writing=long)
    assert LessonsState.from_link(Link(in_list.to_tab())).writing == long


def test_a_worksheet_fits_paper_and_keeps_the_answers_to_themselves() -> None:
    drawn = work_out(LANGUAGES, tk.get_encoding)
    questions, answers = (write_worksheet(drawn, answered=answered) for answered in (False, True))
    (said,) = [step["asks"] for step in drawn["steps"] if step["kind"] == "say"]
    assert said not in questions and said in answers
    assert max(len(shown["tokens"]) for step in drawn["steps"] for shown in step.get("shows", ())) > MANY
    assert all(
        words.count("<span>") <= MANY for words in re.findall(r"<code class='tokens'>.*?</code>", answers)
    )
    assert answers.count("<span>") > MANY
    assert re.search(r"<b>1\.8</b>", answers)
    assert "such a token holds a part of a character" in answers and "· is a space" in questions


def test_a_worksheet_has_every_step_and_is_text() -> None:
    word = "<script>x</script> مرحبا"
    lesson = read_lesson(EXAMPLE.replace("Wilhelmina", word).encode(), "own")
    n_cuts = len(tk.get_encoding("cl100k_base").encode(word)) - 1
    for answered in (False, True):
        sheet = write_worksheet(work_out(lesson, tk.get_encoding), answered=answered)
        assert "<script" not in sheet and "&lt;" in sheet and sheet.count("<h2>1. ") == 1
        assert len(re.findall("class='cut( rtl)?'", sheet)) == (n_cuts if answered else 0)
        assert re.search(r"<span class='(cut )?rtl'>م", sheet)  # a cut stands on the right of it
        assert re.search(r"<span( class='cut')?>·</span>", sheet)  # a space is seen on paper
    indented = next(lesson for lesson in list_lessons() if lesson.slug == "indentation")
    drawn = work_out(indented, tk.get_encoding)
    sheet = write_worksheet(drawn, answered=False)
    assert "<code>·······</code>" in sheet and "<code>→→x</code>" in sheet  # blanks are seen on paper
    assert "    if i:\n" in sheet  # inside a text, they show
    assert escape_html(indented.notes) not in sheet
    assert escape_html(indented.notes) in write_worksheet(drawn, answered=True)


# In a browser


def test_the_place_is_kept_and_a_finished_lesson_begins_anew(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/lessons?lesson=languages&teach=1")
    slide, on = page.locator(".lesson .slide"), page.locator("[data-go=on]")
    heading, all_lessons = slide.locator("h2"), page.get_by_role("button", name="All lessons")
    expect(heading).to_be_visible()
    settled(page)
    for _ in range(2):
        page.keyboard.press("PageDown")
    question = heading.inner_text()
    expect(slide.locator(".real")).to_be_visible()
    expect(slide.locator(".plain")).to_contain_text("모든")  # its tokens are bytes: the text stays
    page.get_by_text("Teacher’s view").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)  # until then, the lesson may be there a second time, still empty
    expect(heading).to_have_text(question)
    expect(slide.locator(".real")).to_have_count(0)  # each view has its own answers
    on.press("Enter")
    on.scroll_into_view_if_needed()
    on.press("Enter")
    expect(heading).not_to_have_text(question)
    question = heading.inner_text()
    page.reload()
    expect(heading).to_have_text(question)
    all_lessons.press("Enter")
    opener = page.locator(".st-key-lessons_open_languages").get_by_role("button")
    expect(opener).to_contain_text("Go on: step ")
    opener.press("Enter")
    expect(heading).to_have_text(question)
    settled(page)
    while on.is_visible():
        on.press("Enter")
    # No answer was given: an untouched text has no cuts by choice, and counts as skipped as a slider does.
    expect(slide).to_contain_text("You skipped 9 questions.")
    press(page, "Next lesson")
    expect(heading).to_have_text(list_lessons()[list_lessons().index(LANGUAGES) + 1].question)
    expect(slide).to_be_focused()  # a keyboard goes on from here
    all_lessons.press("Enter")
    expect(opener).to_contain_text("Done")
    opener.press("Enter")
    expect(heading).to_have_text(LANGUAGES.question)


def test_a_lesson_is_saved_with_the_cursor_still_in_a_field(page: Page) -> None:
    page.goto("/lessons")
    press(page, "Make your own lesson")
    settled(page)
    # The first click is what ends the typing.
    page.get_by_label("The text, of up to").fill("three short words")
    press(page, "Save it as a file")
    saved = save_file(page.get_by_role("button", name="Download lesson.toml"))
    assert read_lesson(saved.path().read_bytes(), "own").texts["text_1"] == "three short words"


def test_back_is_one_press(page: Page) -> None:
    page.goto("/")
    press(page, "Start lesson 1")
    page.wait_for_url("**/lessons?lesson=token")
    lesson = page.locator(".lesson .slide h2")
    expect(lesson).to_be_visible()
    settled(page)  # until then, the switch of the list is there, too
    press(page, "All lessons")
    lessons = page.get_by_role("heading", name="Lessons", exact=True)
    expect(lessons).to_be_visible()
    page.go_back()
    expect(lesson).to_be_visible()
    settled(page)
    page.get_by_text("Teacher’s view").click()
    page.wait_for_url("**teach=1")
    go_to(page, "Learn", "Words and sources")
    press(page, "find “pre-token”")
    page.wait_for_url("**find=pre-token")
    settled(page)
    page.go_back()
    expect(lesson).to_be_visible()
    settled(page)
    page.go_back()
    expect(page.locator(".panel").first).to_be_visible()
    page.wait_for_url(re.compile(r":\d+/$"))


WALK = """async (steps) => {
  const shadows = [...document.querySelectorAll("*")].map((each) => each.shadowRoot);
  const root = shadows.find((shadow) => shadow?.querySelector(".lesson .slide"));
  const main = document.querySelector("[data-testid=stMain]");
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const fits = async () => {
    for (let frame = 0; frame < 300 && main.scrollHeight > innerHeight; frame++)
      await new Promise(requestAnimationFrame);
    return main.scrollHeight <= innerHeight;
  };
  const faults = [];
  for (const [asks, kind] of steps) {
    press("PageDown");
    if (root.querySelector(".slide h2").textContent !== asks) faults.push(`not there: ${asks}`);
    if (!(await fits())) faults.push(`too long: ${asks}`);
    if (kind === "say") continue;
    if (root.querySelector(".slide :is(.right, .missed, .real, .shown)")) faults.push(`known: ${asks}`);
    press("ArrowRight");
    if (!(await fits())) faults.push(`too long: the answer to ${asks}`);
  }
  press("PageDown");
  return faults;
}"""
"""What is wrong with the slides of a lesson in the teacher's view, by the keyboard alone, from its title."""


def test_the_teachers_view_needs_no_scrolling_and_the_keyboard_alone(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    slide = page.locator(".lesson .slide")
    page.goto("/lessons?teach=1")
    for lesson in some(list_lessons()):
        page.locator(f".st-key-lessons_open_{lesson.slug}").get_by_role("button").click()
        expect(slide.locator("h2")).to_have_text(lesson.question)
        settled(page)
        expect(slide.get_by_text(lesson.notes)).to_be_hidden()  # the class sees the screen, too
        slide.get_by_text("Notes for the teacher").press("Enter")
        expect(slide.get_by_text(lesson.notes)).to_be_visible()
        page.wait_for_function(
            "() => document.querySelector('[data-testid=stMain]').scrollHeight <= innerHeight"
        )
        steps = [(step["asks"], step["kind"]) for step in work_out(lesson, tk.get_encoding)["steps"]]
        assert page.evaluate(WALK, steps) == []
        expect(slide.locator("h2")).to_contain_text("You have finished lesson")
        press(page, "All lessons")
        expect(page.get_by_role("heading", level=1, name="Lessons")).to_be_visible()
