"""Tests of permissions: every route needs one, and roles have those that they should have."""

from pathlib import Path
from typing import Final

import pytest
from litestar import Litestar, get
from litestar.testing import TestClient
from sqlalchemy import update

from dialer.api import app as composition
from dialer.api.http.permissions import ROUTES, UnknownRouteError, declared_permissions
from dialer.domain.words.roles import Permission, Role
from dialer.resources.records.table import RESOURCES
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests.api.builders import Estate
from tests.api.harness import Caller, FakeWorker
from tests.api.team import AGENT, VIEWER, hire

FORBIDDEN: Final = (403, {"detail": "You do not have permission to perform this action."})
SEEN_BY_AGENTS: Final = {"agent", "callrequest", "cdr", "subscriber-list", "transfer", "users"}


@pytest.fixture
def team(client: TestClient[Litestar], estate: Estate) -> dict[str, Caller]:
    return hire(client, estate)


@get("/secret-door")
async def secret_door() -> None:
    """Do nothing."""


def test_a_route_without_a_permission_keeps_the_application_from_starting(
    database: Database, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "EXTRA_ROUTES", (*composition.EXTRA_ROUTES, secret_door))
    with pytest.raises(UnknownRouteError) as error:
        composition.create_app(Settings(), database=database, worker=worker)
    assert str(error.value) == (
        "no permission is declared for 'GET /secret-door': add a line to ROUTES in src/dialer/api/http/permissions.py,"
        " with the permission of dialer.domain.words.roles that a request to it needs"
    )


def test_every_declared_route_is_served(client: TestClient[Litestar]) -> None:
    served = {
        f"{method} {route.path_format.removeprefix('/rest-api').rstrip('/') or '/'}"
        for route in client.app.routes
        for method in route.methods
        if route.path_format.startswith("/rest-api")
    }
    assert set(ROUTES) - served == set()


def test_a_route_outside_of_the_resource_table_has_one_permission() -> None:
    table = dict(declared_permissions(RESOURCES))
    overlapping = {route for route in ROUTES if route in table and table[route] is not ROUTES[route]}
    assert overlapping == set()


@pytest.mark.parametrize("permission", Permission)
def test_an_admin_has_every_permission(permission: Permission) -> None:
    assert permission.is_given(Role.ADMIN, None)


def test_a_viewer_reads_the_records_of_the_manager_and_changes_none(team: dict[str, Caller], estate: Estate) -> None:
    viewer = team[VIEWER]
    for resource in RESOURCES:
        if resource.path == "call-recording":  # Recordings have a permission of their own, which viewers have not.
            assert viewer.refused("GET", f"{resource.path}/") == FORBIDDEN
        elif not resource.admins_only:
            assert viewer.get(f"{resource.path}/") == estate.owner.get(f"{resource.path}/"), resource.path
    figures = viewer.get("statistics/")
    assert figures["subscribers"]["total"] > 0
    assert figures == estate.owner.get("statistics/")
    for path in estate.paths().values():
        if "call-recording" not in path:
            assert viewer.get(path) == estate.owner.get(path)
        assert viewer.request("PATCH", path, json={}).status_code in {403, 405}
        assert viewer.request("DELETE", path).status_code in {403, 405}
    assert viewer.get("statistics/") == estate.owner.get("statistics/")
    assert viewer.refused("POST", "phonebook/", name="mine") == FORBIDDEN
    assert viewer.refused("POST", f"phonebook/{estate.phonebook['id']}/import/") == FORBIDDEN
    assert viewer.refused("GET", "payment/") == FORBIDDEN


def test_an_agent_sees_the_own_record_and_the_own_calls(team: dict[str, Caller], estate: Estate) -> None:
    agent, records = team[AGENT], estate.paths()
    for resource in RESOURCES:
        if resource.path in SEEN_BY_AGENTS:
            listed = agent.get(f"{resource.path}/")
            assert len(listed if resource.plain_array else listed["results"]) == 1, resource.path
        else:
            assert agent.refused("GET", f"{resource.path}/") == FORBIDDEN, resource.path
    for path in SEEN_BY_AGENTS - {"users"}:
        assert agent.get(records[path]) == estate.owner.get(records[path])
    assert agent.get("users/")["results"][0]["username"] == AGENT
    assert agent.refused("GET", records["users"])[0] == 404


