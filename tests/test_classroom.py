"""A live class: rooms, their routes, and a class in the browser."""

from __future__ import annotations

import asyncio
import codecs
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

import tokenizers as tk
from pages.learn.classroom import routes
from pages.session import classroom
from pages.session.classroom import (
    CLASSROOM,
    Classroom,
    Room,
    RoomError,
    Slide,
    check_answer,
    class_picture,
    score,
)
from pages.session.lessons import list_lessons, work_out
from pages.session.links import pack_state
from pages.session.tickets import issue_ticket
from pages.shared.classroom import ClassPlan, slides_of
from tests.browser import expect
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
    room.reveal(room.at)
    assert room.student_view(token)["slide"]["value"] == 30
    room.go(1)
    assert not hidden & room.student_view(token)["slide"].keys(), "the truth of another step"
    room.go(2)
    assert room.student_view(token)["slide"]["value"] == 30, "it is still known after going back"


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


def test_the_most_frequent_wrong_answer_has_its_reason() -> None:
    assert class_picture(CHOICE, [1, 2, 2, 0])["wrong"] == {"place": 2, "count": 2, "why": "Too long."}
    assert "wrong" not in class_picture(CHOICE, [1, 1])


def test_what_comes_late_reveals_nothing_else() -> None:
    room = open_room()
    room.go(2)
    room.reveal(1)
    room.show_picture(1)
    assert not room.revealed and not room.pictured


@pytest.mark.parametrize(
    ("value", "guess", "expected"), [(-2, -4, 0), (0, -4, 0), (0, 0, 1), (-2, -2, 1), (4, 2, 0.5)]
)
def test_a_score_is_between_0_and_1(value: float, guess: float, expected: float) -> None:
    assert score({**NUMBER, "value": value}, guess) == expected


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


def test_without_a_code_the_page_asks_for_it(client: TestClient) -> None:
    response = client.get("/class")
    assert response.status_code == 200 and response.url.path == "/class/"
    assert "phone.js" in response.text


def test_the_quiz_before_has_no_truth() -> None:
    room = open_room(CHOICE)
    room.go(0)
    room.reveal(room.at)
    assert not room.revealed and "right" not in room.student_view(room.join())["slide"]


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
    with pytest.raises(RoomError, match="no answer"):
        check_answer(slide, value)


@given(st.lists(st.lists(st.integers(1, 11), max_size=11), max_size=40))
def test_every_answer_is_counted_once(answers: list[list[int]]) -> None:
    room = open_room(CUTS)
    room.go(0)
    for answer in answers:
        room.answer(room.join(), 0, answer)
    picture = class_picture(CUTS, list(room.answers[0].values()))
    assert picture["n"] == len(answers)
    assert picture["counts"] == [sum(place in answer for answer in answers) for place in range(12)]


def test_the_end_shows_the_hardest_steps_and_ones_own_result() -> None:
    room = open_room()
    token = room.join()
    for at, value in enumerate((1, [2, 3], 60)):
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


def test_rooms_are_bounded_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_class_by_its_routes(client: TestClient) -> None:
    code, teacher, room = open_by_ticket(client)
    at = f"/some/prefix/class/{code}"
    student = {"Grove-Student": client.post(f"{at}/join").json()["token"]}
    pace = client.get(f"{at}/state", headers=student).json()["pace"]
    assert client.get(f"{at}/state?after={pace}", headers=student).status_code == 204, "nothing new"
    assert client.post(f"{at}/pace", headers=teacher, json={"do": "go", "at": 0}).status_code == 204
    seen = client.get(f"{at}/state?after={pace}", headers=student).json()
    assert seen["slide"]["clusters"] == CUTS["clusters"] and seen["answer"] is None
    assert client.post(f"{at}/answer", headers=student, json={"at": 0, "value": [2]}).status_code == 204
    refused = client.post(f"{at}/answer", headers=student, json={"at": 0, "value": "two"})
    assert (refused.status_code, refused.text) == (409, "This is no answer to the question.")
    client.post(f"{at}/pace", headers=teacher, json={"do": "picture", "at": 0})
    wall = client.get(f"{at}/all", headers=teacher).json()
    assert (wall["answered"], wall["joined"], wall["picture"]["counts"][2]) == (1, 1, 1)
    assert client.get(f"{at}/qr.svg?url=http://10.0.0.1/class/{code}").text.startswith("<?xml")
    report = client.get(f"{at}/report.csv", headers=teacher)
    assert report.content.startswith(codecs.BOM_UTF8)
    assert report.text.splitlines()[1] == "1,Where?,cuts,lesson,1,0.5"
    client.post(f"{at}/pace", headers=teacher, json={"do": "end"})
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


