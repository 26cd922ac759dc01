"""Tests that a new resource needs only its table and its row in the resource table."""

from collections.abc import Iterator

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import MetaData
from sqlalchemy.orm import Mapped, mapped_column

from dialer.api.app import create_app
from dialer.resources.crud.declaration import (
    NAME,
    OWNER,
    STAMPS,
    derived,
    optional,
    own,
    shapes,
    writable,
    write_once,
)
from dialer.resources.crud.fields import Boolean, Integer, Text
from dialer.resources.crud.resource import Resource
from dialer.resources.records.table import RESOURCES
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import Row
from tests.api.harness import BASE, NOW, Caller, FakeWorker


class Gadget(Row):
    """A table without a migration, apart from the service's tables."""

    __tablename__ = "gadget"
    metadata = MetaData()

    user_id: Mapped[int]
    name: Mapped[str]
    serial: Mapped[str]
    weight: Mapped[int | None]
    length: Mapped[int] = mapped_column(default=1)
    is_spare: Mapped[bool] = mapped_column(default=False)
    created_date: Mapped[int]
    updated_date: Mapped[int]


GADGETS = Resource(
    path="gadget",
    shapes=shapes(
        "Gadget",
        Gadget,
        {
            **own("gadget"),
            "name": NAME,
            "serial": write_once(Text(10)),
            "weight": optional(Integer(1, 50)),
            "length": writable(Integer(), description="Centimetres."),
            "is_spare": writable(Boolean()),
            "is_heavy": derived(Boolean()),
            "user": OWNER,
            **STAMPS,
        },
        write_doc="A thing on a desk.",
    ),
    filters=("name", "weight", "is_spare"),
    derived=lambda _unit, rows: [{"is_heavy": (row["weight"] or 0) > 20} for row in rows],
    exported=True,
)
LAMP = {
    "id": 1,
    "url": f"{BASE}/gadget/1/",
    "name": "lamp",
    "serial": "L-1",
    "weight": None,
    "length": 1,
    "is_spare": False,
    "is_heavy": False,
    "user": f"{BASE}/users/2/",
    "created_date": NOW,
    "updated_date": NOW,
}


@pytest.fixture
def alice(database: Database, worker: FakeWorker) -> Iterator[Caller]:
    """Return a user of an application with one more resource."""
    database.write_now(Gadget.__table__.create)
    app = create_app(Settings(), database=database, worker=worker, resources=(*RESOURCES, GADGETS))
    with TestClient[Litestar](app, base_url=BASE.removesuffix("/rest-api")) as client:
        yield Caller(client, "alice")


def test_a_new_resource_is_created_read_changed_and_deleted(alice: Caller) -> None:
    assert alice.create("gadget", name="lamp", serial="L-1") == LAMP == alice.get("gadget/1/")
    alice.change("gadget/1/", weight="21", is_spare=True)
    assert alice.get("gadget/1/") == LAMP | {"weight": 21, "is_spare": True, "is_heavy": True}
    assert alice.request("DELETE", "gadget/1/").status_code == 204
    assert alice.refused("GET", "gadget/1/") == (404, {"detail": "Not found."})


def test_a_new_resource_is_listed_filtered_exported_and_found_from_the_root(alice: Caller) -> None:
    alice.create("gadget", name="lamp", serial="L-1")
    alice.create("gadget", name="desk", serial="D-1", weight=40)
    listed = alice.get("gadget/", weight=40)
    assert ([gadget["name"] for gadget in listed["results"]], listed["count"]) == (["desk"], 1)
    assert alice.get("gadget/", user_id=2)["count"] == 2
    assert alice.request("GET", "gadget/?format=csv").text.splitlines()[0] == ",".join(LAMP)
    assert alice.get("/rest-api/")["gadget"] == f"{BASE}/gadget/"


def test_a_new_resource_belongs_to_its_user(alice: Caller) -> None:
    alice.create("gadget", name="lamp", serial="L-1")
    bob = Caller(alice.client, "bob")
    assert bob.get("gadget/")["results"] == []
    assert bob.refused("PATCH", "gadget/1/", name="mine")[0] == 404


def test_a_new_resource_refuses_invalid_values(alice: Caller) -> None:
    errors = {
        "name": ["This field may not be blank."],
        "serial": ["This field is required."],
        "weight": ["Ensure this value is less than or equal to 50."],
        "is_spare": ["This field may not be null."],
    }
    assert alice.refused("POST", "gadget/", name="", weight=51, is_spare=None) == (400, errors)
    alice.create("gadget", name="lamp", serial="L-1")
    assert alice.refused("PATCH", "gadget/1/", serial="L-2") == (400, {"serial": ["This field may not be changed."]})
    answer = alice.request("PATCH", "gadget/1/", json={"is_heavy": True})
    assert (answer.status_code, answer.headers["x-ignored-fields"]) == (202, "is_heavy")


def test_a_new_resource_is_in_the_document(alice: Caller) -> None:
    described = alice.client.get("/schema/openapi.json").json()
    operations = {
        operation["operationId"]
        for path in ("/rest-api/gadget/", "/rest-api/gadget/{record_id}/")
        for verb, operation in described["paths"][path].items()
        if verb != "parameters"
    }
    verbs = ("create", "read", "change", "put", "delete")
    assert operations == {f"{verb}_gadget" for verb in verbs} | {"list_gadgets", "clear_gadgets"}
    found = {name: described["components"]["schemas"][f"Gadget{name}"] for name in ("Read", "Write", "Change")}
    given = ["name", "serial", "weight", "length", "is_spare", "user"]
    assert [list(schema["properties"]) for schema in found.values()] == [list(LAMP), given, given]
    assert [schema["required"] for schema in found.values()] == [sorted(LAMP), ["name", "serial"], []]
    assert {schema["properties"]["length"]["description"] for schema in found.values()} == {"Centimetres."}
    assert found["Read"]["description"] == "A thing on a desk, as it is stored."
    assert "Gadget" in alice.client.get("/schema/").text
