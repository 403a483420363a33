"""A live class: rooms, their routes, and a class in the browser."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import tokenizers as tk
from pages.learn.classroom import routes
from pages.server.start_check import class_command
from pages.session.tickets import issue_ticket
from pages.teaching import classroom
from pages.teaching.class_plan import (
    PLANS,
    PlanPart,
    read_plan,
    slides_of,
    write_plan,
)
from pages.teaching.classroom import CLASSROOM, Classroom
from pages.teaching.kinds import KINDS
from pages.teaching.kinds.next_token import MAX_ROUNDS, ask_what_follows
from pages.teaching.kinds.typed import ask_to_type
from pages.teaching.lesson_files import list_lessons
from pages.teaching.room import MAX_STUDENTS, ClassPlan, Part, Room, RoomError, Slide
from pages.teaching.work_out import work_out
from tests.browser import PHONE, expect, expect_text, press
from tests.classes import code_of, end_class, expect_step, lead, reveal, send
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
SLIDES: dict[str, Slide] = tomllib.loads("""
    [choice]
    kind = "choice"
    when = "before"
    asks = "Which?"
    choices = ["a", "b", "c"]
    right = 1
    whys = ["Too short.", "", "Too long."]
    quiz = 0

    [number]
    kind = "number"
    when = "lesson"
    asks = "How many?"
    low = 1
    high = 90
    step = 1
    value = 30

    [begin]
    kind = "part"
    when = "lesson"
    asks = "It begins"
    question = "?"

    [say]
    kind = "say"
    when = "lesson"
    asks = "So it is."
    reveals = ""
