"""Tests of errors in both forms: the keyed form, and problem details by RFC 9457."""

from http import HTTPStatus
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy.exc import IntegrityError

from dialer.api.http.body import BODY_BYTES_MAX
from dialer.api.http.error_answers import asks_for_problem
from dialer.store.database.database import OutcomeUnknownError, StorageUnavailableError
from tests.api.builders import Estate
from tests.api.harness import Caller, FakeWorker, Json

PROBLEM = "application/problem+json"
REQUIRED = {"name": ["This field is required."]}
JSON = {"Content-Type": "application/json"}
CASES: dict[str, tuple[str, str, dict[str, Any], int, Json]] = {
    "field": ("POST", "phonebook/", {"json": {}}, 400, REQUIRED),
    "body": (
        "POST",
        "phonebook/",
        {"content": b"", "headers": JSON},
        400,
        {"detail": "JSON parse error - the body is empty."},
    ),
    "permission": (
        "POST",
        "gateway/",
        {"json": {}},
        403,
        {"detail": "You do not have permission to perform this action."},
    ),
    "record": ("GET", "phonebook/9/", {}, 404, {"detail": "Not found."}),
    "route": ("GET", "nothing/", {}, 404, {"detail": "Not found."}),
    "page": ("GET", "phonebook/?page=9", {}, 404, {"detail": "Invalid page."}),
    "method": ("DELETE", "cdr/", {}, 405, {"detail": 'Method "DELETE" not allowed.'}),
    "move": ("PATCH", "campaigns/1/", {"json": {"status": 2}}, 409, None),
    "needed": (
        "DELETE",
        "survey-template/1/",
        {},
        409,
        {"detail": "Still used by campaigns 1. Change or delete them first."},
    ),
    "large": (
        "POST",
        "phonebook/",
        {"content": b" " * (BODY_BYTES_MAX + 1), "headers": JSON},
        413,
        {"detail": "The body is too large."},
    ),
    "type": ("POST", "phonebook/", {"content": b"name=x"}, 415, {"detail": "Send the body as application/json."}),
}

CODES: dict[str, str] = {
    "field": "invalid_fields",
    "body": "malformed",
    "permission": "not_permitted",
    "record": "not_found",
    "route": "not_found",
    "page": "not_found",
    "method": "method_not_allowed",
    "move": "illegal_move",
    "needed": "still_used",
    "large": "too_large",
    "type": "media_type",
}


def answered(caller: Caller, method: str, path: str, options: Json, accept: str) -> Json:
    return caller.request(method, path, **{**options, "headers": {**options.get("headers", {}), "Accept": accept}})


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("estate")
def test_an_error_is_told_in_the_form_that_is_asked_for(alice: Caller, case: str) -> None:
    method, path, options, status, body = CASES[case]
    plain = answered(alice, method, path, options, "application/json")
    assert (plain.status_code, plain.headers["content-type"]) == (status, "application/json")
    problem = answered(alice, method, path, options, f"application/json, {PROBLEM}")
    assert (problem.status_code, problem.headers["content-type"]) == (status, PROBLEM)
    assert plain.headers["vary"] == problem.headers["vary"] == "Accept"
    assert plain.json() == (body or plain.json())
    told = problem.json()
    assert (told.pop("title"), told.pop("status")) == (HTTPStatus(status).phrase, status)
    fields = {} if "detail" in plain.json() else {"errors": plain.json()}
    assert told == {"detail": plain.json().get("detail", told["detail"]), "code": CODES[case], **fields}


def test_a_caller_without_credentials_gets_a_problem(client: TestClient[Litestar]) -> None:
    answer = client.get("/rest-api/users/", headers={"Accept": PROBLEM})
    told = {
        "title": "Unauthorized",
        "status": 401,
        "detail": "Authentication credentials were not provided.",
        "code": "not_authenticated",
    }
    assert (answer.status_code, answer.json()) == (401, told)
    assert answer.headers["www-authenticate"] == 'Basic realm="dialer"'


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (StorageUnavailableError("the disk is full"), 503, "database_unavailable"),
        (OutcomeUnknownError("the disk is gone"), 503, "outcome_unknown"),
        (IntegrityError("INSERT secret", {}, Exception("secret")), 409, "conflict"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
def test_a_failure_of_ours_is_a_problem_that_says_nothing(
    admin: Caller, worker: FakeWorker, failure: Exception, status: int, code: str
) -> None:
    async def fail(_to_ms: int) -> None:
        raise failure

    worker.advance = fail  # type: ignore[assignment]
    answer = answered(admin, "POST", "clock/advance/", {"json": {"seconds": 1}}, PROBLEM)
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM)
    assert list(answer.json()) == ["title", "status", "detail", "code"]
    assert answer.json()["code"] == code
    assert "secret" not in answer.text
    assert answer.headers.get("retry-after") == ("5" if status == 503 else None)


def test_success_is_json_in_both_forms_of_errors(estate: Estate, alice: Caller) -> None:
    answer = answered(alice, "GET", estate.phonebook["url"], {}, PROBLEM)
    assert (answer.headers["content-type"], answer.json()) == ("application/json", estate.phonebook)


@pytest.mark.parametrize(
    ("accept", "is_asked_for"),
    [
        ("application/problem+json", True),
        ("text/html, Application/Problem+JSON ;q=0.5", True),
        ("application/json, application/problem+json", True),
        ("application/problem+json;q=x", True),
        ("application/problem+json;q=0", False),
        ("application/problem+json;q=0.000, */*", False),
        ("application/*", False),
        ("*/*", False),
        ("application/problem+xml", False),
        ("", False),
        (",;=,", False),
    ],
)
def test_only_its_name_asks_for_a_problem(accept: str, is_asked_for: bool) -> None:  # noqa: FBT001 - a table
    assert asks_for_problem(accept) is is_asked_for


@pytest.mark.parametrize("accept", ["text/csv;q=inf", "*/*;q=-inf", "application/problem+json;q=nan", ";;q", "\xff/;"])
@pytest.mark.parametrize("path", ["cdr/", "users/", "nothing/"])
def test_no_accept_breaks_an_answer(alice: Caller, path: str, accept: str) -> None:
    answer = alice.request("GET", path, headers={"Accept": accept.encode("latin-1")})
    assert answer.status_code == (404 if path == "nothing/" else 200)
