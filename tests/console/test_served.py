"""Tests of the console of a server process: the first admin, and streams of live parts."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.console.visitor import Visitor
from tests.test_server import ADMIN, PASSWORD, VIRTUAL, Served, serving

FORM = {"username": "root", "password": PASSWORD, "again": PASSWORD}


Opening = Callable[[Served], Visitor]


@pytest.fixture
def visitor_of() -> Iterator[Opening]:
    """Return a function that opens a browser without scripts."""
    with contextlib.ExitStack() as opened:

        def open_one(served: Served) -> Visitor:
            address = served.base.removesuffix("/rest-api/")
            return Visitor(opened.enter_context(httpx.Client(base_url=address, timeout=60)))

        yield open_one


def printed_path(served: Served) -> str:
    """Return the path below the console that the server printed for the first admin."""
    assert served.process.stderr is not None
    served.process.stderr.readline()
    said: str = json.loads(served.process.stderr.readline())["event"]
    return said.rpartition("/console/")[2]


def test_the_first_admin_is_created_with_the_printed_token_and_never_again(tmp_path: Path, visitor_of: Opening) -> None:
    with serving(tmp_path, **VIRTUAL) as served:
        path = printed_path(served)
        token = path.partition("token=")[2]
        visitor, late = visitor_of(served), visitor_of(served)
        assert visitor.request("GET", "sign-in/").headers["location"] == "/console/first-admin/"
        late.get(path)
        visitor.get(path)
        refused = visitor.send("first-admin/", token=token, username="a b", password="short", again="other")
        assert refused.status_code == 400
        assert [
            message in refused.text
            for message in (
                "Enter 1 to 150 characters, without blanks and colons.",
                "A password has 12 to 1024 characters.",
                "The two passwords differ. Enter the password twice.",
            )
        ] == [True] * 3
        done = visitor.send("first-admin/", token=token, **FORM)
        assert (done.status_code, done.headers["location"]) == (303, "/console/")
        assert "root · Admin" in visitor.text("account/")
        again = late.send("first-admin/", token=token, **{**FORM, "username": "late"})
        assert (again.status_code, "There are users already" in again.text) == (409, True)
        assert late.request("GET", "first-admin/").headers["location"] == "/console/sign-in/"
        (user,) = served.client.get("users/").json()["results"]
        assert (user["username"], user["role"]) == ("root", "admin")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost"},
        {"Host": "127.0.0.1:8000", "Connection": "close"},
        {"X-Forwarded-For": "203.0.113.7"},
        {"Host": "dialer.example"},
    ],
)
def test_the_first_admin_needs_the_printed_token_wherever_the_request_seems_to_come_from(
    tmp_path: Path, visitor_of: Opening, headers: dict[str, str]
) -> None:
    """A proxy or a tunnel on the machine of the service sends the requests of others from its own address."""
    with serving(tmp_path, **VIRTUAL) as served:
        visitor = visitor_of(served)
        for path in ("first-admin/", "first-admin/?token=wrong"):
            answer = visitor.request("GET", path, headers=headers)
            assert (answer.status_code, "the address that <code>dialer serve</code> printed" in answer.text) == (
                403,
                True,
            )
        _, _, err = served.end()
        assert err.count("/console/first-admin/?token=") == 1


def test_the_printed_address_creates_the_first_admin_from_elsewhere(tmp_path: Path, visitor_of: Opening) -> None:
    with serving(tmp_path, **VIRTUAL) as served:
        printed = printed_path(served)
        visitor = visitor_of(served)
        answer = visitor.request("GET", printed, headers={"X-Forwarded-For": "203.0.113.7"})
        assert answer.status_code == 200
        visitor.page = answer.text
        fields = {**FORM, "csrf": answer.text.split('name="csrf" value="')[1][:64]}
        elsewhere = {"X-Forwarded-For": "203.0.113.7"}
        assert visitor.request("POST", "first-admin/", data=fields, headers=elsewhere).status_code == 403
        fields["token"] = printed.partition("token=")[2]
        assert visitor.request("POST", "first-admin/", data=fields, headers=elsewhere).status_code == 303


def test_a_stream_sends_events_until_the_session_or_the_server_ends(tmp_path: Path, visitor_of: Opening) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        watching, other = visitor_of(served), visitor_of(served)
        for visitor in (watching, other):
            assert visitor.sign_in("root").status_code == 303
        other.get("account/")
        ended = [part.split('"')[0] for part in other.page.split('name="session" value="')[1:]]
        cookie = {"Cookie": f"dialer_session={watching.cookies['dialer_session']}", "Accept": "text/event-stream"}
        with watching.client.stream("GET", "/console/board/live/", headers=cookie) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            chunks = answer.iter_text()
            assert next(chunks).startswith("retry: 2000\n\ndata: <")
            assert next(chunks).startswith("data: <")
            assert other.send("account/sessions/", session=ended[0]).status_code == 303
            assert all(chunk.startswith("data: <") for chunk in chunks)
        assert watching.request("GET", "board/live/").status_code == 401
        cookie["Cookie"] = f"dialer_session={other.cookies['dialer_session']}"
        with other.client.stream("GET", "/console/board/live/", headers=cookie) as answer:
            chunks = answer.iter_text()
            next(chunks)
            code, _, err = served.end()
            assert all(chunks)
        assert (code, "error" in err) == (0, False)


def test_a_stream_keeps_the_language_of_its_viewer(tmp_path: Path, visitor_of: Opening) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        german, english = visitor_of(served), visitor_of(served)
        for visitor in (german, english):
            assert visitor.sign_in("root").status_code == 303
        cookie = {"Cookie": f"dialer_session={german.cookies['dialer_session']}", "Accept": "text/event-stream"}
        headers = {**cookie, "Accept-Language": "de"}
        with german.client.stream("GET", "/console/board/live/", headers=headers) as answer:
            for chunk, _ in zip(answer.iter_text(), range(3), strict=False):
                assert "Abgemeldet" in chunk
                assert "Logged out" in english.get("board/live/")


@pytest.mark.parametrize("change", [{"role": "agent"}, {"manager": "/rest-api/users/2/"}, {"language": "de"}])
def test_a_stream_ends_when_the_rights_or_the_language_of_its_viewer_change(
    tmp_path: Path, visitor_of: Opening, change: dict[str, str]
) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        for name in ("ben", "ada"):
            fields = {"username": name, "password": PASSWORD, "role": "admin"}
            assert served.client.post("users/", json=fields).status_code == 201
        watching = visitor_of(served)
        assert watching.sign_in("ada").status_code == 303
        cookie = {"Cookie": f"dialer_session={watching.cookies['dialer_session']}", "Accept": "text/event-stream"}
        with watching.client.stream("GET", "/console/overview/live/", headers=cookie) as answer:
            assert answer.status_code == 200
            chunks = answer.iter_text()
            assert [next(chunks)[:5] for _ in range(2)] == ["retry", "data:"]
            assert served.client.patch("users/3/", json=change).status_code == 202
            rest = list(chunks)
        assert len(rest) <= 2, "the stream goes on"