""")
CHOICE = SLIDES["choice"]
NUMBER = SLIDES["number"]
BEGIN = SLIDES["begin"]
SAY = SLIDES["say"]
TYPED = ask_to_type()


def plan_of(*slides: Slide) -> ClassPlan:
    """A class of one part with these slides."""
    return ClassPlan("A lesson", [Part("A lesson", slides)], "./lessons")


def open_room(*slides: Slide) -> Room:
    return Classroom().open(plan_of(*(slides or (CHOICE, CUTS, NUMBER, SAY))))


def open_parts(*parts: Part) -> Room:
    return Classroom().open(ClassPlan("Some parts", parts, ""))


def comes_too_late(room: Room, token: str, number: int, value: Any) -> None:
    """The room refuses this answer: the class has gone on."""
    with pytest.raises(RoomError, match="gone on"):
        room.answer(token, number, value)


def test_students_see_no_truth_before_it_is_revealed() -> None:
    room = open_room()
    token = room.join()

    def sees_truth() -> bool:
        hidden = {"shows", "right", "whys", "value", "reveals"}
        return bool(hidden & room.student_view(token)["slide"].keys())

    for at in range(3):
        room.go(at)
        assert not sees_truth()
    room.reveal(1)
    room.show_picture(1)
    assert not any(each.is_revealed or each.is_pictured for each in room.slides), "asked for too late"
    room.reveal(2)
    assert room.student_view(token)["slide"]["value"] == 30
    room.go(1)
    assert not sees_truth(), "of another step"
    room.go(2)
    assert room.student_view(token)["slide"]["value"] == 30, "it is still known after going back"
    room.go(0)
    room.reveal(0)
    assert not sees_truth(), "the quiz before the lesson has none"


def test_an_answer_can_be_changed_until_the_truth_is_known() -> None:
    room = open_room()
    one, other = room.join(), room.join()
    room.go(1)
    room.answer(one, 1, [2])
    room.go(3)
    room.answer(one, 1, [5, 2])  # of a phone that had no connection
    comes_too_late(room, one, 2, 30)  # it was skipped
    comes_too_late(room, one, 9, 30)  # there is none
    room.go(1)
    room.answer(other, 1, [5])
    assert room.wall_view()["answered"] == 2
    assert "picture" not in room.wall_view(), "the class’s picture is hidden until the teacher shows it"
    room.show_picture(room.at)
    picture = room.wall_view()["picture"]
    assert (picture["n"], picture["counts"][2], picture["counts"][5]) == (2, 1, 2)
    assert picture["wrong"] == {"place": 5, "says": "2 of 2 cut here: “unbel | ievabl…”. merged"}
    room.reveal(room.at)
    comes_too_late(room, one, 1, [])
    assert room.student_view(one)["answer"] == [2, 5] and room.student_view(other)["answer"] == [5]
    room.go(2)
    comes_too_late(room, one, 1, [2])


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


def test_phones_that_have_left_make_way(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    room = open_room()
    room.go(0)
    tokens = [room.join() for _ in range(MAX_STUDENTS)]
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


REPORT = """[
  {"lesson": "A lesson", "number": 1, "when": "before", "kind": "choice", "question": "Which?",
   "answered": 2, "score": 0.5, "wrong": "1 of 2 chose “a”. Too short.",
   "both": null, "before": null, "later": null},
  {"lesson": "A lesson", "number": 2, "when": "lesson", "kind": "cuts", "question": "Where?",
   "answered": 1, "score": 0.33, "wrong": "1 of 1 cut here: “unb | elieva…”. merged",
   "both": null, "before": null, "later": null},
  {"lesson": "A lesson", "number": 3, "when": "lesson", "kind": "number", "question": "How many?",
   "answered": 2, "score": 0.75, "wrong": null,
   "both": null, "before": null, "later": null},
  {"lesson": "A lesson", "number": 4, "when": "after", "kind": "choice", "question": "Which?",
   "answered": 3, "score": 0.67, "wrong": "1 of 3 chose “a”. Too short.",
   "both": 2, "before": 1, "later": 2}
]"""


def test_the_report_compares_those_who_answered_before_and_after() -> None:
    room = open_room(SAY, CHOICE, CUTS, NUMBER, {**CHOICE, "when": "after"})
    tokens = [room.join() for _ in range(3)]
    answers: list[list[Any]] = [[0, 1], [[2, 3]], [60, 30], [1, 1, 0]]
    for at, values in enumerate(answers, 1):
        room.go(at)
        for token, value in zip(tokens, values, strict=False):
            room.answer(token, at, value)
    room.go(5)
    assert room.wall_view()["report"] == json.loads(REPORT)
    assert room.student_view(tokens[0])["end"] == {"both": 1, "before": 0.0, "later": 1.0}
    assert room.student_view(tokens[2])["end"]["both"] == 0


def test_the_report_compares_the_same_question_of_the_same_lesson() -> None:
    twice = [{**CHOICE, "quiz": number} for number in range(2)]
    slides = [*twice, *({**each, "when": "after"} for each in twice)]
    room = open_parts(Part("One", slides), Part("Two", slides))
    token = room.join()
    right = {1: 0, 3: 1, 5: 1, 6: 1}  # by place; what is not here is answered wrongly
    for at in range(8):
        room.go(at)
        room.answer(token, at, 1 if right.get(at) else 0)
    compared = [(row["before"], row["later"]) for row in room.report() if row["when"] == "after"]
    assert compared == [(0, 0), (0, 1), (0, 1), (1, 0)]


def test_answers_to_a_question_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.teaching.room.MAX_STUDENTS", 2)
    monkeypatch.setattr("pages.teaching.room.SECONDS_AWAY", 0)  # who asked is away at once
    room = open_room()
    room.go(0)
    first, second, third = (room.join() for _ in range(3))
    room.answer(first, 0, 1)
    room.answer(second, 0, 1)
    with pytest.raises(RoomError, match="2 answers already"):
        room.answer(third, 0, 1)
    room.answer(second, 0, 2)


def test_a_question_before_the_lesson_is_closed_once_the_lesson_has_begun() -> None:
    room = open_room(BEGIN, CHOICE, CUTS, {**CHOICE, "when": "after"})
    token = room.join()
    for at in (0, 1, 2, 1):
        assert not room.student_view(token).get("closed")
        room.go(at)
    assert room.student_view(token)["closed"]
    comes_too_late(room, token, 1, 1)


def test_a_lesson_is_held_once_its_last_step_was_seen() -> None:
    slides = [BEGIN, CHOICE, CUTS, SAY, {**CHOICE, "when": "after"}]
    names = ("one", "two", "three")
    room = open_parts(*(Part(name, slides, link=f"../lessons?lesson={name}") for name in names))
    token = room.join()
    # All but what comes after it; its beginning; all but its last step.
    for at in (0, 1, 2, 3, 5, 10, 11, 12):
        room.go(at)
    assert [part["state"] for part in room.wall_view()["agenda"]] == ["held", "", "begun"]
    links = [{"title": "one", "link": "../lessons?lesson=one"}]
    assert "links" not in room.student_view(token)
    room.let_explore(True)
    assert room.student_view(token)["links"] == links
    room.let_explore(False)
    assert "links" not in room.student_view(token)
    room.go(15)
    assert {row["lesson"] for row in room.wall_view()["report"]} == {"one", "three"}, "answers are not lost"
    assert room.student_view(token)["links"] == links
    room.go(12)
    room.end()
    comes_too_late(room, token, 12, [2])
    assert room.student_view(token)["links"] == links, "they stay when the class has ended"


def test_the_agenda_and_the_time_are_those_of_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    room = open_parts(Part("One", [CUTS, SAY], minutes=5), Part("Two", [NUMBER], minutes=8))
    now = 400.0
    view = room.wall_view()
    assert (view["minutes"], view["elapsed"]) == (13, 0), "while phones join, no time is lost"
    assert view["agenda"] == [
        {"title": "One", "minutes": 5, "at": 0, "state": ""},
        {"title": "Two", "minutes": 8, "at": 2, "state": ""},
    ]
    room.go(1)
    now = 460.0
    view = room.wall_view()
    assert (view["elapsed"], view["part"], view["step"], view["steps"]) == (60, 0, 2, 2)
    room.go(2)
    assert (room.wall_view()["part"], room.wall_view()["elapsed"]) == (1, 60)


# Steps that only a class has


def test_typed_texts_come_at_once_and_can_be_hidden() -> None:
    room = open_room(TYPED)
    one, other = room.join(), room.join()
    room.go(0)

    def texts_on_wall() -> list[str]:
        return [each["text"] for each in room.wall_view()["picture"]["typed"]]

    answer = room.answer(one, 0, "  Ada\nLovelace ")
    assert isinstance(answer, dict) and room.student_view(one)["answer"] == answer
    assert [token["id"] for token in answer["tokens"]] == tk.get_encoding("o200k_base").encode("Ada Lovelace")
    room.answer(other, 0, "the name\ud83d")
    assert texts_on_wall() == ["Ada Lovelace", "the name\ufffd"]
    version = room.version
    room.hide(0, 0)
    assert room.version > version, "the wall hears of it"
    assert room.student_view(one)["is_hidden"] and not room.student_view(other)["is_hidden"]
    with pytest.raises(RoomError, match="off the wall"):
        room.answer(one, 0, "something else")
    room.hide(0, 0)
    room.hide(0, 1)
    room.hide(0, 7)
    assert texts_on_wall() == []
    room.show_hidden(0)  # the one taken off last; the other was taken off once, although twice asked for
    assert texts_on_wall() == ["the name\ufffd"]
    picture = room.wall_view()["picture"]
    assert (picture["numbers"], picture["n_hidden"], room.wall_view()["answered"]) == ([1], 1, 2)
    room.show_hidden(0)
    room.show_hidden(0)
    room.reveal(0)
    comes_too_late(room, other, 0, "no more")
    room.reopen(0)
    room.answer(other, 0, "once more")
    assert texts_on_wall() == ["Ada Lovelace", "once more"]


def test_the_class_votes_until_the_sentence_ends() -> None:
    room = open_room(ask_what_follows(" said"), SAY)
    tokens = [room.join() for _ in range(3)]
    room.go_on(-1)
    slide = room.student_view(tokens[0])["slide"]
    assert slide["choices"] == ["·Anna", "·Margaret", "·Mrs", "·Thomas", "."], "not the likeliest first"
    assert not {"shares", "pieces", "reveals"} & slide.keys()
    for token, place in zip(tokens, (1, 1, 4), strict=True):
        room.answer(token, 0, place)
    room.reveal(0)
    view = room.wall_view()
    assert view["picture"] == {"n": 3, "counts": [0, 2, 0, 0, 1], "winner": 1}
    assert view["slide"]["reveals"].endswith("would have said “·Thomas”.")
    room.go_on(0)
    vote = room.wall_view()
    assert (vote["slide"]["text"], vote["at"]) == (" said Margaret", 1)
    room.go_on(0)
    assert room.at == 1, "a second press of the same button"
    room.go(0)
    room.go_on(0)
    assert (len(room.slides), room.at) == (3, 1), "going back and on makes no other vote"
    comes_too_late(room, tokens[0], 0, 1)
    room.answer(tokens[0], vote["number"], vote["slide"]["choices"].index("."))
    room.reveal(vote["number"])
    room.go_on(vote["number"])
    assert room.wall_view()["slide"]["asks"] == "The class has written: “ said Margaret.”"
    room.go_on(room.wall_view()["number"])
    assert room.wall_view()["slide"]["asks"] == SAY["asks"]


def test_of_equal_votes_the_likeliest_wins_and_the_sentence_has_an_end() -> None:
    room = open_room(ask_what_follows())
    room.go(0)
    one, other = room.join(), room.join()
    choices = room.wall_view()["slide"]["choices"]
    room.answer(one, 0, choices.index("·and"))
    room.answer(other, 0, choices.index("·was"))
    room.reveal(0)
    assert choices[room.wall_view()["picture"]["winner"]] == "·was"
    for _ in range(30):
        room.go_on(room.wall_view()["number"])
    comes_too_late(room, one, 1, 0)  # the next vote has been made of its answers
    says = [each.slide["asks"] for each in room.slides if each.slide["kind"] == "say"]
    assert len(room.slides) <= MAX_ROUNDS + 1 and len(says) == 1 and "“The letter was" in says[0]


# Plans


def test_plans_are_read_as_they_are_written() -> None:
    lessons = list_lessons()
    parts = [PlanPart("name"), PlanPart("token", (0, 2)), PlanPart("spelling"), PlanPart("next_token")]
    assert read_plan(write_plan(parts), lessons) == parts
    for written in PLANS.values():
        assert write_plan(read_plan(written, lessons)) == written


def test_classroom_rooms_are_bounded_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    rooms = Classroom()
    opened = [rooms.open(plan_of(CHOICE)) for _ in range(classroom.MAX_ROOMS)]
    assert len({room.code for room in opened}) == classroom.MAX_ROOMS
    with pytest.raises(RoomError, match="10 classes are open"):
        rooms.open(plan_of(CHOICE))
    opened[0].end()
    room = rooms.open(plan_of(CHOICE))
    now = 61.0
    for each in (*opened[1:-1], room):
        each.see_teacher()
    rooms.open(plan_of(CHOICE))
    assert opened[-1].is_over and rooms.find(opened[-1].code) is None, "its teacher is away"
    for _ in range(MAX_STUDENTS):
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


APP = Starlette(routes=routes.ROUTES)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(routes, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(routes, "_WALL_SECONDS", 0)
    return TestClient(APP)


def opened_by(client: TestClient, name: str) -> Room:
    """The room to whose wall a request leads that opens a lesson or a plan."""
    location = client.get(f"/class/open/{name}", follow_redirects=False).headers["location"]
    room = CLASSROOM.find(location.split("/")[1])
    assert room is not None and location == f"../{room.code}/wall#{room.key}"
    return room


def browser_in(room: Room, **headers: str) -> TestClient:
    """The browser of a phone or of the wall, whose paths begin at the room."""
    url = f"http://testserver/some/prefix/class/{room.code}/"
    return TestClient(APP, base_url=url, headers=headers)


def open_by_ticket(client: TestClient) -> tuple[Room, TestClient, TestClient]:
    """A new room, the wall's browser, and that of a phone."""
    plan = plan_of(CUTS, NUMBER)  # its ticket does not keep it
    room = opened_by(client, issue_ticket(plan))
    token = browser_in(room).post("join").json()["token"]
    return room, browser_in(room, **{"Grove-Teacher": room.key}), browser_in(room, **{"Grove-Student": token})


