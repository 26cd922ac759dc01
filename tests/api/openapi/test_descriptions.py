"""Tests that the OpenAPI document explains everything: descriptions, examples and names of values."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from tests.api.harness import Json

LACKING: frozenset[str] = frozenset(
    {
        "AnswerForecast.answer",
        "AnswerForecast.count",
        "AnswerShare.count",
        "AnswerShare.percent",
        "AnswerShare.response",
        "Clock.mode",
        "Clock.now",
        "Clock.seed",
        "ClockAdvance.seconds",
        "ClockAdvance.to",
        "CountSpread.p10",
        "CountSpread.p50",
        "CountSpread.p90",
        "DateSpread.p10",
        "DateSpread.p50",
        "DateSpread.p90",
        "Finding.code",
        "Finding.keys",
        "Finding.level",
        "Finding.message",
        "Finding.section",
        "Forecast.abandoned_percent",
        "Forecast.answered",
        "Forecast.calls",
        "Forecast.calls_in_progress_peak",
        "Forecast.campaign_id",
        "Forecast.completed",
        "Forecast.cost",
        "Forecast.finish_date",
        "Forecast.first_seed",
        "Forecast.now",
        "Forecast.per_seed",
        "Forecast.sections",
        "Forecast.seeds",
        "Forecast.stop_reasons",
        "Forecast.subscribers",
        "Health.status",
        "MoneySpread.p10",
        "MoneySpread.p50",
        "MoneySpread.p90",
        "PercentSpread.p10",
        "PercentSpread.p50",
        "PercentSpread.p90",
        "Recycled.by_status",
        "Recycled.dry_run",
        "Recycled.kept",
        "Recycled.recycled",
        "ReportRow.count",
        "ReportRow.name",
        "SectionAggregate.answers",
        "SectionAggregate.others",
        "SectionAggregate.question",
        "SectionAggregate.section",
        "SectionAggregate.section_id",
        "SectionAggregate.total",
        "SectionAggregate.type",
        "SectionForecast.answers",
        "SectionForecast.question",
        "SectionForecast.section_id",
        "SeedForecast.abandoned_percent",
        "SeedForecast.answered",
        "SeedForecast.calls",
        "SeedForecast.calls_in_progress_peak",
        "SeedForecast.completed",
        "SeedForecast.cost",
        "SeedForecast.digest",
        "SeedForecast.finish_date",
        "SeedForecast.seed",
        "SeedForecast.stop_reason",
        "SurveyAggregate.campaign",
        "SurveyAggregate.sections",
        "SurveyCheck.errors",
        "SurveyCheck.findings",
        "SurveyCheck.warnings",
        "upload_audio.audio_file",
        "upload_audio.name",
        "upload_audio.user_id",
    }
)
"""Properties that may still lack a description or an example, as `Schema.field` without Read, Write or Change."""


@pytest.fixture(scope="session")
def described(client_of_session: TestClient[Litestar]) -> Json:
    return document(client_of_session.app)


def properties(described: Json) -> Iterator[tuple[str, Json]]:
    """Yield every property of every named schema, and of every body that has no named schema."""
    for name, schema in described["components"]["schemas"].items():
        for field, found in schema.get("properties", {}).items():
            yield f"{re.sub('(Read|Write|Change)$', '', name)}.{field}", found
    for name, body in bodies(described):
        for field, found in body["schema"].get("properties", {}).items():
            yield f"{name}.{field}", found


def is_exemplified(found: Json) -> bool:
    """Return whether a property has an example, by itself or by the named schema of its values."""
    return "examples" in found or "$ref" in found or "$ref" in found.get("items", {})


def operations(described: Json) -> Iterator[Json]:
    for item in described["paths"].values():
        yield from item.values()


def bodies(described: Json) -> Iterator[tuple[str, Json]]:
    """Yield the content of every body, by the id of its operation."""
    for operation in operations(described):
        for part in (operation.get("requestBody", {}), *operation["responses"].values()):
            for found in part.get("content", {}).values():
                yield operation["operationId"], found


def parameters(described: Json) -> Iterator[tuple[str, Json]]:
    for operation in operations(described):
        for found in operation.get("parameters", []):
            yield f"{operation['operationId']} {found['name']}", found


def enumerations(node: Any, name: str = "") -> Iterator[tuple[str, Json]]:  # noqa: ANN401 - JSON values
    """Yield every schema that lists its values, by its place in the document."""
    if isinstance(node, list):
        for item in node:
            yield from enumerations(item, name)
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            yield name, node
        for key, item in node.items():
            if key not in {"example", "examples"}:
                yield from enumerations(item, f"{name}/{key}")


def test_every_property_has_a_description_and_an_example(described: Json) -> None:
    """Declare them with `description=` and `example=` in `api/records/`, or with `msgspec.Meta` in a struct."""
    lacking = {
        name for name, found in properties(described) if not (found.get("description") and is_exemplified(found))
    }
    assert sorted(lacking - LACKING) == []
    assert sorted(LACKING - lacking) == [], "these have both, so they can leave the list"


def test_every_parameter_has_a_description_and_an_example(described: Json) -> None:
    assert [name for name, found in parameters(described) if not found.get("description")] == []


def test_every_header_has_a_description_and_an_example(described: Json) -> None:
    answers = [answer for operation in operations(described) for answer in operation["responses"].values()]
    answers += described["components"]["responses"].values()
    found = {**described["components"]["headers"]}
    for answer in answers:
        found |= {name: header for name, header in answer.get("headers", {}).items() if "$ref" not in header}
    assert [name for name, header in found.items() if not (header.get("description") and "example" in header)] == []


def test_every_enumeration_names_and_explains_its_values(described: Json) -> None:
    """Explain a new enumeration in `dialer.domain.meanings`, or in the `meanings` of a `TextChoice`."""
    for name, schema in enumerations(described):
        names, meanings = schema.get("x-enum-varnames", []), schema.get("x-enum-descriptions", [])
        assert len(names) == len(set(names)) == len(meanings) == len(schema["enum"]), name
        assert all(re.fullmatch("[A-Z][A-Z0-9_]*", varname) for varname in names), name
