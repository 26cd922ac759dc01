"""Tests of the events in the OpenAPI document: each type has its schema, and its example fits."""

import jsonschema_rs
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import served_document
from dialer.app.telling.account_events import EVENT_TYPES
from tests.api.harness import Json


@pytest.fixture
def described(client_of_session: TestClient[Litestar]) -> Json:
    return served_document(client_of_session.app)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_an_example_fits_the_schema_of_its_type_and_no_other_data_does(described: Json, kind: str) -> None:
    operation = described["webhooks"][kind]["post"]
    (content,) = operation["requestBody"]["content"].values()
    schema = {**content["schema"], "components": described["components"]}
    validator = jsonschema_rs.validator_for(schema)
    example = content["example"]
    validator.validate(example)
    for wrong in (
        {**example, "type": "call.lost"},
        {**example, "data": {}},
        {**example, "data": {**example["data"], "phone_number": "+12025550100"}},
        {name: value for name, value in example.items() if name != "time"},
    ):
        assert not validator.is_valid(wrong), wrong


def test_each_type_has_a_schema_with_a_name_and_the_type_in_it(described: Json) -> None:
    schemas = described["components"]["schemas"]
    named = {kind: "".join(word.capitalize() for word in kind.split(".")) + "Event" for kind in EVENT_TYPES}
    assert {kind: schemas[name]["properties"]["type"]["const"] for kind, name in named.items()} == {
        kind: kind for kind in EVENT_TYPES
    }
    assert len(set(named.values())) == len(EVENT_TYPES)


def test_all_types_are_described_and_have_ids_of_their_own(described: Json) -> None:
    assert tuple(described["webhooks"]) == EVENT_TYPES
    ids = [item["post"]["operationId"] for item in described["webhooks"].values()]
    assert len(set(ids)) == len(EVENT_TYPES)
