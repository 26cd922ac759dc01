"""Tests of the root of the API, which lists all resources."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.resources.records.table import RESOURCES
from tests.api.builders import Estate
from tests.api.harness import BASE, Caller


@pytest.mark.parametrize("path", ["/rest-api", "/rest-api/"])
def test_every_resource_is_listed_with_the_url_of_its_list(alice: Caller, path: str) -> None:
    besides = {name: f"{BASE}/{name}/" for name in ("clock", "events", "statistics")}
    besides |= {"surveyaggregate": f"{BASE}/surveyaggregate/{{campaign_id}}/"}
    assert alice.get(path) == {resource.path: f"{BASE}/{resource.path}/" for resource in RESOURCES} | besides


def test_every_url_that_is_listed_answers(estate: Estate) -> None:
    listed = [url.format(campaign_id=estate.campaign["id"]) for url in estate.admin.get("/rest-api/").values()]
    assert [estate.admin.request("GET", url).status_code for url in listed] == [200] * (len(RESOURCES) + 4)


def test_nothing_is_listed_without_credentials(client: TestClient[Litestar]) -> None:
    answer = client.get("/rest-api/")
    assert (answer.status_code, answer.json()) == (401, {"detail": "Authentication credentials were not provided."})
    assert answer.headers["www-authenticate"] == 'Basic realm="dialer"'


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_browser_is_led_to_the_documentation(client: TestClient[Litestar], method: str) -> None:
    answer = client.request(method, "/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"], answer.content) == (302, "/schema", b"")
    page = client.request(method, "/", follow_redirects=True)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
