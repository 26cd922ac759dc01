"""Tests that the OpenAPI document explains everything: descriptions, examples and names of values."""

import re
from collections.abc import Iterator
from typing import Any

import openapi_spec_validator
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from tests.api.harness import Json


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
    return "examples" in found or "allOf" in found or "$ref" in found.get("items", {})


def is_shown(parameter: Json) -> bool:
    """Return whether a parameter has an example, of its own or of its schema."""
    return parameter.get("example") not in {None, ""} or bool(parameter["schema"].get("examples"))


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
    assert sorted(lacking) == []


def test_every_parameter_has_a_description_and_an_example(described: Json) -> None:
    assert [name for name, found in parameters(described) if not found.get("description")] == []
    assert [name for name, found in parameters(described) if not is_shown(found)] == []


def test_every_header_has_a_description_and_an_example(described: Json) -> None:
    answers = [answer for operation in operations(described) for answer in operation["responses"].values()]
    answers += described["components"]["responses"].values()
    found = {**described["components"]["headers"]}
    for answer in answers:
        found |= {name: header for name, header in answer.get("headers", {}).items() if "$ref" not in header}
    assert [name for name, header in found.items() if not (header.get("description") and "example" in header)] == []


def test_every_enumeration_names_and_explains_its_values(described: Json) -> None:
    """Derive a new enumeration from `DescribedInt` or `DescribedText`, or give a `TextChoice` its `meanings`."""
    for name, schema in enumerations(described):
        names, meanings = schema.get("x-enum-varnames", []), schema.get("x-enum-descriptions", [])
        assert len(names) == len(set(names)) == len(meanings) == len(schema["enum"]), name
        assert all(meanings), name
        assert all(re.fullmatch("[A-Z][A-Z0-9_]*", varname) for varname in names), name


def test_the_statuses_of_campaigns_are_spelt_as_they_have_always_been(described: Json) -> None:
    spellings = {
        tuple(schema["x-enum-varnames"])
        for _, schema in enumerations(described)
        if schema.get("title") == "CampaignStatus"
    }
    assert spellings == {("NEW", "START", "PAUSE", "ABORD", "END")}


def test_every_group_of_operations_is_described_and_campaigns_come_first(described: Json) -> None:
    """Describe a new group in `dialer.api.openapi.guide`."""
    assert [group["name"] for group in described["tags"] if not group.get("description")] == []
    assert described["tags"][0]["name"] == "campaigns"
    assert {group["name"] for group in described["tags"]} == {one["tags"][0] for one in operations(described)}


def test_every_struct_and_every_operation_is_described(described: Json) -> None:
    assert [name for name, found in described["components"]["schemas"].items() if not found.get("description")] == []
    assert [one["operationId"] for one in operations(described) if not one.get("description")] == []


def test_the_guide_covers_what_holds_for_all_operations(described: Json) -> None:
    topics = re.findall(r"\*\*(.+?)\.\*\*", described["info"]["description"])
    assert topics == [
        "First steps",
        "Authentication",
        "Requests",
        "Errors",
        "Pages",
        "Repeating requests",
        "Money",
        "Time",
    ]


def test_the_document_is_valid_openapi(described: Json) -> None:
    openapi_spec_validator.validate(described)
