"""Tests of the OpenAPI document."""

import re

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import fields_of
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from tests.api.builders import Estate
from tests.api.harness import Caller, Json

ONCE = ("subscriber-list", "dnc-contact", "branching-template", "tier", "did", "rate-card", "number-note")
"""Resources whose records must differ in their values."""
CREATABLE = [item for item in RESOURCES if item.write is not None and "POST" in item.methods]


@pytest.fixture(scope="module")
def described(client_of_session: TestClient[Litestar]) -> Json:
    """Return the document with everything in its place; the served one has references to what it repeats."""
    return document(client_of_session.app)


def by_operation(paths: Json) -> Json:
    """Return the operations with all their parameters by place and name; some stand beside a path's operations."""
    return {
        path: {
            verb: one | {"parameters": parameters_of(item, one)} for verb, one in item.items() if verb != "parameters"
        }
        for path, item in paths.items()
    }


def parameters_of(item: Json, operation: Json) -> Json:
    both = [*item.get("parameters", []), *operation.get("parameters", [])]
    found = {f"{one['in']} {one['name']}": one for one in both}
    assert len(found) == len(both)
    return found


def test_the_served_document_says_the_same_with_less(client_of_session: TestClient[Litestar], described: Json) -> None:
    answer = client_of_session.get("/schema/openapi.json")
    assert answer.headers["content-type"].startswith("application/json")
    served = answer.json()
    added = {
        f"#/components/{kind}/{name}": part
        for kind, parts in served["components"].items()
        for name, part in parts.items()
        if name not in described["components"].get(kind, {})
    }

    def in_place(part: object) -> object:
        if isinstance(part, list):
            return [in_place(one) for one in part]
        if not isinstance(part, dict):
            return part
        return in_place(added[part["$ref"]]) if part.get("$ref") in added else {k: in_place(v) for k, v in part.items()}

    given = msgspec.json.decode(msgspec.json.encode(described["paths"]))
    assert by_operation(in_place(served["paths"])) == by_operation(given)
    assert {kind: served["components"][kind] | parts for kind, parts in described["components"].items()} == {
        kind: served["components"][kind] for kind in described["components"]
    }
    assert len(answer.content) < 0.75 * len(msgspec.json.encode(described))


def schema_of(content: Json) -> Json:
    return content["content"]["application/json"]["schema"]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_every_resource_names_its_schemas(resource: Resource, described: Json) -> None:
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


def test_every_path_that_answers_is_described(client: TestClient[Litestar], described: Json) -> None:
    answering = {
        f"{route.path_format}/": route.methods - {"OPTIONS"}
        for route in client.app.routes
        if route.path_format.startswith("/rest-api")
    }
    paths = {path: item for path, item in described["paths"].items() if path.startswith("/rest-api")}
    assert {path: {method.upper() for method in item} for path, item in paths.items()} == answering


def test_bounds_and_slashes_are_not_lost(described: Json) -> None:
    retries = described["components"]["schemas"]["CampaignWrite"]["properties"]["maxretry"]
    assert {name: retries[name] for name in ("type", "minimum", "maximum", "default")} == {
        "type": "integer",
        "minimum": 0,
        "maximum": 1000,
        "default": 0,
    }
    assert all(path.endswith("/") for path in described["paths"] if path.startswith("/rest-api"))


def test_a_change_has_no_defaults(described: Json) -> None:
    """A generated client would send a default, and so overwrite the stored value."""
    for name, schema in described["components"]["schemas"].items():
        if name.endswith("Change"):
            assert not any("default" in field for field in schema["properties"].values()), name


def operations(described: Json) -> dict[str, tuple[str, str, Json]]:
    """Return the path, the method and the description of every operation, by its id."""
    return {
        operation["operationId"]: (path, method, operation)
        for path, item in described["paths"].items()
        for method, operation in item.items()
    }


