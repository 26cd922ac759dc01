"""Tests of the page at /schema, which shows the whole document and loads nothing from other hosts."""

import hashlib
import re
from base64 import b64encode
from collections import Counter
from html.parser import HTMLParser

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from dialer.api.openapi.openapi_page import render
from tests.api.harness import Json

LOADING = {"src", "srcset", "data", "action", "background", "poster", "onload", "onclick"}


class Reader(HTMLParser):
    """A parser that collects a page's tags, ids, link targets, loading attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        self.loads += [name for name, _ in attrs if name in LOADING]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="session")
def described(client_of_session: TestClient[Litestar]) -> Json:
    return document(client_of_session.app)


@pytest.mark.parametrize("path", ["/schema", "/schema/"])
def test_the_page_needs_no_credentials_and_is_held_to_itself(client: TestClient[Litestar], path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_it_loads_nothing(client: TestClient[Litestar]) -> None:
    page = client.get("/schema").text
    reader = Reader(page)
    assert not reader.loads
    assert reader.tags["script"] == 1
    assert not reader.tags.keys() & {"link", "img", "iframe", "object", "embed", "base", "form"}
    assert not re.search(r"url\(|@import", page)
    assert {link for link in reader.links if not link.startswith("#")} == {"/schema/openapi.json"}


def test_it_shows_every_operation_and_every_schema_and_its_links_lead_somewhere(described: Json) -> None:
    reader = Reader(render(described))
    operations = [found["operationId"] for item in described["paths"].values() for found in item.values()]
    assert {*operations, *described["components"]["schemas"]} <= set(reader.ids)
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    assert reader.text.count("/rest-api/phonebook/{record_id}/import/") == 1


def test_markup_in_the_document_is_text(described: Json) -> None:
    info = {**described["info"], "description": "<script>alert(1)</script> &amp;"}
    reader = Reader(render({**described, "info": info}))
    assert reader.tags["script"] == 1
    assert "<script>alert(1)</script> &amp;" in reader.text


def test_the_only_script_is_the_one_that_the_policy_names(client: TestClient[Litestar]) -> None:
    answer = client.get("/schema")
    script = re.findall("<script>(.*?)</script>", answer.text, re.DOTALL)
    digest = b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in answer.headers["content-security-policy"]


def test_it_begins_with_campaigns_and_shows_descriptions_examples_and_commands(described: Json) -> None:
    text = Reader(render(described)).text
    assert text.index("Voice campaigns: who is called") < text.index("Phonebooks, which hold contacts")
    assert "Only records whose starting_date is at or after this moment." in text
    assert "START: It dials, within its dates and its daily window." in text
    assert "curl -X PATCH -u NAME:PASSWORD -H 'Content-Type: application/json' -d '{\"status\": 1}'" in text