def test_classroom_routes(client: TestClient) -> None:
    room, wall, phone = open_by_ticket(client)

    def lead(request: bytes) -> None:
        assert wall.post("pace", content=request).status_code == 204

    lead(b'{"do": "go on", "number": -1}')
    seen = phone.get("state").json()
    assert seen["slide"]["clusters"] == CUTS["clusters"] and seen["answer"] is None
    assert phone.get(f"state?after={seen['pace']}").status_code == 204, "nothing new"
    taken = phone.post("answer", content=b'{"number": 0, "value": [2, 8, 8]}')
    assert taken.json() == {"answer": [2, 8]}
    refused = phone.post("answer", content=b'{"number": 0, "value": "two"}')
    assert (refused.status_code, refused.text) == (409, "This is no answer to the question.")
    drawn = wall.get("all").json()
    assert (drawn["answered"], drawn["joined"]) == (1, 1)
    assert phone.get(f"qr.svg?url=http://10.0.0.1/class/{room.code}").text.startswith("<?xml")
    _, *rows = wall.get("report.csv").text.splitlines()
    assert rows == ["A lesson,1,lesson,cuts,Where?,1,1.0,,,,"], "nobody was asked the other question"
    lead(b'{"do": "end", "number": 0}')
    gone = phone.get("state")
    assert gone.status_code == 404 and "Check the code" in gone.text