def test_every_error_is_one_named_schema_in_each_form(described: Json) -> None:
    for name, answer in described["components"]["responses"].items():
        assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}, name
        assert answer["content"]["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/Problem"}, name
        assert {"example"} <= answer["content"]["application/json"].keys(), name
    for name, (path, _, operation) in operations(described).items():
        for status, answer in operation["responses"].items() if path.startswith("/rest-api") else ():
            if status >= "400":
                assert answer == {"$ref": f"#/components/responses/Error{status}"}, name


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("read_root", "200 400 401 429 503"),
        ("list_phonebooks", "200 400 401 403 404 429 503"),
        ("create_phonebook", "201 400 401 403 408 409 413 415 422 429 503"),
        ("read_phonebook", "200 304 400 401 403 404 412 429 503"),
        ("change_phonebook", "200 202 400 401 403 404 408 409 412 413 415 429 503"),
        ("put_phonebook", "200 202 400 401 403 404 408 409 412 413 415 429 503"),
        ("delete_phonebook", "204 400 401 403 404 409 412 429 503"),
        ("delete_campaign", "200 400 401 403 404 409 412 429 503"),
        ("list_gateways", "200 400 401 403 404 429 503"),
        ("delete_gateway", "204 400 401 403 404 409 412 429 503"),
        ("list_payments", "200 400 401 403 404 429 503"),
        ("upload_audio", "201 400 401 403 408 409 413 415 422 429 503"),
        ("import_contacts", "200 400 401 403 404 408 413 415 429 503"),
        ("export_account", "200 400 401 403 409 429 503"),
        ("call_again", "200 201 400 401 403 404 408 409 413 415 422 429 503"),
        ("text_again", "200 201 400 401 403 404 408 409 413 415 422 429 503"),
        ("check_survey_template", "200 400 401 403 404 429 503"),
        ("aggregate_survey", "200 400 401 403 404 429 503"),
        ("download_recording", "200 206 304 400 401 403 404 412 416 429 503"),
        ("download_recordings", "200 400 401 403 404 429 503"),
        ("download_call_recordings", "200 400 401 403 404 429 503"),
        ("read_campaign_results", "200 400 401 403 404 429 503"),
        ("read_campaign_statistics", "200 400 401 403 404 429 503"),
        ("read_all_statistics", "200 400 401 403 429 503"),
        ("download_audio", "200 206 304 400 401 403 404 412 416 429 503"),
        ("advance_clock", "200 400 401 403 408 409 413 415 422 429 503"),
        ("live", "200"),
        ("ready", "200 503"),
    ],
)
def test_an_operation_names_the_answers_it_has(described: Json, name: str, statuses: str) -> None:
    assert sorted(operations(described)[name][2]["responses"]) == statuses.split()


def test_an_operation_names_the_headers_of_its_answers(described: Json) -> None:
    told = ["Preference-Applied", "X-Ignored-Parameters", "X-Request-ID"]
    page, fields, replayed = ["Link", "X-Total-Count"], ["X-Ignored-Fields"], ["Idempotent-Replayed"]
    expected = {
        ("read_phonebook", "200"): ["ETag", *told],
        ("read_phonebook", "304"): ["ETag"],
        ("change_phonebook", "200"): ["ETag", *told, *fields],
        ("import_contacts", "200"): [*told, "X-Import-Report"],
        ("delete_phonebook", "204"): told,
        ("change_phonebook", "202"): ["ETag", *told, *fields],
        ("create_phonebook", "201"): ["ETag", *replayed, *told, *fields, "Location"],
        ("create_contact", "201"): [
            "ETag",
            *replayed,
            *told,
            *fields,
            "Location",
            "X-Duplicate-Of",
            "X-Number-Remarks",
        ],
        ("change_contact", "202"): ["ETag", *told, *fields, "X-Number-Remarks"],
        ("upload_audio", "201"): ["ETag", *replayed, *told, *fields, "Location"],
        ("add_contacts", "200"): [*replayed, *told, *fields],
        ("refund_call", "201"): [*replayed, *told, "Location"],
        ("list_phonebooks", "200"): told,
        ("list_subscribers", "200"): told + page,
        ("live", "200"): [],
    }
    found = operations(described)
    named = {(name, status): found[name][2]["responses"][status].get("headers", {}) for name, status in expected}
    assert {key: sorted(headers) for key, headers in named.items()} == {
        key: sorted(names) for key, names in expected.items()
    }


