"""Tests of forms: without the token of the page, nothing happens."""

import re
from typing import Any

import msgspec
import pytest
from litestar import Litestar

from dialer.api.http.permissions import OPEN_PAGES, PAGES
from dialer.console.serving.forms import FIELDS_MAX, FORM_BYTES_MAX
from dialer.console.serving.sessions import form_token
from tests.api.harness import PASSWORD, Caller
from tests.console.visitor import Visitor, words

POSTS = sorted(route.removeprefix("POST /console/") for route in {*PAGES, *OPEN_PAGES} if route.startswith("POST "))


def path_of(route: str) -> str:
    return re.sub(r"{\w+_id}", "1", route).replace("{path}", "phonebook") + "/"


def sent(route: str, fields: dict[str, str]) -> dict[str, Any]:
    """Return the options of a request that sends a form, which has a file on the pages that import one."""
    has_file = route in {"new-campaign", "recordings/new"} or route.endswith(("/import", "/check"))
    return {"data": fields, "files": {"file": b"contact\n"}} if has_file else {"data": fields}


def test_every_page_has_a_permission_or_is_open(visitor: Visitor) -> None:
    app: Litestar = visitor.client.app
    served = {
        f"{method} {route.path_format}"
        for route in app.routes
        if route.path_format.startswith("/console")
        for method in route.methods - {"OPTIONS"}
    }
    assert served == {*PAGES, *OPEN_PAGES}


@pytest.mark.parametrize("route", POSTS)
def test_a_form_without_or_with_a_stale_token_is_refused(visitor: Visitor, admin: Visitor, route: str) -> None:
    other = Visitor(visitor.client)
    other.sign_in("admin")
    stale = other.get("account/").split('name="csrf" value="')[1][:64]
    for token in ({}, {"csrf": ""}, {"csrf": "x"}, {"csrf": stale}, {"csrf": "é"}):
        answer = admin.request("POST", path_of(route), **sent(route, {"username": "admin", **token}))
        assert (answer.status_code, "out of date" in answer.text) == (403, True)
    assert admin.request("GET", "account/").status_code == 200


def test_a_form_with_a_null_character_is_refused(alice: Visitor, api: Caller) -> None:
    api.create("agent", name="Ann")
    alice.get("account/")
    answer = alice.send("agents/1/status/", status="break", reason="a\0b")
    assert (answer.status_code, "it has a null character" in answer.text) == (400, True)
    assert api.get("agent/1/")["status"] == 1


def test_a_token_without_a_session_is_of_no_use(alice: Visitor) -> None:
    alice.get("account/")
    alice.cookies.clear()
    answer = alice.send("account/sign-out/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in/")


@pytest.mark.parametrize("secret", [None, ""])
def test_a_form_before_the_sign_in_needs_the_cookie_of_its_page(visitor: Visitor, secret: str | None) -> None:
    """Without it, a page of another site would sign a visitor in as somebody else: its token is no secret."""
    guessed = [form_token(""), ""]
    for token in guessed:
        visitor.cookies = {} if secret is None else {"dialer_form": secret}
        fields = {"csrf": token, "username": "alice", "password": PASSWORD}
        assert visitor.request("POST", "sign-in/", data=fields).status_code == 403
        assert visitor.cookies.keys() <= {"dialer_form"}


def test_a_form_from_another_site_is_refused_even_with_the_token(alice: Visitor) -> None:
    token = alice.get("account/").split('name="csrf" value="')[1][:64]
    for site in ("cross-site", "same-site"):
        answer = alice.request("POST", "account/sign-out/", data={"csrf": token}, headers={"Sec-Fetch-Site": site})
        assert (answer.status_code, "another site" in answer.text) == (403, True)
    assert alice.request("GET", "account/").status_code == 200


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("multipart/form-data; boundary=x", b"--x--", 415),
        ("", b"csrf=x", 415),
        ("application/x-www-form-urlencoded", b"csrf=%ff", 400),
        ("application/x-www-form-urlencoded", "csrf=é".encode("latin-1"), 400),
        ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * (FIELDS_MAX + 1)), 400),
        ("application/x-www-form-urlencoded", b"a=" + b"1" * FORM_BYTES_MAX, 413),
        ("application/x-www-form-urlencoded", b"", 403),
    ],
)
def test_a_body_that_is_no_form_is_refused(visitor: Visitor, content_type: str, body: bytes, status: int) -> None:
    answer = visitor.request("POST", "sign-in/", content=body, headers={"Content-Type": content_type})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert "To the console" in words(answer.text)


def test_a_user_is_changed_without_a_new_password(admin: Visitor, api: Caller) -> None:
    """A browser sends no form with an empty input that is required, so the one for a stored password is not."""
    changed, new = (_password_input(admin.get(f"records/users/{page}/")) for page in ("2", "new"))
    assert ("required" in changed, "required" in new) == (False, True)
    admin.get("records/users/2/")
    assert admin.send("records/users/2/", first_name="Alice", password="").status_code == 303
    assert Caller(api.client, "admin").get("users/2/")["first_name"] == "Alice"
    assert api.request("GET", "phonebook/").status_code == 200


def _password_input(page: str) -> str:
    return page.partition('name="password"')[2].partition(">")[0]


def test_a_new_scheduled_report_is_that_of_a_campaign_at_its_end_in_the_viewers_zone(alice: Visitor) -> None:
    alice.cookies["dialer_zone"] = "Europe/Berlin"
    page = alice.get("records/report-schedule/new/")
    for chosen in ("answers", "end"):
        assert f'<option value="{chosen}" selected>' in page
    assert 'value="Europe/Berlin"' in page
    assert ("Days of the callee" in page, "Sent on" in page) == (False, True)


def test_a_scheduled_report_says_that_the_service_has_no_mail_server(
    alice: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    lack = "The service has no mail server: an admin sets DIALER_MAIL_URL."
    filled = {"name": "Days", "report": "agent_days", "sent_when": "daily", "send_time": "08:00", "monday": "1"}
    filled |= {"sent_as": "words", "enabled": "1", "recipients": "ada@example.com"}
    alice.get("records/report-schedule/new/")
    assert alice.send("records/report-schedule/", **filled).status_code == 303
    pages = [f"records/report-schedule/{place}/" for place in ("new", "1")]
    assert [lack in alice.get(page) for page in pages] == [True, True]
    service = alice.client.app.state.service
    with_server = msgspec.structs.replace(service.settings, mail_url="smtp://127.0.0.1:9", mail_from="a@example.com")
    monkeypatch.setattr(service, "settings", with_server)
    assert [lack in alice.get(page) for page in pages] == [False, False]


def test_the_addresses_of_a_scheduled_report_are_needed_unless_webhooks_are_told(alice: Visitor, api: Caller) -> None:
    page = alice.get("records/report-schedule/new/")
    label = page.partition('<label for="recipients">')[2].partition("</label>")[0]
    assert words(label) == "To needed, unless webhooks are told"
    filled = {"name": "Days", "report": "agent_days", "sent_when": "daily", "send_time": "08:00", "monday": "1"}
    filled |= {"sent_as": "words", "enabled": "1"}
    refused = alice.send("records/report-schedule/", **filled)
    assert refused.status_code == 400
    assert "To: Give at least one address of mail, or tell webhooks." in words(refused.text)
    assert alice.send("records/report-schedule/", **filled, tells_webhooks="1").status_code == 303
    assert api.get("report-schedule/1/")["recipients"] == []
