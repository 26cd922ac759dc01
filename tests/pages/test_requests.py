"""Tests of the requests in all pages: the API has them, and a service takes those of curl as they are written."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from jsonschema_rs import Draft202012, Registry, validator_for

from dialer.commands.openapi import described_api
from tests.api.openapi.test_examples import NAME, whole
from tests.optional_tools import find_tool
from tests.pages.api_requests import Request, operation_of, requests_in
from tests.pages.blocks import Block, How, blocks_of, blocks_that_are, every_block
from tests.pages.shell import LANGUAGES, script
from tests.test_server import ADMIN, PASSWORD, VIRTUAL, Served, serving

ADDRESS: Final = re.compile(r"(https?://(?:localhost|127\.0\.0\.1)(?::\d+)?|https://dialer\.example)/")
LOGIN: Final = re.compile(r"-u (anna?|ben)(:PASSWORD)?(?= )")
FILES: Final = {
    "friends.csv": "contact,full_name\n+12025550101,Ada Byron\n",
    "never.csv": "phone_number\n+12025550111\n",
}
OUTSIDE: Final = ("/health/", "/metrics")
"""Paths that the document has, but that are no records."""
_SENT: Final = [*blocks_that_are(How.SENT)]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = described_api()
    return found


def meant(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the document, or the one to which it refers."""
    for name in part.get("$ref", "").split("/")[1:]:
        document = document[name]
    return document if "$ref" in part else part


def problems(document: dict[str, Any], request: Request) -> list[str]:
    """Return what the API's document says against a request."""
    operation = operation_of(document, request)
    if operation is None:
        return [f"there is no {request.method} {request.path}"]
    known = {meant(document, parameter)["name"] for parameter in operation.get("parameters", [])}
    unknown = [f"{name} is no parameter" for name in request.parameters if name not in known]
    if request.body is None:
        return unknown
    sent = meant(document, operation["requestBody"])["content"]
    schema = whole(meant(document, sent["application/json"])["schema"])
    registry = Registry([(NAME, whole(document))], draft=Draft202012)
    errors = validator_for(schema, registry=registry).iter_errors(request.body)
    return unknown + [error.message for error in errors] + _fields_without_a_schema(schema, document, request.body)


def _fields_without_a_schema(schema: dict[str, Any], document: dict[str, Any], body: Any) -> list[str]:  # noqa: ANN401
    named = schema.get("$ref", "").rpartition("/")[2]
    found = document["components"]["schemas"].get(named, schema)
    known = found.get("properties", {}).keys()
    return [f"{name} is no field" for name in body if name not in known] if known and isinstance(body, dict) else []


def has_requests(block: Block) -> bool:
    return any(True for _ in requests_in(block)) if block.language in {*LANGUAGES, ""} else False


def test_the_api_has_every_request_of_a_page(document: dict[str, Any]) -> None:
    found = [(block.name, request) for block in every_block() if has_requests(block) for request in requests_in(block)]
    # The tour of README.md has its own test, and shortens paths by a variable.
    # A service may refuse a part of a request that is sent to it: the page shows that.
    sent = {block.name for block in _SENT}
    ours = [(name, request) for name, request in found if request.path.startswith(("/rest-api/", "/health/"))]
    judged = [(name, request._replace(body=None) if name in sent else request) for name, request in ours]
    assert [(name, wrong) for name, request in judged if (wrong := problems(document, request))] == []
    assert len(judged) > 20
    asked = {block.name for block in blocks_that_are(How.REQUEST)}
    assert asked <= {name for name, _ in judged}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("GET /rest-api/nothing/", ["there is no GET /rest-api/nothing/"]),
        ("DELETE /rest-api/contact/?phonebok_id=7", ["phonebok_id is no parameter"]),
        ('POST /rest-api/phonebook/\n{"nam": "Guests"}', ['"name" is a required property', "nam is no field"]),
    ],
)
def test_a_request_that_the_api_does_not_have_is_noticed(document: dict[str, Any], text: str, wrong: list[str]) -> None:
    (block,) = blocks_of(f"```\n{text}\n```", "a page")
    assert [problem for request in requests_in(block) for problem in problems(document, request)] == wrong


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """Yield one service for all pages, with the records that they name, and the folder of the files that they send."""
    folder = tmp_path_factory.mktemp("pages")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with serving(folder, **ADMIN, **VIRTUAL) as one:
        for name in ("Spring", "Autumn"):
            made(one, "phonebook", name=name)
        for name in ("No", "Never", "Lawyers", "Doctors", "Press"):
            made(one, "dnc-list", name=name)
        made(one, "gateway", name="Simulated carrier")
        survey = made(one, "survey-template", name="Reminder")
        made(one, "section-template", survey=survey, question="Hello", script="Hello.")
        made(one, "campaigns", name="Spring", object_id=survey, phonebook=[1], aleg_gateway=1)
        yield one, folder


def made(served: Served, kind: str, **fields: object) -> int:
    answer = served.client.post(f"{kind}/", json=fields)
    assert answer.status_code == 201, answer.text
    found: int = answer.json()["id"]
    return found


@pytest.mark.parametrize("block", [one for one in _SENT if one.language in LANGUAGES], ids=lambda one: one.name)
def test_a_service_takes_what_a_page_sends(served: tuple[Served, Path], block: Block) -> None:
    service, folder = served
    address = service.base.removesuffix("/rest-api/")
    commands = LOGIN.sub(f"-u 'root:{PASSWORD}'", ADDRESS.sub(f"{address}/", script(block)))
    written = commands.replace("curl ", "curl -sS --fail-with-body ")
    done = subprocess.run(
        [find_tool("bash"), "-e", "-c", written], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert (find_tool("curl") != "", done.returncode, done.stderr) == (True, 0, ""), done.stdout


@pytest.mark.parametrize("block", [one for one in _SENT if one.language == "json"], ids=lambda one: one.name)
def test_a_service_takes_the_gateway_of_a_page(served: tuple[Served, Path], block: Block) -> None:
    answer: httpx.Response = served[0].client.post(
        "gateway/" if block.page == "docs/sip-trunk.md" else "sms-gateway/",
        content=block.text.replace("…", "a-long-random-word").encode(),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 201, answer.text