def test_errors_name_their_headers(described: Json) -> None:
    told = {"Preference-Applied", "X-Ignored-Parameters", "X-Request-ID"}
    of_its_own = {
        "401": {"WWW-Authenticate"},
        "412": {"ETag"},
        "415": {"Accept-Encoding"},
        "416": {"Content-Range", "ETag"},
        "429": {"Retry-After"},
        "503": {"Retry-After"},
    }
    for name, answer in described["components"]["responses"].items():
        assert answer["headers"].keys() == told | of_its_own.get(name.removeprefix("Error"), set()), name


def test_every_operation_has_an_id_a_summary_and_examples(described: Json) -> None:
    found = operations(described)
    assert len(found) == sum(len(item) for item in described["paths"].values())
    for name, (_, _, operation) in found.items():
        assert re.fullmatch("[a-z]+(_[a-z]+)*", name)
        assert re.fullmatch("[A-Z][A-Za-z,' -]+", operation["summary"]), name
        answers = [operation["responses"].get(status, {}) for status in ("200", "201")]
        bodies = [operation.get("requestBody", {}), *answers]
        contents = [content for body in bodies for content in body.get("content", {}).values()]
        assert contents or name.startswith("delete_"), name
        assert all("example" in content for content in contents), name


@pytest.mark.parametrize("resource", CREATABLE, ids=lambda resource: resource.path)
def test_the_examples_are_taken_as_they_are(
    resource: Resource, admin: Caller, database: Database, described: Json
) -> None:
    """The examples use the ids of the first records. A record that must be unique is deleted first."""
    Estate(admin, admin, database, 1)
    place = described["paths"][f"/rest-api/{resource.path}/"]["post"]
    if resource.path in ONCE:
        assert admin.request("DELETE", f"{resource.path}/1/").is_success
    made = admin.create(resource.path, **place["requestBody"]["content"]["application/json"]["example"])
    assert made.keys() == place["responses"]["201"]["content"]["application/json"]["example"].keys()
    if "PATCH" in resource.methods:
        item = described["paths"][f"/rest-api/{resource.path}/{{record_id}}/"]
        for method in ("patch", "put"):
            example = item[method]["requestBody"]["content"]["application/json"]["example"]
            assert example
            assert admin.request(method.upper(), made["url"], json=example).status_code == 202


def test_only_public_operations_need_no_credentials(described: Json) -> None:
    for name, (path, _, operation) in operations(described).items():
        assert operation.get("security") == (None if path.startswith("/rest-api") else []), name


def test_every_reference_in_the_document_resolves(described: Json) -> None:
    def references(node: Json) -> Json:
        if isinstance(node, dict):
            yield from [node["$ref"]] if "$ref" in node else []
            node = list(node.values())
        for child in node if isinstance(node, list) else []:
            yield from references(child)

    known = {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "responses", "headers")
        for name in described["components"][kind]
    }
    assert set(references(described)) <= known


def test_the_document_can_be_had_without_a_server(client: TestClient[Litestar], described: Json) -> None:
    assert document(client.app)["paths"].keys() == described["paths"].keys()


@pytest.mark.parametrize(
    "path", ["/schema/elements", "/schema/swagger", "/schema/x.json", "/schema/oauth2-redirect.html"]
)
def test_no_page_is_served_that_loads_from_elsewhere(client: TestClient[Litestar], path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})


def test_the_document_names_the_licence(described: Json) -> None:
    assert described["info"]["license"] == {"name": "MIT", "identifier": "MIT"}


def test_every_example_of_a_number_is_a_number(described: Json) -> None:
    for name, (_, _, operation) in operations(described).items():
        for parameter in operation.get("parameters", []):
            if parameter["schema"].get("type") == "integer":
                assert isinstance(parameter["example"], int), (name, parameter["name"])
