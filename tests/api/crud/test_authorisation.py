"""Tests of authorisation: every resource for every kind of caller, and every reference in every spelling.

The cases are generated from the resource table, so a new resource is covered. `test_visibility` shows single cases of
other users' records.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from httpx import Response
from litestar import Litestar
from litestar.testing import TestClient

from dialer.app.accounts.api_keys import hash_secret
from dialer.resources.crud.references import NO_OBJECT, ReferenceList
from dialer.resources.crud.resource import Resource, references_of
from dialer.resources.crud.shapes import fields_of
from dialer.resources.crud.urls import URL_PATHS
from dialer.resources.records.table import RESOURCES
from dialer.store.tables import ApiKey, AudioFile
from tests.api.authority import CHANGED_BY_AGENTS, SCOPES, Authority, authority
from tests.api.builders import Estate, stored
from tests.api.harness import BASE, Caller, FakeWorker, Json
from tests.api.team import AGENT, VIEWER, hire

ADMIN, OWNER, OTHER, ANONYMOUS = "admin", "alice", "bob", None
ROLE_OF: Final = {ADMIN: "admin", OWNER: "manager", OTHER: "manager", AGENT: "agent", VIEWER: "viewer"}
TEAM: Final = (AGENT, VIEWER)
"""People who work for Alice: the record of an agent and its call belong to the agent."""
OWN_ROUTES: Final = {"audio-files": frozenset({"POST", "DELETE"}), "call-recording": frozenset({"DELETE"})}
"""The methods that a resource has besides those of its row: recordings are uploaded as forms, and take files along."""
DONE: Final[dict[str, set[int]]] = {
    "LIST": {200},
    "GET": {200},
    "POST": {400, 415},
    "PATCH": {202},
    "PUT": {202},
    "DELETE": {200, 204, 409},
}
"""The statuses of an allowed request. An empty creation fails validation, not authorisation."""

_BY_PATH = {resource.path: resource for resource in RESOURCES}


def methods_of(resource: Resource) -> set[str]:
    """Return every method that the resource supports."""
    row = resource.methods if resource.write is not None else frozenset()
    changes = {"PUT"} if "PATCH" in row else set()
    return {"LIST", "GET", *row, *changes, *OWN_ROUTES.get(resource.path, ())}


def authority_of(resource: Resource, method: str) -> Authority:
    """Return the authority for a request to a record, or for a creation or a list."""
    record = "" if method in {"LIST", "POST"} else "/{record_id}"
    return authority("GET" if method == "LIST" else method, f"/{resource.path}{record}")


def expected(resource: Resource, username: str | None, method: str) -> set[int]:
    """Return the statuses that are right for a record of Alice, or of all users."""
    if method not in methods_of(resource):
        return {405}
    if username is ANONYMOUS:
        return {401}
    if not authority_of(resource, method).allows(ROLE_OF[username], None):
        return {403}
    is_record = method not in {"LIST", "POST"}
    # An agent sees of the users only the own account.
    is_foreign = username == OTHER or (username == AGENT and resource.path == "users")
    if is_record and is_foreign and resource.owner is not None:
        return {404}
    return DONE[method]


@cache
def paths(estate: Estate) -> Mapping[str, str]:
    """Return the path of one record of every resource, including resources that belong to nobody."""
    shared = {"gateway": estate.gateway, "sms-gateway": estate.sms_gateway, "callerid-group": estate.callerid_group}
    return {**estate.paths(), **{name: f"/rest-api/{name}/{record['id']}/" for name, record in shared.items()}}


def ask(client: TestClient[Litestar], username: str | None, method: str, path: str) -> int:
    """Send a request, with an empty body if it has one, and return its status."""
    sent: Any = {} if method in {"POST", "PATCH", "PUT"} else None
    verb = "GET" if method == "LIST" else method
    if username is ANONYMOUS:
        return client.request(verb, path, json=sent).status_code
    return int(Caller(client, username).request(verb, path, json=sent).status_code)


@pytest.mark.parametrize("username", [ANONYMOUS, OTHER, OWNER, AGENT, VIEWER, ADMIN])
@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_each_user_may_do_what_is_allowed_and_nothing_else(
    resource: Resource, username: str | None, estate: Estate, admin: Caller, client: TestClient[Litestar]
) -> None:
    payment = admin.create("payment", amount=1, user=estate.user_id)
    if username in TEAM:
        hire(client, estate)
    item = {**paths(estate), "payment": f"/rest-api/payment/{payment['id']}/"}[resource.path]
    before = admin.get(item)
    answers = {}
    for method in DONE:
        path = f"/rest-api/{resource.path}/" if method in {"LIST", "POST"} else item
        status = ask(client, username, method, path)
        answers[method] = (status, status in expected(resource, username, method))
        if status in {401, 403, 404, 405}:
            assert admin.get(item) == before
    assert {method: status for method, (status, is_right) in answers.items() if not is_right} == {}


@pytest.mark.parametrize("scope", ["", *SCOPES])
@pytest.mark.parametrize("username", [ADMIN, OWNER, AGENT, VIEWER])
def test_a_key_may_do_what_its_user_and_its_scope_allow(
    username: str, scope: str, estate: Estate, client: TestClient[Litestar]
) -> None:
    payment = estate.admin.create("payment", amount=1, user=estate.user_id)
    hire(client, estate)
    bearer = key_of(estate, username, scope)
    items = {**paths(estate), "payment": f"/rest-api/payment/{payment['id']}/"}
    wrong = {}
    for resource in RESOURCES:
        for method in sorted({"GET", "PATCH", "POST"} & methods_of(resource)):
            path = f"/rest-api/{resource.path}/" if method == "POST" else items[resource.path]
            sent: Any = None if method == "GET" else {}
            status = client.request(method, path, json=sent, headers=bearer).status_code
            is_allowed = authority_of(resource, method).allows(ROLE_OF[username], {scope})
            right = expected(resource, username, method) if is_allowed else {403}
            if status not in right:
                wrong[method, path] = status
    assert wrong == {}


def key_of(estate: Estate, username: str, scope: str) -> dict[str, str]:
    """Store an API key with one scope or none, which no request can create, and return its header."""
    users = {user["username"]: user["id"] for user in estate.admin.get("users/", page_size=100)["results"]}
    secret = f"dk_{username}"
    columns = {"name": "program", "prefix": secret, "secret_hash": hash_secret(secret), "scopes": scope}
    stored(estate.database, ApiKey, user_id=users[username], **columns)
    return {"Authorization": f"Bearer {secret}"}


# --- references ---------------------------------------------------------------------------------------------------


class Target(NamedTuple):
    """The target of a reference: a record of `path`, which need not exist."""

    path: str
    record_id: int

    def spellings(self) -> dict[str, Json]:
        """Return the four spellings of a reference, and those that follow from them."""
        shown = URL_PATHS.get(self.path, self.path)
        return {
            "relative": f"/rest-api/{self.path}/{self.record_id}/",
            "absolute": f"{BASE}/{shown}/{self.record_id}/",
            "integer": self.record_id,
            "digits": str(self.record_id),
            "without its slash": f"/rest-api/{shown}/{self.record_id}",
        }

    def urls(self) -> dict[str, Json]:
        """Return the spellings that contain the kind of the record."""
        return {name: text for name, text in self.spellings().items() if name not in {"integer", "digits"}}


REFERENCES: Final[list[tuple[Any, str]]] = [
    (resource, name) for resource in RESOURCES if resource.write is not None for name in references_of(resource.write)
]
"""Every reference that clients write."""
MISSING: Final = 987_654
KIND_WRONG: Final = ("users", "contact")
"""Kinds that a field never accepts."""
TARGETS_WITHOUT_DELETE: Final = frozenset({"users", "callrequest"})


class Field:
    """One reference field, which Bob sends, or an admin if only admins may write it."""

    def __init__(self, resource: Resource, name: str, estates: tuple[Estate, Estate]) -> None:
        self.alices, self.bobs = estates
        self.resource: Final = resource
        self.name: Final = name
        self.kind: Final = references_of(resource.write or resource.read)[name]
        self.sender: Final = self.bobs.writer(resource)
        self._base: Final = self._whole()

    def _whole(self) -> dict[str, Json]:
        """Return a valid body that copies an existing record."""
        if self.resource.path == "payment":
            return {"amount": 1}
        record = self.sender.get(paths(self.bobs)[self.resource.path])
        fields = [field for field in fields_of(self.resource.write or self.resource.read) if field.name in record]
        return {field.name: record[field.name] for field in fields}

    def target(self, estate: Estate) -> Target:
        """Return the record of an estate that the field may name."""
        record_id = int(paths(estate)[self.kind.path].split("/")[-2])
        # A user cannot be their own manager.
        return Target(self.kind.path, 1 if self.kind.path == self.resource.path == "users" else record_id)

    def foreign(self) -> Target | None:
        """Return a record that the sender may not see; None if the kind has none."""
        is_shared = _BY_PATH[self.kind.path].owner is None
        return None if is_shared or self.resource.is_written_by_admins else self.target(self.alices)

    def deleted(self) -> Target | None:
        """Return a deleted record of the sender's; None for a kind that is never deleted."""
        path = self.kind.path
        if path in TARGETS_WITHOUT_DELETE:
            return None
        maker = self.bobs.admin if _BY_PATH[path].owner is None else self.bobs.owner
        record_id = self._new(path, maker)
        answer = maker.request("DELETE", f"{path}/{record_id}/")
        assert answer.status_code in {200, 204}, answer.text
        return Target(path, record_id)

    def _new(self, path: str, maker: Caller) -> int:
        """Create another record of a kind, and return its id."""
        if path == "audio-files":
            sound = {"name": "x", "audio_file": "x.wav", "format": "wav", "size": 1, "duration_ms": 1}
            return stored(self.bobs.database, AudioFile, user_id=self.bobs.user_id, **sound)
        record = maker.get(paths(self.bobs)[path])
        return int(maker.create(path, **record)["id"])

    def wrong_kind(self) -> Target:
        """Return a record that the sender may see, but of another kind."""
        path = next(kind for kind in KIND_WRONG if kind != self.kind.path)
        return Target(path, int(paths(self.bobs)[path].split("/")[-2]))

    def send(self, method: str, spelling: Json, sender: Caller | None = None) -> Json:
        """Write the field in this spelling, and return the response."""
        path, body = self.written(method, spelling)
        return (sender or self.sender).request(method, path, json=body)

    def written(self, method: str, spelling: Json) -> tuple[str, Json]:
        """Return the path and the body of a request that writes the field."""
        value = [spelling] if isinstance(self.kind, ReferenceList) else spelling
        if method == "POST":
            return f"/rest-api/{self.resource.path}/", {**self._base, self.name: value}
        return paths(self.bobs)[self.resource.path], {self.name: value}

    def methods(self) -> list[str]:
        """Return the methods that write the field. PUT is PATCH by another name: one handler has both."""
        return [method for method in ("POST", "PATCH") if method in methods_of(self.resource)]


