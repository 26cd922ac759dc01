"""Tests of the visibility of other users' records: for every resource, path and reference."""

from typing import Any

import pytest

from dialer.resources.crud.filters import filters_of
from dialer.resources.crud.resource import Resource, references_of
from dialer.resources.records.table import RESOURCES
from tests.api.builders import Estate
from tests.api.harness import Caller

OWNED = [resource for resource in RESOURCES if resource.owner is not None and not resource.admins_only]
SHARED = [resource for resource in RESOURCES if resource.owner is None]
NO_OBJECT = ["Invalid hyperlink - Object does not exist."]


def path_of(estate: Estate, path: str) -> str:
    return estate.paths()[path]


@pytest.mark.parametrize("resource", OWNED, ids=lambda resource: resource.path)
def test_another_users_record_is_not_found(resource: Resource, estate: Estate, bob: Caller, admin: Caller) -> None:
    url = path_of(estate, resource.path)
    is_writable = resource.write is not None and not resource.is_written_by_admins
    methods = ["GET", *(resource.methods - {"POST"} if is_writable else ())]
    answers = {method: bob.request(method, url, json={} if method == "PATCH" else None) for method in methods}
    assert {method: answer.status_code for method, answer in answers.items()} == dict.fromkeys(methods, 404)
    assert {answer.text for answer in answers.values()} == {'{"detail":"Not found."}'}
    assert admin.request("GET", url).status_code == 200


@pytest.mark.parametrize("resource", OWNED, ids=lambda resource: resource.path)
def test_a_list_has_only_the_callers_own_records(
    resource: Resource, estate: Estate, bob: Caller, alice: Caller
) -> None:
    def ids(caller: Caller) -> list[int]:
        found = caller.get(f"{resource.path}/")
        return [record["id"] for record in (found if resource.plain_array else found["results"])]

    theirs = int(path_of(estate, resource.path).split("/")[-2])
    assert theirs in ids(alice)
    assert ids(bob) == ([3] if resource.path == "users" else [])


def nested() -> list[tuple[Any, str]]:
    """Return every reference that a client may write, except references to shared resources."""
    return [
        (resource, name)
        for resource in RESOURCES
        if resource.write is not None and not resource.is_written_by_admins
        for name, kind in references_of(resource.write).items()
        if kind.path not in {shared.path for shared in SHARED}
    ]


@pytest.mark.parametrize(("resource", "field"), nested(), ids=lambda item: getattr(item, "path", item))
def test_a_reference_to_another_users_record_is_as_one_to_a_missing_record(
    resource: Resource, field: str, both_estates: tuple[Estate, Estate], bob: Caller
) -> None:
    estate, bobs = both_estates
    own = path_of(bobs, resource.path)
    target = references_of(resource.write or resource.read)[field].path
    foreign = bob.refused("PATCH", own, **{field: path_of(estate, target)})
    missing = bob.refused("PATCH", own, **{field: f"/rest-api/{target}/999999/"})
    assert foreign == missing
    assert foreign[0] == 400
    assert foreign[1][field] == NO_OBJECT or field in resource.shapes.fixed


@pytest.mark.parametrize("resource", SHARED, ids=lambda resource: resource.path)
@pytest.mark.usefixtures("estate")
def test_shared_resources_are_read_by_all_and_written_by_admins(resource: Resource, bob: Caller, admin: Caller) -> None:
    record = admin.create(resource.path, name="shared")
    assert bob.request("GET", record["url"]).json() == record
    refusal = (403, {"detail": "You do not have permission to perform this action."})
    assert bob.refused("POST", f"{resource.path}/", name="mine") == refusal
    assert bob.refused("PATCH", record["url"], name="mine") == refusal
    assert bob.refused("DELETE", record["url"]) == refusal


def test_payments_are_for_admins(bob: Caller, admin: Caller) -> None:
    refusal = (403, {"detail": "You do not have permission to perform this action."})
    assert bob.refused("GET", "payment/") == refusal
    assert bob.refused("POST", "payment/", amount=1, user=3) == refusal
    assert admin.get("payment/")["results"] == []


def test_the_user_is_the_caller_and_an_admin_may_name_another(alice: Caller, admin: Caller) -> None:
    mine = alice.create("phonebook", name="mine")
    hers = admin.create("phonebook", name="hers", user="/rest-api/users/2/")
    assert mine["user"] == hers["user"] == "http://testserver.local/rest-api/users/2/"
    assert alice.refused("POST", "phonebook/", name="his", user=3) == (400, {"user": NO_OBJECT})
    assert [book["name"] for book in alice.get("phonebook/")["results"]] == ["mine", "hers"]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
@pytest.mark.usefixtures("estate")
def test_every_filter_narrows_a_list_or_leaves_it(resource: Resource, admin: Caller) -> None:
    for name in filters_of(resource):
        answer = admin.request("GET", f"{resource.path}/", params={name: "1"})
        assert answer.status_code in {200, 400}, (name, answer.text)
        if name.endswith("_id") and name != "message_id":
            wrong = admin.request("GET", f"{resource.path}/", params={name: "x"})
            assert (wrong.status_code, wrong.json()) == (400, {name: ["A valid integer is required."]})