def test_an_agent_does_not_see_the_calls_of_colleagues(team: dict[str, Caller], estate: Estate) -> None:
    other = estate.owner.create("agent", name="Ben")
    agent = team[AGENT]
    assert agent.refused("GET", f"agent/{other['id']}/") == (404, {"detail": "Not found."})
    assert agent.refused("PATCH", f"agent/{other['id']}/", status=2) == (404, {"detail": "Not found."})
    estate.owner.change(f"agent/{estate.agent['id']}/", login=None)
    for path in SEEN_BY_AGENTS - {"users"}:
        listed = agent.get(f"{path}/")
        assert (listed if isinstance(listed, list) else listed["results"]) == []


def test_an_agent_changes_only_the_own_status_and_its_reason(team: dict[str, Caller], estate: Estate) -> None:
    agent, path = team[AGENT], f"agent/{estate.agent['id']}/"
    agent.change(path, status=4, break_reason="lunch")
    resting = estate.owner.get(path)
    assert (resting["status"], resting["break_reason"]) == (4, "lunch")
    agent.change(path, status=2)
    assert estate.owner.get(path)["status"] == 2
    assert agent.refused("PATCH", path, status=1, name="Boss", wrap_up_time=900) == (
        400,
        {
            "name": ["An agent may change only break_reason, status. Ask your manager to change this field."],
            "wrap_up_time": ["An agent may change only break_reason, status. Ask your manager to change this field."],
        },
    )
    assert estate.owner.get(path)["status"] == 2
    assert agent.refused("POST", "agent/", name="another") == FORBIDDEN
    assert agent.refused("DELETE", path) == FORBIDDEN


def test_a_manager_links_only_people_of_their_own_to_an_agent(
    team: dict[str, Caller], estate: Estate, bob: Caller
) -> None:
    assert set(team) == {VIEWER, AGENT}
    carl = next(user for user in estate.owner.get("users/")["results"] if user["username"] == AGENT)
    assert estate.owner.create("agent", name="Cy", login=carl["url"])["login"] == carl["url"]
    missing = (400, {"login": ["Invalid hyperlink - Object does not exist."]})
    assert bob.refused("POST", "agent/", name="Cy", login=carl["url"]) == missing
    assert estate.owner.refused("POST", "agent/", name="Cy", login=3) == missing


def test_a_manager_cannot_give_records_to_people_of_their_own(team: dict[str, Caller], estate: Estate) -> None:
    assert set(team) == {VIEWER, AGENT}
    for person in estate.owner.get("users/")["results"]:
        if person["username"] in team:
            refusal = estate.owner.refused("POST", "phonebook/", name="x", user=person["url"])
            assert refusal == (400, {"user": ["Invalid hyperlink - Object does not exist."]})


def test_a_disabled_user_is_refused_at_once(team: dict[str, Caller], estate: Estate) -> None:
    assert team[VIEWER].get("phonebook/")["count"] == 1
    estate.database.write_now(
        lambda connection: connection.execute(update(User).where(User.username == VIEWER).values(enabled=False))
    )
    assert team[VIEWER].refused("GET", "phonebook/") == (401, {"detail": "Invalid username/password."})


def test_the_documentation_lists_the_permissions_as_they_are() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/roles-and-keys.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 5]
    expected = []
    for permission in Permission:
        roles, scope, meaning, granted_to = permission.value
        named = ", ".join(role for role in Role if role in roles)
        if granted_to:
            named += f"; {' and '.join(role for role in Role if role in granted_to)} with `{permission.name.lower()}`"
        expected.append(f"| `{permission.name}` | {named} | {f'`{scope}`' if scope else 'any'} | {meaning} |")
    assert rows == expected


def test_the_documentation_names_the_resources_of_each_permission() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/roles-and-keys.md").read_text()
    lines = {
        permission: line
        for line in page.splitlines()
        for permission in Permission
        if line.endswith(f"| `{permission.name}` |")
    }
    usual = {Permission.READ, Permission.CAMPAIGNS}
    for resource in RESOURCES:
        for method in ("GET", "POST"):
            if (resource.write is not None or method == "GET") and resource.permission(method) not in usual:
                assert f"`{resource.path}`" in lines[resource.permission(method)], (method, resource.path)
