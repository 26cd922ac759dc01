"""The document says of every resource what it takes and what it gives."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi import document
from dialer.api.resources import RESOURCES
from dialer.api.shapes import fields_of


@pytest.fixture
def described(client: TestClient[Litestar]) -> Any:
    answer = client.get("/schema/openapi.json")
    assert answer.headers["content-type"].startswith("application/json")
    return answer.json()


def schema_of(content: Any) -> Any:
    return content["content"]["application/json"]["schema"]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_every_resource_names_its_schemas(resource: Any, described: Any) -> None:
    name = resource.read.__name__.removesuffix("Read")
    paths, schemas = described["paths"], described["components"]["schemas"]
    item = paths[f"/rest-api/{resource.path}/{{record_id}}/"]
    read = {"$ref": f"#/components/schemas/{name}Read"}
    assert schema_of(item["get"]["responses"]["200"]) == read
    assert list(schemas[f"{name}Read"]["properties"]) == [field.name for field in fields_of(resource.read)]
    if resource.write is not None and "PATCH" in resource.methods:
        assert schema_of(item["patch"]["requestBody"]) == {"$ref": f"#/components/schemas/{name}Change"}
        assert schemas[f"{name}Change"].get("required", []) == []
    if resource.write is not None and "POST" in resource.methods:
        create = paths[f"/rest-api/{resource.path}/"]["post"]
        assert schema_of(create["requestBody"]) == {"$ref": f"#/components/schemas/{name}Write"}
        assert schema_of(create["responses"]["201"]) == read
        required = sorted(field.name for field in fields_of(resource.write) if field.required)
        assert schemas[f"{name}Write"]["required"] == required


def test_bounds_and_slashes_are_not_lost(described: Any) -> None:
    retries = described["components"]["schemas"]["CampaignWrite"]["properties"]["maxretry"]
    assert retries == {"type": "integer", "minimum": 0, "maximum": 1000, "default": 0}
    assert all(path.endswith("/") for path in described["paths"] if path.startswith("/rest-api"))


def test_every_error_has_one_named_schema(described: Any) -> None:
    for path, item in described["paths"].items():
        for operation in item.values():
            for status, answer in operation["responses"].items() if path.startswith("/rest-api") else ():
                if status >= "401":
                    assert schema_of(answer) == {"$ref": "#/components/schemas/Error"}


def test_operations_have_names_of_their_own(described: Any) -> None:
    names = [operation["operationId"] for item in described["paths"].values() for operation in item.values()]
    assert len(names) == len(set(names))


def test_every_reference_in_the_document_resolves(described: Any) -> None:
    def references(node: Any) -> Any:
        if isinstance(node, dict):
            yield from [node["$ref"]] if "$ref" in node else []
            node = list(node.values())
        for child in node if isinstance(node, list) else []:
            yield from references(child)

    known = {f"#/components/schemas/{name}" for name in described["components"]["schemas"]}
    assert set(references(described)) <= known


def test_the_document_can_be_had_without_a_server(client: TestClient[Litestar], described: Any) -> None:
    assert document(client.app)["paths"].keys() == described["paths"].keys()


@pytest.mark.parametrize(
    "path", ["/schema/elements", "/schema/swagger", "/schema/x.json", "/schema/oauth2-redirect.html"]
)
def test_no_page_is_served_that_loads_from_elsewhere(client: TestClient[Litestar], path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})
