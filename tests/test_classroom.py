"""A live class: rooms, their routes, and a class in the browser."""

from __future__ import annotations

import asyncio
import codecs
import re
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import tokenizers as tk
from pages.learn.classroom import routes
from pages.server.start_check import class_command
from pages.session.links import pack_state
from pages.session.tickets import issue_ticket
from pages.teaching import classroom
from pages.teaching.classroom import (
    CLASSROOM,
    ClassPlan,
    Classroom,
    Room,
    RoomError,
    Slide,
    slides_of,
)
from pages.teaching.kinds import KINDS
from pages.teaching.lesson_files import list_lessons
from pages.teaching.work_out import work_out
from tests.browser import PHONE, expect
from tests.loops import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

CUTS: Slide = {
    "kind": "cuts",
    "when": "lesson",
    "asks": "Where?",
    "text": "unbelievable",
    "clusters": list("unbelievable"),
    "shows": [{"cuts": [2, 8], "tokens": [], "why": dict.fromkeys(range(1, 12), "merged")}],
    "reveals": "There.",
}
CHOICE: Slide = {
    "kind": "choice",
    "when": "before",
    "asks": "Which?",
    "choices": ["a", "b", "c"],
    "right": 1,
    "whys": ["Too short.", "", "Too long."],
}
NUMBER: Slide = {
    "kind": "number",
    "when": "lesson",
    "asks": "How many?",
    "low": 1,
    "high": 90,
    "step": 1,
    "value": 30,
}
SAY: Slide = {"kind": "say", "when": "lesson", "asks": "So it is.", "reveals": ""}


def open_room(*slides: Slide) -> Room:
    return Classroom().open("A lesson", slides or (CHOICE, CUTS, NUMBER, SAY), "./lessons")


def test_students_see_no_truth_before_it_is_revealed() -> None:
    room = open_room()
    token = room.join()
    hidden = {"shows", "right", "whys", "value", "reveals"}
    for at in range(3):
        room.go(at)
        assert not hidden & room.student_view(token)["slide"].keys()
    room.reveal(1)
    room.show_picture(1)
    assert not room.revealed and not room.pictured, "of another step, asked for too late"
    room.reveal(2)
    assert room.student_view(token)["slide"]["value"] == 30
    room.go(1)
    assert not hidden & room.student_view(token)["slide"].keys(), "the truth of another step"
    room.go(2)
    assert room.student_view(token)["slide"]["value"] == 30, "it is still known after going back"
    room.go(0)
    room.reveal(0)
    assert not hidden & room.student_view(token)["slide"].keys(), "the quiz before the lesson has no truth"


def test_an_answer_can_be_changed_until_the_truth_is_known() -> None:
    room = open_room()
    one, other = room.join(), room.join()
    room.go(1)
    room.answer(one, 1, [2])
    room.answer(one, 1, [5, 2])
    room.answer(other, 1, [5])
    assert room.wall_view()["answered"] == 2
    assert "picture" not in room.wall_view(), "the class’s picture is hidden until the teacher shows it"
    room.show_picture(room.at)
    picture = room.wall_view()["picture"]
    assert (picture["n"], picture["counts"][2], picture["counts"][5]) == (2, 1, 2)
    assert picture["wrong"] == {"place": 5, "count": 2, "why": "merged"}
    room.reveal(room.at)
    with pytest.raises(RoomError, match="gone on"):
        room.answer(one, 1, [])
    assert room.student_view(one)["answer"] == [2, 5] and room.student_view(other)["answer"] == [5]
    room.go(2)
    with pytest.raises(RoomError, match="gone on"):
        room.answer(one, 1, [2])


def test_a_class_sees_all_that_a_lesson_draws() -> None:
    (numbers,) = (lesson for lesson in list_lessons() if lesson.slug == "languages")
    slides = slides_of(work_out(numbers, tk.get_encoding))
    assert {slide["kind"] for slide in slides} == KINDS.keys()
    room = open_room(*slides)
    token = room.join()
    for number, slide in enumerate(slides):
        room.go(number)
        room.reveal(number)
        if slide["when"] == "lesson":
            links = {"link", "page", "sources"}  # for one reader alone
            assert room.student_view(token)["slide"].keys() == slide.keys() - links


