"""Tests of the page on which settings of a campaign are tried, compared and taken over."""

import re

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import update

from dialer.domain.forecast.rehearsed_rules import RehearsedRule
from dialer.forecast.what_if_queue import WhatIfQueue, WhatIfState
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests.api.harness import Caller
from tests.console.building import campaign, queue_campaign, store
from tests.console.visitor import Visitor, words


@pytest.fixture
def runs(client: TestClient[Litestar]) -> WhatIfQueue:
    """Return the comparisons of the service, of which there are none."""
    found: WhatIfQueue = client.app.dependencies["what_if_queue"].dependency()
    found._runs.clear()  # noqa: SLF001 - for one service, ids are never used again
    return found


@pytest.fixture
def identity(api: Caller, database: Database, runs: WhatIfQueue) -> int:  # noqa: ARG001 - none are there
    """Return a campaign of four people whose account pays."""
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    return campaign(api)


def try_settings(visitor: Visitor, identity: int, page: str = "what-if/", **fields: str) -> tuple[int, str]:
    visitor.get(f"campaigns/{identity}/{page}")
    answer = visitor.send(f"campaigns/{identity}/what-if/", **fields)
    return answer.status_code, words(answer.text)


def test_settings_are_tried_side_by_side_and_one_is_applied(
    alice: Visitor, visitor: Visitor, api: Caller, runs: WhatIfQueue, identity: int
) -> None:
    assert "What if…" in alice.text(f"campaigns/{identity}/")
    frequency = api.get(f"campaigns/{identity}/")["frequency"]
    text = alice.text(f"campaigns/{identity}/what-if/")
    assert f"Calls a minute {frequency}" in text
    assert "It obeys the calling hours of the service and of countries, too." in text
    assert "Obey the calling hours yes" in text
    assert "Longest call 1800 seconds (30:00 min)" in text
    assert "Longest ringing 45 seconds" in text
    assert re.search(r"Starts \d+ \w{3} \d{4}, \d\d:\d\d", text)
    assert try_settings(alice, identity, frequency="1; 2", monday="false", rate="0.5")[0] == 303
    while runs.of_campaign(identity).is_under_way:  # type: ignore[union-attr]
        alice.text(f"campaigns/{identity}/what-if/live/")
    text = alice.text(f"campaigns/{identity}/what-if/")
    assert "As it is" in text
    assert "Calls a minute: 1, Monday: no, Price of a minute, to all numbers: 0.5" in text
    assert "Calls a minute: 2, Monday: no" in text
    assert "Set elsewhere: Price of a minute, to all numbers" in text
    assert "Means of 10 runs of each setting, of the calls from now on." in text
    first, second = re.findall(r'name="setting" value="([^"]+)"', alice.page)
    visitor.sign_in("vera")
    assert "Apply" not in visitor.text(f"campaigns/{identity}/what-if/")
    assert visitor.send(f"campaigns/{identity}/what-if/apply/", setting=second).status_code == 403
    alice.get(f"campaigns/{identity}/what-if/")
    assert alice.send(f"campaigns/{identity}/what-if/apply/", setting=second).status_code == 303
    row = api.get(f"campaigns/{identity}/")
    assert (row["frequency"], row["monday"]) == (2, False)
    alice.get(f"campaigns/{identity}/what-if/")
    refused = alice.send(f"campaigns/{identity}/what-if/apply/", setting=f"{first}9")
    assert (refused.status_code, "This comparison is no longer there." in words(refused.text)) == (409, True)


def test_runs_obey_the_calling_hours_as_the_forecast_of_the_campaign_does(
    alice: Visitor, runs: WhatIfQueue, identity: int
) -> None:
    """A simulated carrier has no calling hours of its own; both pages propose to obey them all the same."""

    def obeyed() -> tuple[list[bool], str]:
        assert try_settings(alice, identity, obey_calling_hours="true;false")[0] == 303
        while runs.of_campaign(identity).is_under_way:  # type: ignore[union-attr]
            alice.text(f"campaigns/{identity}/what-if/live/")
        outcome = runs.of_campaign(identity).outcome  # type: ignore[union-attr]
        assert outcome is not None
        forecasts = [outcome.present, *(one.forecast for one in outcome.settings)]
        said = re.search(r"It (obeys|does not obey) the calling hours", alice.text(f"campaigns/{identity}/what-if/"))
        return [RehearsedRule.CALLING_HOURS in one.rules_obeyed for one in forecasts], said[1] if said else ""

    assert obeyed() == ([True, True, False], "obeys")
    alice.get(f"campaigns/{identity}/")
    assert alice.send(f"campaigns/{identity}/forecast/").status_code == 303
    assert obeyed() == ([False, True, False], "does not obey")
    assert "and the forecast of the campaign was made without them." in alice.text(f"campaigns/{identity}/what-if/")
    alice.get(f"campaigns/{identity}/")
    assert alice.send(f"campaigns/{identity}/forecast/", obey_calling_hours="1").status_code == 303
    assert obeyed() == ([True, True, False], "obeys")


