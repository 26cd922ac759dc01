"""Tests of the sign-in: credentials, redirects, roles, and the limits on guessing."""

import pytest

from dialer.api.http.throttle import PAIR_FAILURES_MAX
from tests.api.harness import Caller
from tests.console.visitor import Visitor, words


def test_a_visitor_signs_in_and_comes_to_the_page_that_they_wanted(visitor: Visitor) -> None:
    away = visitor.request("GET", "account/")
    assert (away.status_code, away.headers["location"]) == (303, "/console/sign-in/?next=%2Fconsole%2Faccount")
    visitor.get("sign-in/?next=/console/account/")
    done = visitor.send("sign-in/", username="alice", password="correct horse battery", next="/console/account/")
    assert (done.status_code, done.headers["location"]) == (303, "/console/account/")
    assert "alice · Manager" in visitor.text("account/")


@pytest.mark.parametrize(
    "way_back",
    ["https://evil.example/", "//evil.example", "/console/\\evil.example", "/console//evil.example", "/rest-api/", ""],
)
def test_a_sign_in_leads_to_no_other_site(visitor: Visitor, way_back: str) -> None:
    visitor.get("sign-in/")
    done = visitor.send("sign-in/", username="alice", password="correct horse battery", next=way_back)
    assert done.headers["location"] == "/console/"


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("alice", "wrong"),
        ("nobody", "wrong"),
        ("", ""),
        ("a" * 151, "wrong"),
        ("alice", "x" * 2_000),
    ],
)
def test_wrong_credentials_are_refused_in_the_same_words(visitor: Visitor, username: str, password: str) -> None:
    answer = visitor.sign_in(username, password)
    assert answer.status_code == 401
    assert "The user name or the password is wrong." in answer.text
    assert "www-authenticate" not in answer.headers
    assert "dialer_session" not in visitor.cookies


def test_a_name_with_a_null_character_makes_no_form(visitor: Visitor) -> None:
    assert visitor.sign_in("al\x00ice", "x").status_code == 400
    assert "dialer_session" not in visitor.cookies


def test_the_name_that_was_typed_stays_and_is_harmless(visitor: Visitor) -> None:
    page = visitor.sign_in('"><script>alert(1)</script>', "wrong").text
    assert 'value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"' in page
    assert "<script>" not in page


def test_guesses_count_together_with_those_over_the_api(visitor: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").create("users", username="carl", password="a right password")
    wrong = Caller(api.client, "carl", "wrong")
    for _ in range(PAIR_FAILURES_MAX // 2):
        assert wrong.refused("GET", "campaigns/")[0] == 401
        assert visitor.sign_in("carl", "wrong").status_code == 401
    answer = visitor.sign_in("carl", "a right password")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert "Too many wrong passwords; try again later." in words(answer.text)
    assert wrong.refused("GET", "campaigns/")[0] == 429


def test_a_user_who_is_signed_in_needs_no_second_sign_in(alice: Visitor) -> None:
    answer = alice.request("GET", "sign-in/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/")


@pytest.mark.parametrize(
    ("username", "first", "overview"),
    [("admin", "overview", 200), ("alice", "overview", 200), ("vera", "overview", 200), ("gus", "desk", 403)],
)
def test_each_role_comes_to_a_page_that_it_may_see(visitor: Visitor, username: str, first: str, overview: int) -> None:
    visitor.sign_in(username)
    assert visitor.request("GET", "").headers["location"] == f"/console/{first}/"
    assert visitor.request("GET", f"{first}/").status_code == 200
    assert [visitor.request("GET", path).status_code for path in ("overview/", "overview/live/")] == [overview] * 2
    assert ("Overview" in visitor.text("account/")) == (overview == 200)


def test_a_disabled_user_cannot_sign_in(visitor: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").change("users/3/", enabled=False)
    assert visitor.sign_in("bob").status_code == 401


def test_sign_ins_are_in_the_audit_log(alice: Visitor, api: Caller) -> None:
    alice.get("account/")
    alice.send("account/sign-out/")
    entries = Caller(api.client, "admin").get("audit-log/")["results"]
    assert [(entry["action"], entry["actor"], entry["via"]) for entry in entries] == [
        ("signed_in", "alice", "password"),
        ("session_ended", "alice", "console"),
    ]