def test_only_the_teacher_leads_and_only_who_joined_answers(client: TestClient) -> None:
    room, wall, phone = open_by_ticket(client)
    stranger = browser_in(room, **{"Grove-Teacher": "guessed"})
    for path in ("all", "report.csv", "state"):
        assert stranger.get(path).status_code == 403
    assert phone.post("pace", content=b'{"do": "end"}').status_code == 403
    assert client.post("/class/XXXX/join").status_code == 404
    for body in (b"[]", b"{", b"[" * 9000, b'{"number": "1"}', b'{"number": true}'):
        assert phone.post("answer", content=body).status_code in (400, 413)
    assert wall.post("pace", content=b'{"do": "dance"}').status_code == 400
    assert client.get("/class/open/guessed").status_code == 404


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
def test_a_lesson_and_a_plan_are_opened_by_their_links(client: TestClient) -> None:
    lesson = opened_by(client, "token").plan
    assert (lesson.title, lesson.link) == ("What a token is", "../open/token")
    plan = opened_by(client, "plan?parts=name,token:0-2").plan
    minutes = {part.title: part.minutes for part in plan.parts}
    assert minutes == {"Type your name": 4, "What a token is": 2}
    assert plan.link == "../open/plan?parts=name,token:0-2"
    refused = client.get("/class/open/plan?parts=token:77")
    assert refused.status_code == 400 and "Choose its steps again" in refused.text


