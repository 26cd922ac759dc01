"""Tests of the application against its OpenAPI document, with thousands of generated requests.

`SCHEMATHESIS_EXAMPLES=100 pytest tests/api/test_schemathesis.py` sends all requests at bounds, and more others.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Any, Final

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy
from litestar import Litestar
from litestar.testing import TestClient
from schemathesis.checks import CHECKS, CheckFunction, load_all_checks
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import CoverageScenario, coverage_scenario
from schemathesis.specs.openapi.schemas import OpenApiSchema

from dialer.api.http.throttle import Throttle
from dialer.resources.records.table import RESOURCES
from tests.api.documented import ADMIN, AnyCase, AnyOperation, ClientTransport, prepare, schema_of, without_fields
from tests.api.exemptions import is_accepted_spelling, unexcused
from tests.api.harness import HOST
from tests.api.test_schemathesis_lives import CHECKS as LIVED

load_all_checks()
SEED: Final = 20
MORE: Final = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "0"))
"""Examples of each operation in a long run, which anybody may start by hand. 0: the short run of the test suite."""
EXAMPLES_MAX: Final = MORE or 2
"""The number of examples of each operation. In the short run, all examples take about ten seconds of one processor."""
BOUNDS_MAX: Final = 8
"""The valid requests at bounds, and the invalid ones, of which a short run sends one to each operation."""
SLOW: Final = ("/forecast/", "/check/")
"""The ends of paths of operations that simulate a campaign. A short run does not judge their bounds."""
TAGS = [*(resource.path for resource in RESOURCES), "root", "clock", "own-settings", "health"]
JUDGED: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
"""The checks of every answer. Answers that some of them exempt are in `tests.api.exemptions`, each with its reason."""
OPT_OUTS: Final[dict[str, str]] = {}
"""Checks that no test uses, each with the reason: none."""
CHECKED: Final[dict[str, Any]] = {name: CHECKS.get_one(name) for name in JUDGED}
BOUNDED = settings(
    max_examples=EXAMPLES_MAX,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def schema(client_of_session: TestClient[Litestar]) -> Iterator[OpenApiSchema]:
    with pytest.MonkeyPatch.context() as patch:
        # The checks send requests of their own, too.
        patch.setattr(OpenApiSchema, "transport", ClientTransport(client_of_session))
        # Wrong credentials of all these requests have few user names, which strangers slow down.
        patch.setattr(Throttle, "retry_after_s", lambda *_, **__: 0)
        yield schema_of(client_of_session)


class Judge:
    """The checks of every answer, and the operations that have been shown to refuse wrong credentials."""

    def __init__(self) -> None:
        self._guarded: set[str] = set()

    def judge(self, case: AnyCase) -> Response:
        """Send a request as admin, and check the answer."""
        answer: Response = case.operation.schema.transport.send(prepare(case), auth=ADMIN)
        case.validate_response(answer, checks=self._checks(case, answer), transport_kwargs={"auth": ADMIN})
        if answer.status_code < 300:
            self._guarded.add(case.operation.label)
        return answer

    def _checks(self, case: AnyCase, answer: Response) -> list[CheckFunction]:
        left_out = {"ignored_auth"} if case.operation.label in self._guarded else set()
        # A bulk request is accepted even if each of its records is refused.
        if "/bulk" in case.operation.path or is_accepted_spelling(case, answer):
            left_out.add("negative_data_rejection")
        if answer.status_code == 400 and not unexcused(answer):
            left_out.add("positive_data_acceptance")
        return [check for name, check in CHECKED.items() if name not in left_out]


@pytest.fixture(scope="module")
def bench() -> Judge:
    return Judge()


def cases(operation: AnyOperation) -> SearchStrategy[AnyCase]:
    """Generate requests that the document allows, of any record and of an existing one, and invalid requests."""
    negative = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    if "{record_id}" not in operation.path:
        return operation.as_strategy() | negative
    return operation.as_strategy() | operation.as_strategy(path_parameters={"record_id": 1}) | negative


def operations(schema: OpenApiSchema, tag: str) -> list[AnyOperation]:
    """Return the operations with a tag."""
    found = []
    for result in schema.include(tag=tag).get_all_operations():
        assert isinstance(result, Ok)
        found.append(result.ok())
    assert found
    return found


def test_every_check_is_used_or_opted_out() -> None:
    lived = [check.__name__ for check in LIVED]
    assert sorted([*JUDGED, *lived, *OPT_OUTS]) == sorted(CHECKS.get_all_names())


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.usefixtures("estate", "worker")
def test_every_answer_is_as_the_document_says(schema: OpenApiSchema, bench: Judge, tag: str) -> None:
    """Answers pass all checks of schemathesis, and requests without credentials get a 401."""
    seen: set[tuple[str, int]] = set()
    for operation in operations(schema, tag):

        @seed(SEED)
        @BOUNDED
        @given(case=cases(operation))
        def judge(case: AnyCase) -> None:
            answer = bench.judge(case)
            # One stranger for each status is enough: each request takes a hundredth of a second.
            known = (case.operation.label, answer.status_code)
            if known not in seen:
                seen.add(known)
                stranger = schema.transport.send(case)
                assert stranger.status_code == (answer.status_code if tag == "health" else 401)

        judge()


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.usefixtures("estate", "worker")
def test_every_bound_is_kept(schema: OpenApiSchema, bench: Judge, tag: str) -> None:
    """Values at the bounds of the document and beyond them get their answer. A short run takes the first ones."""
    for operation in operations(schema, tag):
        for mode in GenerationMode:
            for case in some(bounds(schema, operation, mode), operation):
                bench.judge(case)


def some(every: Iterator[AnyCase], operation: AnyOperation) -> Iterator[AnyCase]:
    """Return the requests of an operation that a run sends: all in a long run, else one, another for each operation."""
    place = len(operation.label) % BOUNDS_MAX
    stop = None if MORE else 0 if operation.path.endswith(SLOW) else place + 1
    return islice(every, 0 if MORE else place, stop)


@pytest.mark.usefixtures("estate", "worker")
def test_every_path_refuses_other_methods(schema: OpenApiSchema, bench: Judge) -> None:
    """Unknown methods get a 405 that names the known ones, as `OPTIONS` does."""
    judged = set()
    for result in without_fields(schema).get_all_operations():
        assert isinstance(result, Ok)
        for case in bounds(schema, result.ok(), GenerationMode.NEGATIVE):
            if coverage_scenario(case) is CoverageScenario.UNSPECIFIED_HTTP_METHOD:
                bench.judge(case)
                judged.add((case.path, case.method))
    assert len(judged) > len(schema)


def bounds(schema: OpenApiSchema, operation: AnyOperation, mode: GenerationMode) -> Iterator[AnyCase]:
    """Yield the requests at the bounds of an operation's parameters and body, valid or invalid ones."""
    generation = schema.config.generation_for(operation=operation, phase="coverage")
    return schema.iter_coverage_cases(operation, generation_modes=[mode], generation_config=generation)


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
