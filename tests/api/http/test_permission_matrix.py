"""The matrix of permissions: every route that is served, for every role and every set of scopes of an API key.

The routes come from the application, so a new resource is covered. The expectation is `tests.api.authority`.
"""

from itertools import chain, combinations
from typing import Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.http.permissions import Permissions
from dialer.domain.words.roles import Role, Scope
from dialer.resources.crud.resource import Actor, KeyInUse
from dialer.resources.records.table import RESOURCES
from dialer.resources.words.errors import ForbiddenError
from tests.api.authority import ROLES, SCOPES, authority

PREFIX: Final = "/rest-api"
SCOPE_SETS: Final[list[tuple[str, ...] | None]] = [
    None,
    *chain.from_iterable(combinations(SCOPES, count) for count in range(len(SCOPES) + 1)),
]
"""None stands for a password."""


@pytest.fixture(scope="module")
def served(client_of_session: TestClient[Litestar]) -> dict[str, list[str]]:
    """Return the methods of every route of the application, besides `OPTIONS`, by path template."""
    return {
        route.path_format: sorted(set(map(str, route.methods)) - {"OPTIONS"})
        for route in client_of_session.app.routes
        if route.path_format.startswith(PREFIX)
    }


@pytest.fixture(scope="module")
def permissions(served: dict[str, list[str]]) -> Permissions:
    permissions = Permissions(RESOURCES)
    permissions.serve(served)
    return permissions


def actor(role: str, scopes: tuple[str, ...] | None, *, is_granted: bool) -> Actor:
    key = None if scopes is None else KeyInUse(1, "dk_12345678", frozenset(map(Scope, scopes)))
    return Actor(2, "alice", Role(role), None, key, recordings=is_granted)


def refusal(permissions: Permissions, caller: Actor, method: str, template: str) -> str | None:
    """Return the message with which a request is refused; None if it is allowed."""
    try:
        permissions.check(caller, method, template)
    except ForbiddenError as error:
        return error.detail
    return None


def expected(role: str, scopes: tuple[str, ...] | None, method: str, template: str, *, is_granted: bool) -> str | None:
    """Return the message that is right, by the table of authority."""
    needed = authority(method, template.removeprefix(PREFIX).rstrip("/") or "/")
    if needed.allows(role, scopes, is_granted=is_granted):
        return None
    if needed.allows(role, None, is_granted=is_granted):
        return f"This API key lacks the scope '{needed.scope}'. Use a key that has it."
    return "You do not have permission to perform this action."


@pytest.mark.parametrize("is_granted", ["", "granted"])
@pytest.mark.parametrize("role", ROLES)
def test_every_route_is_open_to_its_roles_and_scopes_and_to_no_others(
    role: str, is_granted: str, served: dict[str, list[str]], permissions: Permissions
) -> None:
    routes = [(method, template) for template, methods in served.items() for method in methods]
    assert {f"{PREFIX}/{resource.path}/{{record_id}}" for resource in RESOURCES} <= set(served)
    wrong = {}
    for scopes in SCOPE_SETS:
        caller = actor(role, scopes, is_granted=bool(is_granted))
        for method, template in routes:
            found = refusal(permissions, caller, method, template)
            right = expected(role, scopes, method, template, is_granted=bool(is_granted))
            if found != right:
                wrong[method, template, scopes] = (found, right)
    assert wrong == {}


def test_the_table_of_authority_knows_every_role_and_scope() -> None:
    assert set(ROLES) == set(Role)
    assert set(SCOPES) == set(Scope)
