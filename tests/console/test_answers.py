"""Tests of all answers of the console: headers, static files, and errors."""

import re

import pytest

from tests.api.harness import FakeWorker
from tests.console.visitor import Visitor, words

HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
    " object-src 'none'",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}


@pytest.mark.parametrize(
    "path", ["", "sign-in/", "account/", "overview/", "overview/live/", "static/x.css", "nothing/at/all", "surveys/"]
)
def test_every_answer_has_the_security_headers(alice: Visitor, visitor: Visitor, path: str) -> None:
    for one in (alice, visitor):
        answer = one.request("GET", path)
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
        assert answer.headers["cache-control"] == "no-store"


def test_static_files_are_kept_for_ever_and_old_ones_are_gone(visitor: Visitor) -> None:
    page = visitor.get("sign-in/")
    urls = re.findall(r'(?:href|src)="/console/(static/[^"]+)"', page)
    assert sorted(url.rpartition(".")[2] for url in urls) == ["css", "css", "js", "svg"]
    for url in urls:
        answer = visitor.request("GET", url)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        assert answer.headers["content-type"].startswith(("text/css", "text/javascript", "image/svg+xml"))
        assert visitor.request("GET", re.sub(r"\.[0-9a-f]{12}\.", ".000000000000.", url)).status_code == 404
    assert visitor.request("GET", "static/console.css").status_code == 404
    assert visitor.request("GET", "static/..%2fapp.py").status_code == 404


def test_no_page_has_a_script_a_style_or_an_address_of_another_host(alice: Visitor) -> None:
    for path in ("account/", "overview/"):
        page = alice.get(path)
        assert not re.search(r"<style|<script>| style=| on[a-z]+=|https?://", page)


def test_the_script_is_short_and_the_first_visit_small(visitor: Visitor) -> None:
    page = visitor.get("sign-in/")
    files = [visitor.request("GET", url).text for url in re.findall(r'"/console/(static/[^"]+)"', page)]
    assert max(text.count("\n") for text in files) < 400
    assert sum(map(len, [page, *files])) < 100_000


@pytest.mark.parametrize("path", ["<script>alert(1)</script>", "records/", "surveys/", "campaigns/1/nothing/"])
def test_an_unknown_page_says_so_and_shows_nothing_of_itself(visitor: Visitor, path: str) -> None:
    answer = visitor.request("GET", path)
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text
    assert "There is no such page" in words(answer.text)


def test_an_unknown_path_of_the_api_is_answered_as_json(visitor: Visitor) -> None:
    answer = visitor.client.get("/rest-api/nothing/at/all/")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})


def test_a_failure_shows_no_trace(alice: Visitor, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "problem", lambda: 1 / 0)
    monkeypatch.setattr(type(worker.clock), "now_ms", lambda _: 1 / 0)
    answer = alice.request("GET", "overview/")
    assert (answer.status_code, "Something went wrong" in answer.text) == (500, True)
    assert "ZeroDivision" not in answer.text


def test_the_root_leads_to_the_console(visitor: Visitor) -> None:
    answer = visitor.client.get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (302, "/console/")


def test_the_console_is_not_in_the_api_document(visitor: Visitor) -> None:
    document = visitor.client.get("/schema/openapi.json").text
    assert "/console" not in document.replace("https://dialer.example/console/shared/", "a link to a report: ")
