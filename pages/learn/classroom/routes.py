"""The routes of a class: the students' page, the teacher's wall, and what both ask for and send.

    GET  class/open/TICKET    opens a room, and leads to its wall; also class/open/SLUG of a lesson, and
                              class/open/plan?parts=… (class_plan.py)
    GET  class/               asks for the code, and leads to the students' page
    GET  class/CODE           the students' page          POST class/CODE/join    → {"token", "view"}
    GET  class/CODE/wall      the teacher's wall          POST class/CODE/answer  {"number", "value"} → …
    GET  class/CODE/state     what a phone draws          POST class/CODE/pace    {"do", "number", …}
    GET  class/CODE/all       what the wall draws         GET  class/CODE/qr.svg, class/CODE/report.csv

A browser polls: ``state`` and ``all`` answer as soon as there is something new, or with 204 after
``POLL_SECONDS``. A long poll passes proxies that hold back streams, and a phone that slept asks again. The
tokens are in headers, so no log has them, and pages of other sites cannot send them.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from string import Template

import pandas as pd
import segno
import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from pages.server.component_files import files_version
from pages.server.page_script import OWN_PAGE
from pages.server.requests import read_object
from pages.server.start_check import class_urls, how_others_reach_it
from pages.session.page_state import Link
from pages.session.tickets import find_by_ticket
from pages.shared.tables import csv_of
from pages.teaching.class_plan import lesson_plan, work_out_plan
from pages.teaching.class_report import COLUMNS
from pages.teaching.classroom import CLASSROOM, CODE_LENGTH
from pages.teaching.lesson_files import list_lessons
from pages.teaching.room import ClassPlan, Room
from pages.teaching.work_out import work_out
from tokenizers import get_encoding
from tokenizers.encoding import ASSETS
from tokenizers.json_types import JsonObject

STUDENT = "Grove-Student"
"""The header with a student's token."""
TEACHER = "Grove-Teacher"
"""The header with the teacher's key."""

POLL_SECONDS = 5.0
"""After so long a poll ends without news. It is short, since a server that is stopped waits for polls."""

_WALL_SECONDS = 0.25  # the wall is drawn so often at most, however many answer
_MAX_URL = 200  # characters, of ASCII: a QR code takes milliseconds
_MAX_BODY = 8 * 1024  # the cuts of a text of 300 characters take 1.5 KB
_PAGES = ASSETS / "classroom"
_NO_STORE = {"Cache-Control": "no-store"}
_GONE = "Check the code. The class may be over, or the server was restarted."

_ON_SLIDE = {
    "go on": Room.go_on,
    "picture": Room.show_picture,
    "reveal": Room.reveal,
    "reopen": Room.reopen,
    "show hidden": Room.show_hidden,
}
"""What a teacher does with the slide of a number, by its name in a request."""

Endpoint = Callable[[Request], Awaitable[Response]]


def _room_of(request: Request) -> Room:
    room = CLASSROOM.find(request.path_params["code"])
    if room is None:
        raise HTTPException(404, _GONE)
    return room


def _taught_room(request: Request) -> Room:
    """The room of a request of its teacher's."""
    room = _room_of(request)
    if request.headers.get(TEACHER, "") != room.key:
        raise HTTPException(403, "Only the tab in which the teacher opened this class can lead it.")
    room.see_teacher()
    return room


def _joined_room(request: Request) -> tuple[Room, str]:
    """The room and the token of a request of a student's."""
    room = _room_of(request)
    token = request.headers.get(STUDENT, "")
    if not room.see(token):
        raise HTTPException(403, "This phone has not joined the class. Reload the page.")
    return room, token


def _page(name: str, up: str) -> Endpoint:
    """A page of assets/classroom. It is served for any code: its script asks whether there is such a room.

    Args:
        name: the page's name, and its script's.
        up: the path from its URL's folder to the app's.
    """

    async def send(_: Request) -> Response:
        page, body = ((_PAGES / f"{file}.html").read_text("utf-8") for file in ("page", name))
        components = f"{up}/components/{files_version()}"
        page = Template(page).substitute(name=name, body=body, components=components)
        return HTMLResponse(page, headers={"Cache-Control": "no-cache", OWN_PAGE: name})

    return send


async def add_slash(_: Request) -> Response:
    """From class to class/, where the students' page finds its files. It asks for the code there."""
    return RedirectResponse("class/", 303, _NO_STORE)


async def open_room(request: Request) -> Response:
    """Open a room for a ticket, a lesson's slug or a plan, and lead to its wall.

    The teacher's key is behind a #, so no log has it, and the wall removes it from the URL. A slug opens a
    lesson again after the server was started anew, when no ticket is valid.
    """
    name = request.path_params["ticket"]
    plan = find_by_ticket(name, ClassPlan)
    if plan is None:
        CLASSROOM.make_way()  # refuses before the work, not after it
        plan = await run_in_threadpool(_work_out_class, name, request.query_params.get("parts", ""))
    room = CLASSROOM.open(plan)
    return RedirectResponse(f"../{room.code}/wall#{room.key}", 303, _NO_STORE)