# A class in the browser


@pytest.fixture
def open_phone(browser: Browser, server: str) -> Iterator[Callable[..., Page]]:
    """Opens a page of another phone, each a person's own."""
    with ExitStack() as phones:

        def open_it(size: ViewportSize = PHONE) -> Page:
            return phones.enter_context(browser.new_page(base_url=server, viewport=size, has_touch=True))

        yield open_it


def test_a_class_of_a_teacher_and_two_phones(
    context: BrowserContext, open_phone: Callable[..., Page]
) -> None:
    wall = context.new_page()
    ada = open_phone()
    omar = open_phone({"width": 320, "height": 568})
    code = open_wall(wall)
    for phone in (ada, omar):
        join_where_requests_are_refused_at_first(phone, code)
    lead(wall, "Begin", "Next ›")
    fill_the_wall_with_names(wall, ada, omar)
    wall.close()
    wall = context.new_page()
    wall.goto(f"/class/{code}/wall")
    lead_on_in_another_tab(wall, ada)
    answer_the_question_before(wall, ada)
    jump_by_the_agenda(wall)
    send_a_number(wall, ada)
    answer_the_question_after(wall, ada, omar)
    vote_for_the_next_token(wall, ada, omar)
    end_with_the_report(wall, ada)
    expect_text(ada, "The class is over.")
    ada.reload()
    expect_text(ada, f"There is no class {code}.")
    wall.reload()
    expect_text(wall, "This class has ended, or the server was restarted.")
    expect(wall.get_by_role("link", name="Open it again")).to_be_visible()
    expect(wall.get_by_role("button")).to_have_count(0)
    assert "key" not in str(wall.evaluate("() => ({...localStorage, ...sessionStorage})"))
    wall.close()


def open_wall(wall: Page) -> str:
    """The code of a new class of three parts."""
    wall.goto("/class/open/plan?parts=name,spelling:0-4,next_token")
    expect_text(wall, "Nobody has joined yet.")
    expect(wall.locator(".agenda-part")).to_have_count(3)
    expect_text(wall, class_command())
    press(wall, "Copy")
    expect(wall.get_by_role("button", name="Copied")).to_be_visible()
    assert "#" not in wall.url, "the class sees the address bar on the projector, and with it the key"
    wall.on("dialog", lambda dialog: dialog.accept())
    return code_of(wall)


def join_where_requests_are_refused_at_first(phone: Page, code: str) -> None:
    """As by a proxy, if all phones of a school share one address."""
    for path in ("**/join", "**/state*"):
        phone.route(path, lambda route: route.fulfill(status=429), times=1)
    phone.goto(f"/class/{code}")
    expect_text(phone, "Wait for your teacher")


