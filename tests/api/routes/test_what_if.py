"""Tests of comparisons of settings over the API: what may be tried, progress, the stop, and the limits."""

from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.actions import what_if
from dialer.forecast import what_if_queue
from dialer.forecast.parameters import SETTINGS_MAX
from dialer.forecast.what_if import FIGURES
from dialer.forecast.what_if_queue import WhatIfQueue
from tests.api.builders import Estate
from tests.api.harness import Caller

UNDER_WAY: Final = ("waiting", "running")


@pytest.fixture(autouse=True)
def _none_before(client: TestClient[Litestar]) -> None:
    """Forget the comparisons of other tests, whose campaigns have the same ids."""
    runs: WhatIfQueue = client.app.dependencies["what_if_queue"].dependency()
    runs._runs.clear()  # noqa: SLF001 - for one service, ids are never used again


@pytest.fixture
def path(estate: Estate) -> str:
    """Return the path of Alice's campaign, which has one subscriber and money."""
    estate.admin.create("payment", amount=10, user="/rest-api/users/2/")
    return f"campaigns/{estate.campaign['id']}/what-if/"


def ask(caller: Caller, path: str, *settings: Any, **fields: Any) -> tuple[int, Any]:  # noqa: ANN401 - JSON
    answer = caller.request("POST", path, json={"settings": list(settings), **fields})
    return answer.status_code, answer.json()


def outcome(caller: Caller, path: str) -> Any:  # noqa: ANN401 - JSON
    """Wait for the end of the comparison, and return it."""
    while (found := caller.get(path))["state"] in UNDER_WAY:
        pass
    return found


def test_settings_are_compared_in_the_background(alice: Caller, path: str) -> None:
    status, begun = ask(alice, path, {"frequency": 40}, {"daily_start_time": "10:00", "agents": "3"}, seeds=6)
    assert (status, begun["state"] in UNDER_WAY, begun["runs"]) == (202, True, 18)
    found = outcome(alice, path)
    assert (found["state"], found["done"], found["error"]) == ("done", 18, "")
    assert found["changes"] == [{"frequency": "40"}, {"daily_start_time": "10:00", "agents": "3"}]
    whole = found["outcome"]
    forecast = alice.request("POST", path.replace("what-if", "forecast"), json={"seeds": 6}).json()
    assert whole["present"] == forecast
    assert [one["figure"] for one in whole["settings"][0]["differences"]] == list(FIGURES)
    (calls,) = [one for one in whole["settings"][0]["differences"] if one["figure"] == "calls"]
    assert (calls["difference"], calls["is_more_than_chance"]) == (0, False)


def test_a_campaign_of_text_messages_has_a_path_of_its_own(alice: Caller, estate: Estate, path: str) -> None:
    own = f"sms-campaigns/{estate.sms_campaign['id']}/what-if/"
    alice.change(estate.sms_campaign["url"], text_message="Come!")
    refused = "Setting 1: agents: This is no setting that can be tried."
    assert ask(alice, own, {"agents": 3}) == (400, {"settings": [refused]})
    assert ask(alice, own, {"frequency": 3, "rate": "0.5"}, seeds=1)[0] == 202
    found = outcome(alice, own)["outcome"]["settings"][0]
    assert [found["differences"][0]["margin"], found["differences"][0]["is_more_than_chance"]] == [None, None]
    assert ask(alice, path.replace("campaigns", "sms-campaigns"), {"frequency": 3})[0] == 404


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ({"frequency": 0}, "frequency: Ensure this value is greater than or equal to 1."),
        ({"frequency": None}, "frequency: This field may not be null."),
        ({"name": "x"}, "name: This is no setting that can be tried."),
        ({"maxretries": 2}, "maxretries: This is no setting that can be tried. Did you mean maxretry?"),
        ({"status": 4}, "status: This is no setting that can be tried."),
        ({"user": "/rest-api/users/1/"}, "user: This is no setting that can be tried."),
        ({"daily_start_time": "9 o'clock"}, "daily_start_time: Time has wrong format. Use HH:MM:SS."),
        ({"abandon_rate_max": 101}, "abandon_rate_max: Ensure this value is less than or equal to 100."),
        ({"channels": -1}, "channels: Ensure this value is greater than or equal to 0."),
        ({"agents": 1_001}, "agents: Ensure this value is less than or equal to 1000."),
        ({"rate": "NaN"}, "rate: "),
        ({"maxretry": "0" * 41}, "maxretry: Ensure this value has at most 40 characters."),
    ],
)
def test_settings_are_checked_as_changes_of_the_campaign_are(
    alice: Caller, path: str, setting: dict[str, Any], error: str
) -> None:
    status, errors = ask(alice, path, {"maxretry": 1}, setting)
    assert (status, list(errors)) == (400, ["settings"])
    assert errors["settings"][0].startswith(f"Setting 2: {error}")
    assert alice.request("GET", path).status_code == 404


