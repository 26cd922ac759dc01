from typing import Any

import pytest

from dialer.resources.crud.moments import show_timestamp
from dialer.resources.records.advancing import RUN_S_MAX, ClockRun
from dialer.runtime.steps.clock import ScaledClock
from tests.api.harness import NOW, NOW_MS, Caller, FakeWorker, Json

STILL = {"now": NOW, "mode": "virtual", "seed": 7}
BACK = f"2026-11-18T11:06:39Z is before the time of the clock, {NOW}. Use a later time."


def advance(caller: Caller, **fields: Json) -> tuple[int, Any]:
    answer = caller.request("POST", "clock/advance/", json=fields)
    return answer.status_code, answer.json()


def test_all_may_read_the_clock(alice: Caller) -> None:
    assert alice.get("clock/") == STILL


@pytest.mark.parametrize(
    ("fields", "now"),
    [
        ({"seconds": 60}, "2026-11-18T11:07:40Z"),
        ({"seconds": "0.25"}, "2026-11-18T11:06:40.250000Z"),
        ({"seconds": 0}, NOW),
        ({"to": "2026-11-19 00:00:00"}, "2026-11-19T00:00:00Z"),
        ({"to": NOW}, NOW),
    ],
)
def test_an_admin_advances_a_virtual_clock(admin: Caller, fields: dict[str, Any], now: str) -> None:
    assert advance(admin, **fields) == (200, {**STILL, "now": now})
    assert admin.get("clock/")["now"] == now


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({}, {"non_field_errors": ["Give either seconds, to or next."]}),
        ({"seconds": 1, "to": NOW}, {"non_field_errors": ["Give either seconds, to or next."]}),
        ({"seconds": -1}, {"seconds": [BACK]}),
        ({"to": "2026-11-18T11:06:39Z"}, {"to": [BACK]}),
        ({"seconds": 9_999_999}, None),
        ({"seconds": 366 * 86_400 + 1}, {"seconds": ["One request advances the clock by at most 366 days."]}),
        ({"to": "2199-01-01T00:00:00Z"}, {"to": ["One request advances the clock by at most 366 days."]}),
        ({"seconds": "soon"}, {"seconds": ["A valid number of seconds is required, with at most 3 decimal places."]}),
    ],
)
def test_the_clock_goes_forward_and_not_too_far(
    admin: Caller, fields: dict[str, Any], errors: dict[str, Any] | None
) -> None:
    assert advance(admin, **fields)[0] == (200 if errors is None else 400)
    if errors is not None:
        assert advance(admin, **fields)[1] == errors
        assert admin.get("clock/") == STILL


def advance_with_key(caller: Caller, key: str, **fields: Json) -> tuple[int, Any, bool]:
    headers = {"Idempotency-Key": key}
    answer = caller.request("POST", "clock/advance/", json=fields, headers=headers)
    return answer.status_code, answer.json(), "idempotent-replayed" in answer.headers


@pytest.mark.parametrize("seconds", [60, 3 * 86_400])
def test_an_advance_that_is_sent_again_is_answered_again(admin: Caller, worker: FakeWorker, seconds: int) -> None:
    arrived = {**STILL, "now": show_timestamp(NOW_MS + seconds * 1_000)}
    assert advance_with_key(admin, "k1", seconds=seconds) == (200, arrived, False)
    assert advance_with_key(admin, "k1", seconds=seconds) == (200, arrived, True)
    assert worker.clock.now_ms() == NOW_MS + seconds * 1_000
    assert advance_with_key(admin, "k1", seconds=1)[0] == 422
    assert advance_with_key(admin, "k2", seconds=-1)[0] == 400
    assert advance_with_key(admin, "k2", seconds=1)[0] == 200


def test_an_advance_that_stopped_on_its_way_goes_on_to_where_it_was_to_end(admin: Caller, worker: FakeWorker) -> None:
    arrived = {**STILL, "now": show_timestamp(NOW_MS + 60_000)}
    advance_with_key(admin, "k1", seconds=60)
    worker.virtual.set(NOW_MS + 20_000)
    assert advance_with_key(admin, "k1", seconds=60) == (200, arrived, True)
    assert admin.get("clock/") == arrived


def test_others_may_not_advance_it(alice: Caller) -> None:
    assert advance(alice, seconds=1)[0] == 403
    assert alice.get("clock/") == STILL


def test_a_clock_that_goes_by_itself_is_not_advanced(admin: Caller, worker: FakeWorker) -> None:
    worker.clock = ScaledClock(NOW_MS, 60)
    assert advance(admin, seconds=1) == (
        409,
        {"detail": "The clock is x60 and advances by itself. Only a virtual clock can be advanced."},
    )
    assert admin.get("clock/")["mode"] == "x60"


def test_the_clock_has_an_end(admin: Caller, worker: FakeWorker) -> None:
    worker.virtual.set(7_289_654_399_000)
    assert (
        admin.request("POST", "clock/advance/", json={"seconds": 0.999}).json()["now"] == "2200-12-31T23:59:59.999000Z"
    )
    refused = admin.refused("POST", "clock/advance/", seconds=1)
    assert refused == (400, {"seconds": ["The clock ends with the year 2200. Use an earlier time."]})


def test_the_clock_goes_on_to_the_next_event_if_there_is_one(admin: Caller, worker: FakeWorker) -> None:
    nothing = "Nothing is due: no campaign dials, and no call is in progress."
    assert advance(admin, next=True) == (400, {"next": [nothing]})
    worker.due_ms = NOW_MS + 7_000
    assert advance(admin, next=True, seconds=3)[0] == 400
    status, shown = advance(admin, next=True)
    assert (status, shown["now"]) == (200, "2026-11-18T11:06:47Z")
    assert advance(admin, next=True)[1]["now"] == "2026-11-18T11:06:47Z"


def clock_entries(admin: Caller) -> list[tuple[str, Json, Json]]:
    entries = admin.get("audit-log/?resource=clock")["results"]
    return [(entry["action"], entry["before"], entry["after"]) for entry in entries]


def test_a_clock_that_runs_is_logged_at_its_start_and_its_end(admin: Caller) -> None:
    for seconds, speed in ((15, 60), (15, 60), (0, 60), (100, None), (1, 1), (0, 0), (0, 0)):
        assert advance(admin, seconds=seconds, speed=speed)[0] == 200
    assert clock_entries(admin) == [
        ("clock_started", {"now": NOW, "speed": 0}, {"now": NOW, "speed": 60}),
        ("advance", {"now": "2026-11-18T11:07:10Z"}, {"now": "2026-11-18T11:08:50Z"}),
        *[
            (action, {"now": now, "speed": before}, {"now": now, "speed": after})
            for action, now, before, after in (
                ("clock_started", "2026-11-18T11:08:50Z", 60, 1),
                ("clock_stopped", "2026-11-18T11:08:51Z", 1, 0),
            )
        ],
    ]
    assert advance(admin, seconds=1, speed=-1)[0] == 400


def test_a_run_that_nobody_ended_is_over_after_a_while() -> None:
    now_s = [0.0]
    run = ClockRun(lambda: now_s[0])
    run.hear(60)
    now_s[0] = RUN_S_MAX
    assert run.speed == 60
    run.hear(None)
    now_s[0] += 1
    assert run.speed == 0
