"""Tests of the application against its OpenAPI document, with thousands of generated requests."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, TypeAlias

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy
from litestar import Litestar
from litestar.testing import TestClient
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from dialer.api.openapi.document import document
from dialer.api.records.table import RESOURCES
from tests.api.harness import HOST, PASSWORD

AnyCase: TypeAlias = Case[Any]
AnyOperation: TypeAlias = APIOperation[Any, Any, Any, Any]
SEED = 20
EXAMPLES_MAX = 4
"""The number of examples of each operation. All examples take about twenty seconds of one processor."""
TAGS = [*(resource.path for resource in RESOURCES), "root", "clock", "health"]
OURS = ("authorization", "content-length")
"""Headers that the caller and the transport set."""
CHECKS = [
    status_code_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
]
BOUNDED = settings(
    max_examples=EXAMPLES_MAX,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="session")
def schema(client_of_session: TestClient[Litestar]) -> OpenApiSchema:
    # Credentials are not generated: every request is sent once by the admin and once without credentials.
    config = SchemathesisConfig.from_dict({"generation": {"with-security-parameters": False}})
    return schemathesis.openapi.from_dict(document(client_of_session.app), config=config)


def send(client: TestClient[Litestar], case: AnyCase, auth: tuple[str, str] | None) -> httpx.Response:
    """Send a generated request with these credentials."""
    request = requests.Request(**case.as_transport_kwargs(base_url=f"http://{HOST}")).prepare()
    headers = {name: str(value) for name, value in request.headers.items() if name.lower() not in OURS}
    content = request.body.encode() if isinstance(request.body, str) else request.body
    assert content is None or isinstance(content, bytes)
    return client.request(str(request.method), str(request.url), content=content, headers=headers, auth=auth)


def checks_of(case: AnyCase) -> list[Any]:
    """Return the checks of an answer. A bulk request is accepted even if each of its records is refused."""
    return [check for check in CHECKS if check is not negative_data_rejection or "/bulk" not in case.operation.path]


def cases(operation: AnyOperation) -> SearchStrategy[AnyCase]:
    """Generate requests that the document allows, of any record and of an existing one, and invalid requests."""
    negative = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    if "{record_id}" not in operation.path:
        return operation.as_strategy() | negative
    return operation.as_strategy() | operation.as_strategy(path_parameters={"record_id": 1}) | negative


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.usefixtures("estate")
def test_every_answer_is_as_the_document_says(client: TestClient[Litestar], schema: OpenApiSchema, tag: str) -> None:
    """Every response is documented, none is a 5xx, invalid requests are refused, and missing credentials get a 401."""
    found = list(schema.include(tag=tag).get_all_operations())
    assert found
    for result in found:
        assert isinstance(result, Ok)

        @seed(SEED)
        @BOUNDED
        @given(case=cases(result.ok()))
        def judge(case: AnyCase) -> None:
            answer = send(client, case, ("admin", PASSWORD))
            assert answer.status_code < 500, answer.text
            case.validate_response(answer, checks=checks_of(case))
            stranger = send(client, case, None)
            assert stranger.status_code == (answer.status_code if tag == "health" else 401)

        judge()


def test_the_examples_of_answers_are_answers(schema: OpenApiSchema) -> None:
    """Every example is valid by its schema."""
    judged = 0
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        for status, media_type, example in shown(operation, schema.raw_schema["components"]["responses"]):
            request = httpx.Request(operation.method, f"http://{HOST}{operation.path}")
            headers = {"Content-Type": media_type}
            answer = httpx.Response(status, json=example, headers=headers, request=request)
            answer.elapsed = timedelta()
            operation.validate_response(answer)
            judged += 1
    assert judged > len(RESOURCES)


def shown(operation: AnyOperation, named: dict[str, Any]) -> Iterator[tuple[int, str, Any]]:
    """Yield the status, the media type and the value of each JSON example of an operation's responses."""
    for status, answer in operation.definition.raw["responses"].items():
        found = named[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
        for media_type, content in found.get("content", {}).items():
            if media_type.endswith("json") and "ndjson" not in media_type:
                yield int(status), media_type, content["example"]