def test_rules_hold_for_the_changed_campaign(alice: Caller, estate: Estate, path: str) -> None:
    alice.change(estate.campaign["url"], daily_stop_time="18:00:00")
    status, errors = ask(alice, path, {"daily_start_time": "18:00"})
    assert (status, "Set another time, so that the window opens." in errors["settings"][0]) == (400, True)
    survey_needs_queue = ask(alice, path, {"dial_method": 3})
    if survey_needs_queue[0] == 202:
        assert outcome(alice, path)["state"] == "failed"


@pytest.mark.parametrize(
    "settings", [[], [{}], {"frequency": 1}, "frequency", [1], [{"frequency": 1}] * (SETTINGS_MAX + 1)]
)
def test_bodies_that_are_none(alice: Caller, path: str, settings: Any) -> None:  # noqa: ANN401 - JSON
    answer = alice.request("POST", path, json={"settings": settings})
    assert (answer.status_code, list(answer.json())) == (400, ["settings"])
    assert alice.request("POST", path, json={}).json() == {"settings": ["This field is required."]}
    assert ask(alice, path, {"frequency": 1}, seeds=51)[1] == {
        "seeds": ["Ensure this value is less than or equal to 50."]
    }


def test_it_is_the_owners_and_an_admins(bob: Caller, admin: Caller, path: str) -> None:
    assert ask(bob, path, {"frequency": 1}) == (404, {"detail": "Not found."})
    assert ask(admin, path, {"frequency": 1}, seeds=1)[0] == 202
    assert outcome(admin, path)["state"] == "done"
    assert [bob.request(method, path).status_code for method in ("GET", "DELETE")] == [404, 404]


def test_too_large_a_comparison_is_refused(alice: Caller, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The present setting counts, too."""
    monkeypatch.setattr(what_if, "WORK_MAX", 3 * 9 + 2)
    status, errors = ask(alice, path, {"frequency": 40}, {"frequency": 50})
    assert (status, "Ask for at most 9 seeds." in errors["seeds"][0]) == (400, True)
    assert ask(alice, path, {"frequency": 40}, {"frequency": 50}, seeds=9)[0] == 202


def test_a_campaign_that_has_ended_has_nothing_to_try(alice: Caller, estate: Estate, path: str) -> None:
    alice.change(estate.campaign["url"], status=4)
    status, body = ask(alice, path, {"frequency": 40})
    assert (status, "There is nothing to forecast." in body["detail"]) == (409, True)


def test_with_too_many_of_others_it_can_be_tried_again(
    alice: Caller, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_if_queue, "OF_ACCOUNT_MAX", 0)
    answer = alice.request("POST", path, json={"settings": [{"frequency": 40}]})
    detail = "Comparisons of other users are running. Try again in 10 s."
    assert (answer.status_code, answer.headers["Retry-After"], answer.json()) == (503, "10", {"detail": detail})