def test_the_most_frequent_wrong_answer_has_its_reason() -> None:
    assert KINDS["choice"].picture(CHOICE, [1, 2, 2, 0])["wrong"] == {
        "place": 2,
        "count": 2,
        "why": "Too long.",
    }
    assert "wrong" not in KINDS["choice"].picture(CHOICE, [1, 1])


@pytest.mark.parametrize(
    ("value", "guess", "expected"), [(-2, -4, 0), (0, -4, 0), (0, 0, 1), (-2, -2, 1), (4, 2, 0.5)]
)
def test_a_score_is_between_0_and_1(value: float, guess: float, expected: float) -> None:
    assert KINDS["number"].score({**NUMBER, "value": value}, guess) == expected


def test_there_is_no_question_before_the_first_and_after_the_end() -> None:
    room = open_room(CHOICE)
    token = room.join()
    for at in (-1, 0):
        with pytest.raises(RoomError, match="gone on"):
            room.answer(token, at, 1)
    room.go(0)
    room.answer(token, 0, 1)
    room.end()
    with pytest.raises(RoomError, match="gone on"):
        room.answer(token, 0, 2)


def test_phones_that_have_left_make_way(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    room = open_room()
    room.go(0)
    tokens = [room.join() for _ in range(classroom.MAX_STUDENTS)]
    room.answer(tokens[0], 0, 1)
    now = 120.0
    assert room.see(tokens[1])
    room.join()
    assert len(room.students) == 2 and room.wall_view()["answered"] == 1


def test_the_app_may_be_below_a_path_called_class(client: TestClient) -> None:
    assert client.get("/class/grove").status_code == 404  # the app's own page, not a room's
    assert client.get("/class/grove/class/ABCD").status_code == 200
    asks_for_code = client.get("/class")
    assert asks_for_code.url.path == "/class/" and "phone.js" in asks_for_code.text


@pytest.mark.parametrize(
    ("slide", "value"),
    [
        (CUTS, [0]),
        (CUTS, [12]),
        (CUTS, ["2"]),
        (CUTS, [True]),
        (CUTS, 3),
        (CHOICE, 3),
        (CHOICE, -1),
        (CHOICE, True),
        (CHOICE, [1]),
        (NUMBER, 0),
        (NUMBER, 91),
        (NUMBER, 2.5),
        (NUMBER, float("nan")),
        (NUMBER, None),
        (NUMBER, "30"),
        (SAY, 1),
    ],
)
def test_what_is_no_answer_is_refused(slide: Slide, value: Any) -> None:
    room = open_room(slide)
    token = room.join()
    room.go(0)
    with pytest.raises(RoomError):
        room.answer(token, 0, value)
    assert room.wall_view()["answered"] == 0


def test_the_end_shows_the_hardest_steps_and_ones_own_result() -> None:
    room = open_room(SAY, CHOICE, CUTS, NUMBER)
    token = room.join()
    for at, value in enumerate((1, [2, 3], 60), start=1):
        room.go(at)
        room.answer(token, at, value)
    room.go(4)
    assert [(row["when"], row["answered"], row["score"]) for row in room.wall_view()["report"]] == [
        ("before", 1, 1.0),
        ("lesson", 1, pytest.approx(1 / 3)),
        ("lesson", 1, 0.5),
    ]
    end = room.student_view(token)["end"]
    assert end["before"] == {"answered": 1, "sum": 1.0}
    assert end["lesson"] == {"answered": 2, "sum": pytest.approx(5 / 6)}


def test_classroom_rooms_are_bounded_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    rooms = Classroom()
    opened = [rooms.open("A lesson", [CHOICE], "") for _ in range(classroom.MAX_ROOMS)]
    assert len({room.code for room in opened}) == classroom.MAX_ROOMS
    with pytest.raises(RoomError, match="10 classes are open"):
        rooms.open("One more", [CHOICE], "")
    opened[0].end()
    room = rooms.open("One more", [CHOICE], "")
    now = 61.0
    for each in (*opened[1:-1], room):
        each.see_teacher()
    opened[0] = rooms.open("Instead of one without a wall", [CHOICE], "")
    assert opened[-1].is_over and rooms.find(opened[-1].code) is None
    with pytest.raises(RoomError, match="10 classes are open"):
        rooms.open("One more", [CHOICE], "")
    for _ in range(classroom.MAX_STUDENTS):
        room.join()
    with pytest.raises(RoomError, match="200 phones"):
        room.join()
    now += 60.0 * 31
    opened[1].see_teacher()
    assert rooms.find(opened[1].code) is opened[1]
    assert rooms.find(room.code) is None and room.is_over, "its teacher has been gone for half an hour"
    for _ in range(7):
        now += 60.0 * 29
        opened[1].see_teacher()
    assert rooms.find(opened[1].code) is None, "three hours"


# The routes


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(routes, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(routes, "_WALL_SECONDS", 0)
    return TestClient(Starlette(routes=routes.ROUTES))


def open_by_ticket(client: TestClient) -> tuple[str, dict[str, str], Room]:
    plan = ClassPlan("A lesson", [CUTS, NUMBER], "./lessons")
    response = client.get(f"/class/open/{issue_ticket(plan)}", follow_redirects=False)
    match = re.fullmatch(r"\.\./([A-Z]{4})/wall#(.+)", response.headers["location"])
    assert response.status_code == 303 and match
    room = CLASSROOM.find(match[1])
    assert room is not None
    return match[1], {"Grove-Teacher": match[2]}, room


def test_classroom_routes(client: TestClient) -> None:
    code, teacher, _ = open_by_ticket(client)
    at = f"/some/prefix/class/{code}"
    student = {"Grove-Student": client.post(f"{at}/join").json()["token"]}

    def lead(do: str) -> None:
        assert client.post(f"{at}/pace", headers=teacher, json={"do": do, "at": 0}).status_code == 204

    lead("go")
    seen = client.get(f"{at}/state", headers=student).json()
    assert seen["slide"]["clusters"] == CUTS["clusters"] and seen["answer"] is None
    after = f"{at}/state?after={seen['pace']}"
    assert client.get(after, headers=student).status_code == 204, "nothing new"
    assert client.post(f"{at}/answer", headers=student, json={"at": 0, "value": [2]}).status_code == 204
    refused = client.post(f"{at}/answer", headers=student, json={"at": 0, "value": "two"})
    assert (refused.status_code, refused.text) == (409, "This is no answer to the question.")
    lead("picture")
    wall = client.get(f"{at}/all", headers=teacher).json()
    assert (wall["answered"], wall["joined"], wall["picture"]["counts"][2]) == (1, 1, 1)
    assert client.get(f"{at}/qr.svg?url=http://10.0.0.1/class/{code}").text.startswith("<?xml")
    report = client.get(f"{at}/report.csv", headers=teacher)
    assert report.content.startswith(codecs.BOM_UTF8)
    assert report.text.splitlines()[1] == "1,Where?,cuts,lesson,1,0.5"
    lead("end")
    gone = client.get(f"{at}/state", headers=student)
    assert gone.status_code == 404 and "Check the code" in gone.text


def test_only_the_teacher_leads_and_only_who_joined_answers(client: TestClient) -> None:
    code, teacher, room = open_by_ticket(client)
    student = {"Grove-Student": room.join()}
    for path in ("all", "report.csv"):
        assert client.get(f"/class/{code}/{path}", headers={"Grove-Teacher": "guessed"}).status_code == 403
    assert client.post(f"/class/{code}/pace", json={"do": "end"}, headers=student).status_code == 403
    assert client.get(f"/class/{code}/state").status_code == 403
    assert client.post("/class/XXXX/join").status_code == 404
    for body in (b"[]", b"{", b"[" * 9000, b'{"at": "1"}', b'{"at": true}'):
        response = client.post(f"/class/{code}/answer", headers=student, content=body)
        assert response.status_code in (400, 413)
    assert client.post(f"/class/{code}/pace", headers=teacher, json={"do": "dance"}).status_code == 400
    assert client.get("/class/open/guessed").status_code == 404


@pytest.mark.slow
def test_a_lesson_is_opened_again_by_its_name(client: TestClient) -> None:
    response = client.get("/class/open/token", follow_redirects=False)
    room = CLASSROOM.find(response.headers["location"].split("/")[1])
    assert room is not None and (room.title, room.link) == ("What a token is", "../open/token")


def test_a_lesson_is_not_worked_out_if_there_is_no_room(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out: list[object] = []
    monkeypatch.setattr(routes, "work_out", lambda *each: worked_out.append(each))
    monkeypatch.setattr(CLASSROOM, "_rooms", {"ABCD": open_room()})
    monkeypatch.setattr(classroom, "MAX_ROOMS", 1)
    assert client.get("/class/open/token").status_code == 409 and not worked_out


def test_a_poll_ends_with_the_news() -> None:
    async def poll() -> float:
        room = open_room()
        loop = asyncio.get_running_loop()
        loop.call_later(0.05, room.go, 0)
        began = loop.time()
        assert await room.wait(room.pace, 5, for_student=True)
        assert not await room.wait(room.pace, 0.01, for_student=True)
        return loop.time() - began

    assert run(poll()) < 4


@pytest.mark.slow
def test_slides_of_every_lesson_are_seen() -> None:
    for lesson in list_lessons():
        room = open_room(*slides_of(work_out(lesson, tk.get_encoding)))
        for at in range(len(room.slides)):
            room.go(at)
            room.reveal(at)
            assert room.student_view(room.join())["at"] == room.wall_view()["at"] == at


# A class in the browser

LESSON = """
title = "A short one"
question = "Where are the cuts?"
minutes = 1
[texts]
word = "unbelievable"
arabic = "مرحبا بالعالم"
[figures]
parts = "tokens(word, 'cl100k_base')"
[[quiz]]
kind = "choice"
asks = "Is a token a word?"
choices = [{ says = "Sometimes", right = true }, { says = "Always", why = "Rare words are several." }]
[[step]]
kind = "cuts"
asks = "Where does GPT-4 cut it?"
text = "word"
encodings = ["cl100k_base"]
reveals = "It has {parts} tokens."
[[step]]
kind = "cuts"
asks = "And this?"
text = "arabic"
encodings = ["cl100k_base"]
reveals = "So it is."
[[step]]
kind = "number"
asks = "How many tokens has the word?"
figure = "parts"
low = 1
high = 12
reveals = "{parts}."
"""


def open_wall(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto(f"/lessons?lesson=own&own={pack_state({'lesson': LESSON})}")
    with context.expect_page() as wall:
        page.get_by_role("button", name="Run with a class").click()
        expect(page.get_by_text("Only this computer can open the app")).to_be_visible()
        page.get_by_role("link", name="Open the class on this computer").click()
    expect(wall.value.get_by_text("Nobody has joined yet.")).to_be_visible()
    expect(wall.value.get_by_text(class_command())).to_be_visible()
    wall.value.get_by_role("button", name="Copy").click()
    expect(wall.value.get_by_role("button", name="Copied")).to_be_visible()
    assert "#" not in wall.value.url, "the class sees the address bar on the projector, and with it the key"
    wall.value.reload()
    expect(wall.value.get_by_text("Nobody has joined yet.")).to_be_visible()
    return wall.value


def send(phone: Page) -> None:
    phone.get_by_role("button", name="Send").click()
    expect(phone.get_by_text("Sent. You can change it")).to_be_visible()


def press(wall: Page, *labels: str) -> None:
    for label in labels:
        wall.get_by_role("button", name=re.compile(label)).click()


@pytest.mark.browser
def test_class_of_a_teacher_and_three_phones(browser: Browser, context: BrowserContext, server: str) -> None:
    wall = open_wall(context)
    code = wall.locator("header .code").inner_text()
    sizes: list[ViewportSize] = [PHONE, PHONE, {"width": 320, "height": 568}]
    contexts = [browser.new_context(base_url=server, viewport=size, has_touch=True) for size in sizes]
    large, late, small = [each.new_page() for each in contexts]
    for phone in (large, small):
        phone.goto("/class")
        phone.get_by_label("The code of your class").fill(code.lower())
        phone.get_by_role("button", name="Join").click()
        expect(phone.get_by_text("Wait for your teacher")).to_be_visible()
    wall.keyboard.press("ArrowRight")

    # The question before: no truth, and on with a clicker's key.
    large.get_by_text("Always").click()
    send(large)
    expect(wall.get_by_text("1 of 2 have answered")).to_be_visible()
    wall.keyboard.press("PageDown")
    expect(wall.locator(".votes-row").nth(1)).to_contain_text("1")
    wall.keyboard.press("PageDown")

    # Cuts, also by a phone that loses the network, and is reloaded.
    large.get_by_role("button", name="No cut between n and b").tap()
    send(large)
    contexts[2].set_offline(True)
    small.get_by_role("button", name="No cut between e and l").tap()
    small.get_by_role("button", name="Send").click()
    expect(small.get_by_text("Not sent yet: there is no connection.")).to_be_visible()
    contexts[2].set_offline(False)
    expect(small.get_by_text("You are connected again, and your answer was sent.")).to_be_visible()
    small.reload()
    expect(small.get_by_role("button", name="Cut between e and l", exact=True)).to_be_visible()
    press(wall, "Show the class")
    expect(wall.locator(".vote .bar small")).to_have_text(["50%", "50%"])
    press(wall, "Show the truth")
    expect(wall.locator(".most-wrong")).to_contain_text("cut after")
    expect(large.locator(".score")).to_contain_text("Score")

    # Somebody comes late, at a right-to-left text. The arrow that leads on is at its left.
    press(wall, "Next")
    late.route("**/join", lambda route: route.fulfill(status=429), times=1)
    late.route("**/state*", lambda route: route.fulfill(status=429), times=1)
    late.goto(f"/class/{code}")
    line = late.locator(".line")
    expect(line).to_have_attribute("dir", "rtl")
    line.locator(".gap").first.focus()
    late.keyboard.press("ArrowLeft")
    late.keyboard.press(" ")
    expect(line.locator(".gap").nth(1)).to_have_attribute("aria-pressed", "true")
    send(late)
    assert late.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # A number; then back, where all is as it was, and to the end.
    press(wall, "Show the class", "Show the truth", "Next")
    small.locator("input[type=range]").tap()  # where it stands already, in the middle
    send(small)
    press(wall, "Show the class", "Show the truth")
    expect(wall.locator(".guess-dot")).to_have_count(1)
    wall.keyboard.press("ArrowLeft")
    expect(wall.get_by_text("And this?")).to_be_visible()
    expect(late.locator(".score")).to_be_visible()
    for words in ("How many tokens", "Is a token a word?"):
        wall.keyboard.press("ArrowRight")
        expect(wall.get_by_text(words)).to_be_visible()
    late.get_by_text("Always").click()
    send(late)
    press(wall, "Show the class", "Show the truth")
    expect(late.locator(".score")).to_have_text("No. Rare words are several.")
    press(wall, "To the end")
    expect(wall.get_by_text("Right answers before the lesson: 0%. After it: 0%.")).to_be_visible()
    wall.on("dialog", lambda dialog: dialog.accept())
    press(wall, "End the class")
    expect(small.get_by_text("The class is over.")).to_be_visible()
    small.reload()
    expect(small.get_by_text(f"There is no class {code}.")).to_be_visible()
    wall.reload()
    expect(wall.get_by_role("link", name="Open it again")).to_be_visible()
    for each in contexts:
        each.close()
