"""The running application against its own document: thousands of requests that nobody thought of."""

import os
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
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from dialer.api.openapi import document
from dialer.api.resources import RESOURCES
from tests.api.harness import HOST, PASSWORD

AnyCase: TypeAlias = Case[Any]
AnyOperation: TypeAlias = APIOperation[Any, Any, Any, Any]
SEED = 20
EXAMPLES_MAX = int(os.environ.get("DIALER_TEST_EXAMPLES", "6"))
"""Of each operation; a hunt may take more."""
TAGS = [*(resource.path for resource in RESOURCES), "root", "clock", "health"]
OURS = ("authorization", "content-length")
"""Headers that the caller and the transport set."""
CHECKS = [
    status_code_conformance,
    content_type_conformance,
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
    return schemathesis.openapi.from_dict(document(client_of_session.app))


def send(client: TestClient[Litestar], case: AnyCase, auth: tuple[str, str] | None) -> httpx.Response:
    """Send a request as it was made up, but for who sends it."""
    request = requests.Request(**case.as_transport_kwargs(base_url=f"http://{HOST}")).prepare()
    headers = {name: str(value) for name, value in request.headers.items() if name.lower() not in OURS}
    content = request.body.encode() if isinstance(request.body, str) else request.body
    assert content is None or isinstance(content, bytes)
    return client.request(str(request.method), str(request.url), content=content, headers=headers, auth=auth)


def cases(operation: AnyOperation) -> SearchStrategy[AnyCase]:
    """What the document allows, of any record and of one that exists, and what it does not allow."""
    negative = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    if "{record_id}" not in operation.path:
        return operation.as_strategy() | negative
    return operation.as_strategy() | operation.as_strategy(path_parameters={"record_id": 1}) | negative


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.usefixtures("estate")
def test_every_answer_is_as_the_document_says(client: TestClient[Litestar], schema: OpenApiSchema, tag: str) -> None:
    """No 5xx, none but the documented answers, and none but 401 without credentials."""
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
            case.validate_response(answer, checks=CHECKS)
            stranger = send(client, case, None)
            assert stranger.status_code == (answer.status_code if tag == "health" else 401)

        judge()