def test_the_phones_page_is_small() -> None:
    """Under 64 KB, with all its modules and styles, before compression."""
    files = classroom_files()
    assert sum(path.stat().st_size for path in files) < 64 * 1024, [path.name for path in files]
    page = files[0].read_text("utf-8")
    assert all(f"/{path.name}" in page for path in files if path.stem not in ("page", "phone"))


def classroom_files() -> list[Any]:
    assets = tk.encoding.ASSETS
    pages = [assets / "classroom" / name for name in ("page.html", "phone.html")]
    components = assets / "components"
    names = re.findall(r'\$components/([\w/.$]+)"', pages[0].read_text("utf-8"))
    todo, found = [components / name.replace("$name", "phone") for name in names], pages
    while todo:
        path = todo.pop().resolve()
        if path in found:
            continue
        found.append(path)
        if path.suffix == ".js":
            todo += [path.parent / name for name in re.findall(r'from "([^"]+)"', path.read_text("utf-8"))]
    return found


def test_every_lesson_can_be_run_with_a_class() -> None:
    for lesson in list_lessons():
        room = open_room(*slides_of(work_out(lesson, tk.get_encoding)))
        token = room.join()
        for at in range(-1, len(room.slides) + 1):
            room.go(at)
            room.reveal(room.at)
            assert room.student_view(token)["at"] == room.wall_view()["at"] == at


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
    assert "#" not in wall.value.url, "the class sees the address bar on the projector, and with it the key"
    wall.value.reload()
    expect(wall.value.get_by_text("Nobody has joined yet.")).to_be_visible()
    return wall.value


def send(phone: Page) -> None:
    phone.get_by_role("button", name="Send").click()
    expect(phone.get_by_text("Sent. You can change it")).to_be_visible()