@pytest.fixture
def field(
    request: pytest.FixtureRequest,
    both_estates: tuple[Estate, Estate],
    worker: FakeWorker,  # noqa: ARG001 - it resets the clock
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Field:
    # The file of a deleted recording is looked for in the working directory.
    monkeypatch.chdir(tmp_path)
    resource, name = request.param
    return Field(resource, name, both_estates)


every_reference = pytest.mark.parametrize(
    "field", REFERENCES, ids=lambda item: f"{item[0].path}.{item[1]}", indirect=True
)


@every_reference
def test_ones_own_record_is_taken_in_every_spelling(field: Field) -> None:
    for method in field.methods():
        for spelling in field.target(field.bobs).spellings().values():
            answer = field.send(method, spelling)
            if method == "POST" or field.name in field.resource.shapes.fixed:
                # A copy may be a duplicate, and a fixed field may not change, but the reference itself must be valid.
                refusal = answer.json() if answer.status_code == 400 else {}
                assert answer.status_code in {201, 202, 400}, answer.text
                assert NO_OBJECT not in refusal.get(field.name, [])
            else:
                assert (answer.status_code, answer.content) == (202, b""), answer.text


@every_reference
def test_references_to_foreign_missing_and_deleted_records_are_refused_with_equal_bytes(field: Field) -> None:
    missing = Target(field.kind.path, MISSING)
    targets = [target for target in (missing, field.foreign(), field.deleted()) if target is not None]
    for method in field.methods():
        spellings = [spelling for target in targets for spelling in target.spellings().values()]
        answers = [field.send(method, spelling) for spelling in spellings]
        assert len({(answer.status_code, answer.content, tuple(answer.headers)) for answer in answers}) == 1
        is_fixed = field.name in field.resource.shapes.fixed and method != "POST"
        assert answers[0].status_code == 400
        assert is_fixed or answers[0].json()[field.name] == [NO_OBJECT]


@every_reference
def test_another_kind_of_record_or_another_host_is_refused(field: Field) -> None:
    own = field.target(field.bobs)
    elsewhere = f"https://elsewhere.example/rest-api/{own.path}/{own.record_id}/"
    for method in field.methods():
        for spelling in (*field.wrong_kind().urls().values(), elsewhere):
            answer = field.send(method, spelling)
            assert (answer.status_code, answer.json().get(field.name)) == (400, [NO_OBJECT]), answer.text


@every_reference
def test_an_admin_names_no_record_of_another_user_than_the_owner(field: Field) -> None:
    """Name Alice's record in Bob's: a reference that does not decide the owner stays within the owner's records."""
    resource = field.resource
    decides = {"user", resource.owner, *({"manager"} if resource.path == "queue" else ())}
    foreign = field.foreign()
    method = "POST" if "POST" in methods_of(resource) else "PATCH"
    for spelling in field.target(field.bobs).spellings().values():
        answer = field.send(method, spelling, field.bobs.admin)
        assert answer.status_code in {201, 202, 400}, answer.text
        assert answer.status_code != 400 or NO_OBJECT not in answer.json().get(field.name, []), answer.text
    if foreign is None or field.name in decides:
        return
    for spelling in (*foreign.spellings().values(), *Target(field.kind.path, MISSING).spellings().values()):
        answer = field.send(method, spelling, field.bobs.admin)
        assert (answer.status_code, answer.json()[field.name]) == (400, [NO_OBJECT])


@every_reference
def test_callers_without_the_permission_learn_nothing_from_any_spelling(
    field: Field, client: TestClient[Litestar]
) -> None:
    team = hire(client, field.bobs)
    own, missing = field.target(field.bobs), Target(field.kind.path, MISSING)
    spellings = [spelling for target in (own, missing) for spelling in target.spellings().values()]
    method = field.methods()[0]
    for username in (*TEAM, ANONYMOUS):
        ((status, _),) = {outline(field, client, team, (username, method, spelling)) for spelling in spellings}
        if username is ANONYMOUS:
            assert status == 401
        else:
            is_allowed = authority_of(field.resource, method).allows(ROLE_OF[username], None)
            assert status == (400 if is_allowed else 403)


@pytest.mark.parametrize("field", [item for item in REFERENCES if item[0].path in CHANGED_BY_AGENTS], indirect=True)
def test_an_agent_learns_nothing_from_a_reference_in_the_own_record(field: Field, client: TestClient[Litestar]) -> None:
    team = hire(client, field.bobs)
    targets = (field.target(field.bobs), field.target(field.alices), Target(field.kind.path, MISSING))
    spellings = [spelling for target in targets for spelling in target.spellings().values()]
    ((status, _),) = {outline(field, client, team, (AGENT, "PATCH", spelling)) for spelling in spellings}
    assert status == 400


def outline(
    field: Field, client: TestClient[Litestar], team: dict[str, Caller], asked: tuple[str | None, str, Json]
) -> tuple[int, bytes]:
    """Write the field as somebody, and return all that the answer tells."""
    username, method, spelling = asked
    path, body = field.written(method, spelling)
    answer: Response = (
        client.request(method, path, json=body)
        if username is ANONYMOUS
        else team[username].request(method, path, json=body)
    )
    return answer.status_code, answer.content