def fill_the_wall_with_names(wall: Page, ada: Page, omar: Page) -> None:
    """They come at once, stand in their own direction, and can be taken off it."""
    for phone, name in ((ada, "<b>Ada"), (omar, "محمد علي")):
        phone.get_by_role("textbox").fill(name)
        phone.keyboard.press("Enter")
        expect(phone.locator(".own .chip").first).to_be_visible()
        expect_text(phone, "You can change it until the class goes on.")
    cards = wall.locator(".card")
    expect(cards.locator(".tokens").first).to_contain_text("<")
    expect(cards.locator(".tokens").nth(1)).to_have_attribute("dir", "rtl")
    expect(cards.first).to_have_css("overflow", "hidden")  # piled-up marks stay in it
    press(wall, "Take “<b>Ada” off the wall")
    expect(cards).to_have_count(1)
    expect_text(ada, "Your teacher took your text off the wall.")
    lead(wall, "1 taken off: bring the last one back", "Take no more texts")
    expect(cards).to_have_count(2)
    expect_text(wall, "No more texts are taken.")


def lead_on_in_another_tab(wall: Page, phone: Page) -> None:
    """Space leads on, and does not press what was pressed last."""
    expect(wall.locator(".card")).to_have_count(2)
    press(wall, "Let phones explore")
    expect(wall.get_by_role("button", name="Phones may explore")).to_be_visible()
    expect(phone.get_by_role("link", name="Try your own name")).to_be_visible()
    wall.keyboard.press(" ")
    expect_step(wall, "Counting letters")
    expect(wall.locator(".time")).to_have_text(re.compile("^1[45] min left$"))


def answer_the_question_before(wall: Page, phone: Page) -> None:
    """It has no truth, and a clicker's key leads on."""
    wall.keyboard.press("ArrowRight")
    phone.get_by_text("They skip letters").click()
    send(phone)
    expect_text(wall, "1 of 2 have answered")
    wall.keyboard.press("PageDown")
    expect(wall.locator(".votes-row").nth(2)).to_contain_text("1")
    wall.keyboard.press("PageDown")
    expect_step(wall, "Which question gives")


def jump_by_the_agenda(wall: Page) -> None:
    """Over a lesson, and back to it."""
    agenda = wall.get_by_role("dialog")
    press(wall, "Agenda")
    agenda.get_by_role("button", name="What comes next?").click()
    expect_step(wall, "What comes next?")
    press(wall, "Agenda")
    expect(agenda.locator(".done")).to_have_count(1)
    wall.keyboard.press("ArrowRight")  # a presenter's remote closes it, and turns nothing
    expect(agenda).to_be_hidden()
    lead(wall, "Agenda", "Close", "Agenda")
    agenda.get_by_role("button", name="you were here, at step 3").click()
    expect_step(wall, "Which question gives")


def send_a_number(wall: Page, phone: Page) -> None:
    lead(wall, "Show the class", "Next ›")
    phone.locator(".guess input").tap()  # where it stands already, in the middle
    send(phone)
    reveal(wall)
    expect(wall.locator(".dots-line")).to_contain_text("median ")
    press(wall, "Next ›")


def answer_the_question_after(wall: Page, *phones: Page) -> None:
    expect_step(wall, "Why do models")
    for phone, choice in zip(phones, ("They get numbers", "They skip letters"), strict=True):
        phone.get_by_text(choice).click()
        send(phone)
    reveal(wall)
    expect(wall.locator(".most-wrong")).to_contain_text("1 of 2 chose “They skip letters")
    why = "No. There are no letters to skip: a model gets whole tokens."
    expect(phones[1].locator(".score")).to_have_text(why)
    assert phones[1].evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wall.locator("main").evaluate("main => main.scrollHeight <= main.clientHeight")


def vote_for_the_next_token(wall: Page, *phones: Page) -> None:
    press(wall, "Next lesson")
    expect_step(wall, "What comes next?")
    press(wall, "Next ›")
    for phone in phones:
        phone.get_by_text("·came").click()
        send(phone)
    press(wall, "Show the votes")
    expect(wall.locator(".votes-row.winner")).to_contain_text("→ ·came")
    expect_text(phones[0], "How likely each was")
    press(wall, "Next token")
    expect_step(wall, "Vote 2")
    expect(phones[0].locator(".plain")).to_have_text("The letter came")


def end_with_the_report(wall: Page, phone: Page) -> None:
    press(wall, "To the end")
    cells = ["Counting letters", "Why do models sometimes miscount the letters of a word?", "0 of 1 → 1 of 1"]
    expect(wall.locator(".changes tbody td")).to_have_text(cells)
    expect_text(phone, "Right answers: 0 of 1 before the lesson, 1 of 1 after it.")
    with phone.context.expect_page() as opened:
        phone.get_by_role("link", name="Try your own name").click()
    expect(opened.value.get_by_role("textbox").first).to_be_visible()
    end_class(wall)