def test_lengths_of_time_read_in_hours_and_minutes(
    alice: Visitor, api: Caller, runs: WhatIfQueue, identity: int
) -> None:
    api.change(f"campaigns/{identity}/", intervalretry=7200)
    assert "7200 seconds (2:00 h)" in alice.text(f"campaigns/{identity}/what-if/")
    assert try_settings(alice, identity, intervalretry="10800", callmaxduration="90;45")[0] == 303
    while runs.of_campaign(identity).is_under_way:  # type: ignore[union-attr]
        alice.text(f"campaigns/{identity}/what-if/live/")
    text = alice.text(f"campaigns/{identity}/what-if/")
    assert re.findall(r"[\w ]+: 3:00 h, Longest call: ([\d:]+ \w+)", text) == ["1:30 min", "45 s"]


def test_an_applied_setting_passes_the_checks_of_the_form(
    alice: Visitor, api: Caller, runs: WhatIfQueue, identity: int
) -> None:
    try_settings(alice, identity, daily_start_time="10:00")
    while runs.of_campaign(identity).is_under_way:  # type: ignore[union-attr]
        alice.text(f"campaigns/{identity}/what-if/live/")
    alice.get(f"campaigns/{identity}/what-if/")
    (value,) = re.findall(r'name="setting" value="([^"]+)"', alice.page)
    api.change(f"campaigns/{identity}/", daily_stop_time="10:00:00")
    refused = alice.send(f"campaigns/{identity}/what-if/apply/", setting=value)
    assert (refused.status_code, "so that the window opens" in words(refused.text)) == (400, True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Fill in at least one value to try."),
        ({"frequency": " ; "}, "Fill in at least one value to try."),
        ({"frequency": ";".join(map(str, range(1, 8))), "maxretry": "1;2;3"}, "These values make 21 settings."),
        ({"frequency": "40;soon"}, "Setting 2: “Calls a minute”: A valid integer is required."),
        ({"channels": "<script>"}, "Setting 1: “Channels”: A valid integer is required."),
    ],
)
def test_a_form_that_is_wrong_keeps_what_was_filled_in(
    alice: Visitor, identity: int, fields: dict[str, str], message: str
) -> None:
    status, text = try_settings(alice, identity, **fields)
    assert (status, message in text) == (400, True), text
    assert "<script>" not in re.sub(r"<script[ >][^<]*</script>|<script src", "", alice.page)


def test_progress_is_shown_and_the_comparison_is_stopped(
    alice: Visitor, bob: Visitor, identity: int, runs: WhatIfQueue
) -> None:
    try_settings(alice, identity, frequency="1")
    run = runs.of_campaign(identity)
    assert run is not None
    while run.is_under_way:
        alice.text(f"campaigns/{identity}/what-if/live/")
    run.state, run.done = WhatIfState.RUNNING, 7
    assert "7 of 20 runs done" in alice.text(f"campaigns/{identity}/what-if/")
    assert try_settings(bob, identity, page="../../account/", action="stop")[0] == 404
    status, text = try_settings(alice, identity, frequency="2")
    assert (status, "Settings of this campaign are being compared." in text) == (409, True)
    assert try_settings(alice, identity, action="stop")[0] == 303
    assert "It was stopped." in alice.text(f"campaigns/{identity}/what-if/")


def test_a_campaign_that_is_over_is_not_tried(alice: Visitor, api: Caller, identity: int) -> None:
    api.change(f"campaigns/{identity}/", status=4)
    assert "Settings to try" not in alice.text(f"campaigns/{identity}/what-if/")
    status, text = try_settings(alice, identity, frequency="1")
    assert (status, "There is nothing to forecast." in text) == (409, True)


def test_numbers_of_agents_have_a_picture_beside_erlang_c(
    alice: Visitor, api: Caller, database: Database, runs: WhatIfQueue
) -> None:
    store(database, update(User).values(call_rate=1_000, balance=10_00000))
    identity = queue_campaign(api)
    assert try_settings(alice, identity, agents="1-3")[0] == 303
    while runs.of_campaign(identity).is_under_way:  # type: ignore[union-attr]
        alice.text(f"campaigns/{identity}/what-if/live/")
    text = alice.text(f"campaigns/{identity}/what-if/")
    assert "How many agents are enough?" in text
    rows = re.findall(r'<tr><th scope="row">(\d+)', alice.page[alice.page.index('id="staffing"') :])
    assert rows == ["1", "2", "3"]
    assert alice.page.count('<path class="line') == 3
    status, text = try_settings(alice, identity, agents="1-40")
    assert (status, "These values make 21 settings. Try at most 20." in text) == (400, True)
    assert try_settings(alice, identity, agents="3-1")[0] == 400


def test_runs_that_stop_for_want_of_money_say_so(
    alice: Visitor, api: Caller, database: Database, runs: WhatIfQueue
) -> None:
    store(database, update(User).values(call_rate=1_000, balance=0))
    identity = queue_campaign(api)
    assert try_settings(alice, identity, frequency="7")[0] == 303
    while runs.of_campaign(identity).is_under_way:  # type: ignore[union-attr]
        alice.text(f"campaigns/{identity}/what-if/live/")
    text = alice.text(f"campaigns/{identity}/what-if/")
    assert text.count("10 of 10 runs stop early: the owner's balance cannot pay for one more call") == 2