def _work_out_class(name: str, parts: str) -> ClassPlan:
    """The class of a lesson, or of a plan's parts if that is the name."""
    lessons = list_lessons()
    if name == "plan":
        try:
            return work_out_plan(parts, lessons, get_encoding)
        except (ValueError, OSError) as problem:
            raise HTTPException(400, str(problem)) from None
    for lesson in lessons:
        if lesson.slug == name:
            return lesson_plan(work_out(lesson, get_encoding), f"../open/{name}", f"../lessons?lesson={name}")
    raise HTTPException(404, "This page of Token Grove is too old. Reload it, and press again.")


async def join(request: Request) -> Response:
    """Let a phone in: its token, and what it draws."""
    room = _room_of(request)
    token = room.join()
    return JSONResponse({"token": token, "view": room.student_view(token)}, headers=_NO_STORE)


async def state(request: Request) -> Response:
    """What a phone draws, as soon as it differs from what it has: ``?after=``."""
    room, token = _joined_room(request)
    if not await room.wait(_after(request), POLL_SECONDS, for_student=True):
        return Response(status_code=204, headers=_NO_STORE)
    return JSONResponse(room.student_view(token), headers=_NO_STORE)


async def everything(request: Request) -> Response:
    """What the wall draws, as soon as it differs from what it has: ``?after=``."""
    room = _taught_room(request)
    if not await room.wait(_after(request), POLL_SECONDS, for_student=False):
        return Response(status_code=204, headers=_NO_STORE)
    await asyncio.sleep(_WALL_SECONDS)
    reach = {"urls": class_urls(), "how_to_reach": how_others_reach_it()._asdict()}
    return JSONResponse(room.wall_view() | {"link": room.plan.link, **reach}, headers=_NO_STORE)


async def answer(request: Request) -> Response:
    """Take a student's answer."""
    room, token = _joined_room(request)
    sent = await read_object(request, _MAX_BODY)
    counts = room.answer(token, _whole(sent, "number"), sent.get("value"))
    return JSONResponse({"answer": counts}, headers=_NO_STORE)


async def pace(request: Request) -> Response:
    """What the teacher does: see the methods of ``Room``."""
    room = _taught_room(request)
    sent = await read_object(request, _MAX_BODY)
    match sent.get("do"):
        case str(act) if act in _ON_SLIDE:
            _ON_SLIDE[act](room, _whole(sent, "number"))
        case "go":
            room.go(_whole(sent, "at"))
        case "hide":
            room.hide(_whole(sent, "number"), _whole(sent, "answer"))
        case "let explore":
            room.let_explore(sent.get("allowed") is True)
        case "end":
            room.end()
        case _:
            raise HTTPException(400, "There is nothing of this name that a teacher can do.")
    return Response(status_code=204)


async def qr_code(request: Request) -> Response:
    """The students' URL, ``?url=``, as a QR code. Only the browser knows it: a proxy may add a prefix."""
    _room_of(request)
    drawn = io.BytesIO()
    url = request.query_params.get("url", "")[:_MAX_URL].encode("ascii", "replace").decode()
    segno.make_qr(url).save(drawn, kind="svg", border=2, light="#fff")
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers=_NO_STORE)


async def report(request: Request) -> Response:
    """The class's results as a CSV file, a row for each question that was answered. Nobody is named."""
    rows = [row for row in _taught_room(request).report() if row["answered"]]
    table = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    return Response(csv_of(table), media_type="text/csv", headers=_NO_STORE)


def _after(request: Request) -> int:
    return Link(request.query_params).number("after", 0, 0, 999_999_999)


def _whole(sent: JsonObject, name: str) -> int:
    value = sent.get(name)
    if type(value) is not int or abs(value) > 1000:
        raise HTTPException(400, f"{name} has to be a whole number.")
    return value


class _Code(Convertor[str]):
    """The code of a room in a path. The app itself may be below a path such as /class/grove."""

    regex = f"[A-Za-z]{{{CODE_LENGTH}}}"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("code", _Code())


def _route(path: str, handle: Endpoint, method: str = "GET") -> Route:
    return Route(f"/{{prefix:path}}class/{{code:code}}{path}", handle, methods=[method])


_APP = "/" + st.get_option("server.baseUrlPath").strip("/")
_CLASS = f"{_APP.rstrip('/')}/class"  # without a wildcard, since the app itself may be at /class
ROUTES = [
    Route(_CLASS, add_slash),
    Route(f"{_CLASS}/", _page("phone", "..")),
    Route("/{prefix:path}class/open/{ticket}", open_room),
    _route("", _page("phone", "..")),
    _route("/wall", _page("wall", "../..")),
    _route("/join", join, "POST"),
    _route("/state", state),
    _route("/all", everything),
    _route("/answer", answer, "POST"),
    _route("/pace", pace, "POST"),
    _route("/qr.svg", qr_code),
    _route("/report.csv", report),
]
"""Of the app (app.py)."""