@pytest.mark.browser
def test_a_teacher_and_four_phones(browser: Browser, context: BrowserContext, server: str) -> None:
    wall = open_wall(context)
    code = wall.locator("header .code").inner_text()
    sizes: list[ViewportSize] = [
        {"width": 390, "height": 844},
        {"width": 390, "height": 844},
        {"width": 320, "height": 568},
    ]
    contexts = [browser.new_context(base_url=server, viewport=size, has_touch=True) for size in sizes]
    phones = [each.new_page() for each in contexts]
    for phone in phones:
        phone.goto("/class")
        phone.get_by_label("The code of your class").fill(code.lower())
        phone.get_by_role("button", name="Join").click()
        expect(phone.get_by_text("Wait for your teacher")).to_be_visible()
    expect(wall.get_by_text("3 phones joined")).to_be_visible()
    wall.keyboard.press("ArrowRight")
    touch, keyboard, small = phones

    # The question before: no truth, and on with a clicker's key.
    for phone in phones:
        phone.get_by_text("Always").click()
        send(phone)
    expect(wall.get_by_text("3 of 3 have answered")).to_be_visible()
    wall.keyboard.press("PageDown")
    expect(wall.locator(".votes-row").nth(1)).to_contain_text("3")
    wall.keyboard.press("PageDown")

    # Cuts: by touch, by keyboard, and by a phone that loses the network, and is reloaded.
    touch.get_by_role("button", name="No cut between n and b").tap()
    send(touch)
    keyboard.get_by_role("button", name="No cut between u and n").focus()
    keyboard.keyboard.press("ArrowRight")
    keyboard.keyboard.press(" ")
    send(keyboard)
    contexts[2].set_offline(True)
    small.get_by_role("button", name="No cut between e and l").tap()
    small.get_by_role("button", name="Send").click()
    expect(small.get_by_text("Not sent yet: there is no connection.")).to_be_visible()
    contexts[2].set_offline(False)
    expect(small.get_by_text("You are connected again, and your answer was sent.")).to_be_visible()
    small.reload()
    expect(small.get_by_role("button", name="Cut between e and l", exact=True)).to_be_visible()
    expect(wall.get_by_text("3 of 3 have answered")).to_be_visible()
    wall.get_by_role("button", name="Show the class’s answers").click()
    expect(wall.locator(".vote .bar small")).to_have_text(["67%", "33%"])
    wall.get_by_role("button", name="Show the truth").click()
    expect(wall.locator(".most-wrong")).to_contain_text("cut after")
    expect(touch.locator(".score")).to_contain_text("Score")
    expect(touch.get_by_text("Why is it cut elsewhere?")).to_be_visible()

    # Somebody comes late, at a right-to-left text. The arrow that leads on is at its left.
    wall.get_by_role("button", name="Next").click()
    late = browser.new_context(base_url=server, viewport=sizes[0])
    newcomer = late.new_page()
    newcomer.route("**/join", lambda route: route.fulfill(status=429), times=1)
    newcomer.route("**/state*", lambda route: route.fulfill(status=429), times=1)
    newcomer.goto(f"/class/{code}")
    line = newcomer.locator(".line")
    expect(line).to_have_attribute("dir", "rtl")
    line.locator(".gap").first.focus()
    newcomer.keyboard.press("ArrowLeft")
    newcomer.keyboard.press(" ")
    expect(line.locator(".gap").nth(1)).to_have_attribute("aria-pressed", "true")
    send(newcomer)
    expect(wall.get_by_text("1 of 4 have answered")).to_be_visible()
    assert newcomer.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # A number; then back, where all is as it was, and to the end.
    for label in ("Show the class", "Show the truth", "Next"):
        wall.get_by_role("button", name=re.compile(label)).click()
    small.locator("input[type=range]").tap()  # where it stands already, in the middle
    send(small)
    for label in ("Show the class", "Show the truth"):
        wall.get_by_role("button", name=re.compile(label)).click()
    expect(wall.locator(".guess-dot")).to_have_count(1)
    expect(small.locator(".real")).to_have_text("3")
    wall.keyboard.press("ArrowLeft")
    expect(newcomer.locator(".score")).to_be_visible()
    expect(wall.get_by_text("And this?")).to_be_visible()
    wall.keyboard.press("ArrowRight")
    expect(wall.get_by_text("How many tokens")).to_be_visible()
    wall.keyboard.press("ArrowRight")
    touch.get_by_text("Sometimes").click()
    send(touch)
    keyboard.get_by_text("Always").click()
    send(keyboard)
    for label in ("Show the class", "Show the truth"):
        wall.get_by_role("button", name=re.compile(label)).click()
    expect(keyboard.locator(".score")).to_have_text("No. Rare words are several.")
    expect(wall.locator(".most-wrong")).to_have_text("1 of 2 chose “Always”. Rare words are several.")
    wall.get_by_role("button", name="To the end").click()
    expect(wall.get_by_text("Right answers before the lesson: 0%. After it: 50%.")).to_be_visible()
    expect(touch.get_by_text("Right answers: 0 of 1 before the lesson, 1 of 1 after it.")).to_be_visible()
    wall.on("dialog", lambda dialog: dialog.accept())
    wall.get_by_role("button", name="End the class").click()
    expect(small.get_by_text("The class is over.")).to_be_visible()
    small.reload()
    expect(small.get_by_text(f"There is no class {code}.")).to_be_visible()
    wall.reload()
    expect(wall.get_by_role("link", name="Open it again")).to_be_visible()
    for each in [*contexts, late]:
        each.close()
