"""Tests of requests that a page of another site makes a browser send with the credentials that it keeps."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient

from tests.api.harness import HOST, PASSWORD, Caller

ALICE = ("alice", PASSWORD)
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
FOREIGN: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HOST}"},
    {"Origin": "https://evil.example"},
    {"Origin": f"https://{HOST}.evil.example"},
    {"Origin": f"https://evil.example/{HOST}"},
    {"Origin": f"https://{HOST}@evil.example"},
    {"Origin": "null"},
    {"Origin": "https://["},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("method", UNSAFE)
def test_a_page_of_another_site_changes_nothing(
    client: TestClient[Litestar], alice: Caller, method: str, headers: dict[str, str]
) -> None:
    alice.create("phonebook", name="book")
    path = "/rest-api/phonebook/" if method == "POST" else "/rest-api/phonebook/1/"
    body = None if method == "DELETE" else {"name": "changed"}
    answer = client.request(method, path, auth=ALICE, headers=headers, json=body)
    assert answer.status_code == 403
    assert "sent by a page of another site" in answer.json()["detail"]
    assert [one["name"] for one in alice.get("phonebook/")["results"]] == ["book"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": f"http://{HOST}"},
        {"Origin": f"https://{HOST}"},
        {"Origin": f"http://{HOST.upper()}:80"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://seen-by-the-browser.example"},
    ],
)
def test_programs_and_pages_of_this_site_are_heard(client: TestClient[Litestar], headers: dict[str, str]) -> None:
    """Programs send neither header. A proxy may change the name of the host, which a browser judges better."""
    answer = client.post("/rest-api/phonebook/", auth=ALICE, headers=headers, json={"name": "book"})
    assert answer.status_code == 201


def test_reading_is_left_to_the_browsers_own_rules(client: TestClient[Litestar]) -> None:
    for headers in FOREIGN:
        assert client.get("/rest-api/phonebook/", auth=ALICE, headers=headers).status_code == 200


def test_an_api_key_is_sent_on_purpose_so_its_requests_are_heard(client: TestClient[Litestar], alice: Caller) -> None:
    key = alice.create("api-key", name="k", scopes=["read", "campaigns"])["key"]
    for headers in FOREIGN:
        sent = {**headers, "Authorization": f"Bearer {key}"}
        assert client.post("/rest-api/phonebook/", headers=sent, json={"name": "book"}).status_code == 201


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    site=st.sampled_from([None, "cross-site", "same-site", "same-origin", "none"]),
    origin=st.none() | st.just(f"http://{HOST}") | st.text(st.characters(codec="ascii", exclude_categories=["C"])),
    method=st.sampled_from(UNSAFE[1:]),
)
def test_no_unsafe_request_from_another_site_is_ever_heard(
    client: TestClient[Litestar], site: str | None, origin: str | None, method: str
) -> None:
    """An origin names this host, or the request is refused."""
    given_headers = {"Sec-Fetch-Site": site, "Origin": origin}
    headers = {name: value.strip() for name, value in given_headers.items() if value is not None}
    status = client.request(
        method, "/rest-api/phonebook/999/", auth=ALICE, headers=headers, json={"name": "x"}
    ).status_code
    is_own = site in {"same-origin", "none"} or (site is None and origin in {None, f"http://{HOST}"})
    assert (status == 403) == (not is_own)
