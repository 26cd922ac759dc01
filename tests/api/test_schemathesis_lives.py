"""Tests of the checks of schemathesis that need the life of a record: creation, reading, deletion."""

import base64
from collections.abc import Iterator
from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from schemathesis.auths import AuthContext
from schemathesis.checks import CheckFunction
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import CaseMetadata, FuzzingPhaseData, GenerationInfo, PhaseInfo, TestPhase
from schemathesis.specs.openapi.checks import (
    ensure_resource_availability,
    object_level_authorization,
    use_after_free,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema
from schemathesis.wfc.escalation import EscalatingAuthProvider

from dialer.resources.crud.resource import Resource
from dialer.resources.crud.urls import PREFIX
from dialer.resources.records.table import RESOURCES
from tests.api.builders import Estate
from tests.api.documented import AnyCase, ClientTransport, schema_of
from tests.api.harness import PASSWORD, Caller

LIVING: Final = [
    resource for resource in RESOURCES if resource.write is not None and {"POST", "DELETE"} <= set(resource.methods)
]
SHARED: Final = ("gateway", "sms-gateway", "callerid-group", "callerid", "users", "rate-card")
"""Resources whose records only admins create."""
UNIQUE: Final = ("subscriber-list", "dnc-contact", "branching-template", "tier", "did", "rate-card", "number-note")
"""Resources whose records must differ in their values, so that the first one is in the way of the example."""
CHECKS: Final[list[CheckFunction]] = [ensure_resource_availability, use_after_free, object_level_authorization]
# The checks trust in requests all of whose parameters are given.
HEADERS: Final = {"If-Match": "*", "If-None-Match": '"another"', "Prefer": "handling=lenient"}
NO_PHASE: Final = FuzzingPhaseData(description=None, parameter=None, parameter_location=None, location=None)


class Login:
    """A user's credentials, as schemathesis asks for them."""

    def __init__(self, username: str) -> None:
        self._header = f"Basic {base64.b64encode(f'{username}:{PASSWORD}'.encode()).decode()}"

    def get(self, _case: AnyCase, _context: AuthContext) -> str:
        return self._header

    def set(self, case: AnyCase, data: str, _context: AuthContext) -> None:
        case.headers["Authorization"] = data


class Thief(Login):
    """A user who sees the lists of Bob and the records of Alice."""

    def __init__(self) -> None:
        super().__init__("bob")

    def set(self, case: AnyCase, data: str, context: AuthContext) -> None:
        super().set(case, Login("alice").get(case, context) if "{record_id}" in case.path else data, context)


class Life:
    """The requests to one record, as one user sends them."""

    def __init__(self, schema: OpenApiSchema, resource: Resource, username: str) -> None:
        self.recorder = ScenarioRecorder(label=resource.path)
        self._schema = schema
        self._path = f"{PREFIX}/{resource.path}/"
        self._username = username
        self._made: AnyCase | None = None
        self.record_id = ""

    def create(self) -> None:
        """Create the record of the document's example."""
        operation = self._schema[self._path]["POST"]
        example = operation.definition.raw["requestBody"]["content"]["application/json"]["example"]
        case = operation.Case(body=example, media_type="application/json", _meta=meta())
        answer = self._send(case, None)
        assert answer.status_code == 201, answer.text
        self._made = case
        self.record_id = str(answer.json()["id"])

    def send(self, method: str) -> Response:
        """Send a request to the record, and check the answer."""
        operation = self._schema[f"{self._path}{{record_id}}/"][method]
        case = operation.Case(path_parameters={"record_id": self.record_id}, headers=dict(HEADERS), _meta=meta())
        assert self._made is not None
        answer = self._send(case, self._made.id)
        case.validate_response(answer, checks=CHECKS, recorder=self.recorder)
        return answer

    def _send(self, case: AnyCase, parent_id: str | None) -> Response:
        case._auth_identity = self._username  # noqa: SLF001 - the engine sets it, and no check runs without it
        Login(self._username).set(case, Login(self._username).get(case, None), None)  # type: ignore[arg-type]
        self.recorder.record_case(case=case, parent_id=parent_id)
        answer: Response = case.operation.schema.transport.send(case)
        self.recorder.record_response(case_id=case.id, response=answer)
        return answer


def meta() -> CaseMetadata:
    """Return the description of a generated valid case."""
    return CaseMetadata(GenerationInfo(0, GenerationMode.POSITIVE), {}, PhaseInfo(TestPhase.FUZZING, NO_PHASE))


@pytest.fixture(scope="module")
def schema(client_of_session: TestClient[Litestar]) -> Iterator[OpenApiSchema]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenApiSchema, "transport", ClientTransport(client_of_session))
        found = schema_of(client_of_session)
        peers = ("alice", "bob")
        logins: Any = [Login(name) for name in peers]
        found.auth.providers.append(EscalatingAuthProvider(logins, list(peers), peers=peers))
        yield found


@pytest.fixture
def life(request: pytest.FixtureRequest, schema: OpenApiSchema, admin: Caller, estate: Estate) -> Life:
    """Return the life of a record, of which nothing exists that is in the way."""
    resource: Resource = request.param
    if resource.path in UNIQUE:
        assert admin.request("DELETE", f"{resource.path}/1/").is_success
    return Life(schema, resource, "admin" if resource.path in SHARED else estate.owner.auth[0])


@pytest.mark.parametrize("life", LIVING, ids=lambda resource: resource.path, indirect=True)
def test_a_record_lives_from_its_creation_to_its_deletion(life: Life) -> None:
    """A new record is there, no other user reads it, and a deleted record is gone."""
    life.create()
    assert life.send("GET").status_code == 200
    assert life.send("DELETE").status_code in {200, 204}
    assert life.send("GET").status_code == 404


ONE: Final = [next(resource for resource in LIVING if resource.path == "phonebook")]


@pytest.mark.parametrize("life", ONE, indirect=True)
def test_a_new_record_that_is_missing_is_found(life: Life, alice: Caller) -> None:
    life.create()
    assert alice.request("DELETE", f"phonebook/{life.record_id}/").is_success
    with pytest.raises(FailureGroup, match="for a resource that was just created"):
        life.send("GET")


@pytest.mark.parametrize("life", ONE, indirect=True)
def test_a_deleted_record_that_is_there_is_found(life: Life, alice: Caller) -> None:
    life.create()
    life.send("DELETE")
    life.record_id = str(alice.create("phonebook", name="another")["id"])
    life.send("GET")
    for case in life.recorder.find_all_cases():
        case.path_parameters.update(record_id=life.record_id)
    with pytest.raises(FailureGroup, match="for a resource that was previously deleted"):
        life.send("GET")


@pytest.mark.parametrize("life", ONE, indirect=True)
def test_a_record_that_another_user_reads_is_found(life: Life, schema: OpenApiSchema) -> None:
    usual = list(schema.auth.providers)
    logins: Any = [Login("alice"), Thief()]
    schema.auth.providers[:] = [EscalatingAuthProvider(logins, ["alice", "thief"], peers=("alice", "thief"))]
    try:
        life.create()
        with pytest.raises(FailureGroup, match=r"`thief` received the `.*` that `alice` owns"):
            life.send("GET")
    finally:
        schema.auth.providers[:] = usual
