"""Tests of the statistics of agents and queues, against a recount of the transfers."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import pytest

from tests.api.harness import Caller
from tests.end_to_end.service import START, advance

WRAP_UP_S: Final = 10
MAX_WAIT_S: Final = 25
PEOPLE: Final = {"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4}
TRANSFERS: Final = {"type": 6, "question": "desk", "script": "one moment"}


def opened(
    ann: Caller, admin: Caller, patience: tuple[int, int] = (3, 40), **fields: object
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start a campaign of six calls a minute for a queue with one agent. Return the agent and the queue."""
    admin.create("payment", user="/rest-api/users/2/", amount="100")
    phonebook = ann.create("phonebook", name="callees")
    for last in range(60):
        ann.create("contact", phonebook=phonebook["url"], contact=f"+120255510{last:02d}")
    talks = {"talk": [20, 40], "answer": 1}
    agent = ann.create(
        "agent", **{"name": "Zoe", "status": 2, "wrap_up_time": WRAP_UP_S, "parameters": talks, **fields}
    )
    queue = ann.create("queue", name="desk", max_wait_time=MAX_WAIT_S)
    ann.create("tier", queue=queue["url"], agent=agent["url"])
    survey = ann.create("survey-template", name="survey")
    ann.create("section-template", survey=survey["url"], queue=queue["url"], **TRANSFERS)
    made = ann.create(
        "campaigns",
        name="calls",
        callerid="+12025550199",
        aleg_gateway=admin.create("gateway", name="sim", parameters={**PEOPLE, "patience": patience})["url"],
        phonebook=[phonebook["url"]],
        object_id=str(survey["id"]),
        frequency=6,
    )
    ann.change(made["url"], status=1)
    return dict(agent), dict(queue)


def at_s(moment: str) -> float:
    """Return a moment in seconds after the start."""
    return (datetime.fromisoformat(moment) - datetime.fromisoformat(START)).total_seconds()


def transfers(ann: Caller) -> list[dict[str, Any]]:
    return sorted(ann.get("transfer/", page_size=1000)["results"], key=lambda one: one["joined_date"])


def gone(ann: Caller) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield the transfers of calls that are over, with their waits."""
    for one in transfers(ann):
        if ann.get(one["callrequest"])["status"] != 7:
            yield one, at_s(one["answer_date"] or one["ending_date"]) - at_s(one["joined_date"])


def recounted_queue(ann: Caller, within: int) -> dict[str, Any]:
    found = list(gone(ann))
    taken = [wait for one, wait in found if one["answer_date"] is not None]
    given_up = sum(one["reason"] in {"max_wait", "no_agent"} for one, _ in found)
    soon = sum(wait <= within for wait in taken)
    return {
        "calls": len(found),
        "taken": len(taken),
        "abandoned": len(found) - len(taken) - given_up,
        "hung_up": len(found) - len(taken) - given_up,
        "timed_out": given_up,
        "within": within,
        "taken_within": soon,
        "service_level": round(100 * soon / len(found), 2),
        "late": sum(one["is_abandoned"] for one, _ in found),
        "average_wait": pytest.approx(sum(taken) / len(taken), abs=0.01),
        "longest_wait": pytest.approx(max(wait for _, wait in found)),
    }


def recounted_agent(ann: Caller, now_s: float) -> dict[str, Any]:
    """Recount an agent who is on duty since the start, and has missed no call."""
    talks = [
        (at_s(one["answer_date"]), now_s if one["ending_date"] is None else at_s(one["ending_date"]))
        for one in transfers(ann)
        if one["answer_date"] is not None
    ]
    talking = sum(end - begin for begin, end in talks)
    wrapping = sum(min(WRAP_UP_S, now_s - end) for _, end in talks)
    return {
        "available_seconds": pytest.approx(now_s - talking - wrapping),
        "talking_seconds": pytest.approx(talking),
        "wrapping_up_seconds": pytest.approx(wrapping),
        "on_break_seconds": 0,
        "taken": len(talks),
        "missed": 0,
        "handling_time": pytest.approx((talking + wrapping) / len(talks), abs=0.01),
    }


def test_statistics_equal_a_recount_of_the_transfers(ann: Caller, admin: Caller) -> None:
    agent, queue = opened(ann, admin)
    seen = set()
    for step in range(1, 20):
        advance(admin, 17)
        now_s = 17.0 * step
        of_agent = ann.get(f"agent/{agent['id']}/statistics/")
        if of_agent["totals"]["taken"]:
            assert of_agent["totals"] == recounted_agent(ann, now_s)
        seen.add(of_agent["now"]["activity"])
        assert at_s(of_agent["now"]["since"]) + of_agent["now"]["seconds"] == pytest.approx(now_s)
        present = [one for one in transfers(ann) if one["ending_date"] is None]
        waiting = [now_s - at_s(one["joined_date"]) for one in present if one["answer_date"] is None]
        talking = [at_s(one["answer_date"]) for one in present if one["answer_date"] is not None]
        assert [at_s(of_agent["now"]["since"])] == talking or of_agent["now"]["activity"] != "talking"
        assert ann.get(f"queue/{queue['id']}/statistics/")["now"] == {
            "waiting": len(waiting),
            "longest_wait": pytest.approx(max(waiting, default=0)),
            "talking": len(talking),
            "on_break": 0,
            "long_breaks": [],
        }
    assert seen == {"available", "talking", "wrapping_up"}
    for within in (2, 10, 20, 600):
        found = ann.get(f"queue/{queue['id']}/statistics/", within=within)["totals"]
        assert found == recounted_queue(ann, within)
        assert min(found["taken"], found["abandoned"], found["timed_out"]) > 0
    assert ann.get(f"queue/{queue['id']}/statistics/")["totals"]["within"] == 20


def test_the_time_of_an_agent_is_told_by_activity_and_hour(ann: Caller, admin: Caller) -> None:
    """Ten minutes on duty, fifty for lunch, ten for a meeting into the next hour, and then logged out."""
    agent = ann.create("agent", name="Zoe", status=2)
    path = f"agent/{agent['id']}/statistics/"
    advance(admin, 600)
    ann.change(agent["url"], status=4, break_reason="lunch")
    advance(admin, 2_400)
    ann.change(agent["url"], break_reason="meeting")
    advance(admin, 1_200)
    totals = {
        "available_seconds": 600.0,
        "talking_seconds": 0.0,
        "wrapping_up_seconds": 0.0,
        "on_break_seconds": 3_600.0,
        "taken": 0,
        "missed": 0,
        "handling_time": None,
    }
    assert ann.get(path) == {
        "agent": agent["url"],
        "now": {
            "activity": "on_break",
            "status": 4,
            "break_reason": "meeting",
            "since": "2026-03-02T12:50:00Z",
            "seconds": 1_200.0,
            "break_limit": 0,
            "break_exceeded_by": 0.0,
        },
        "totals": totals,
        "breaks": [
            {"reason": "lunch", "seconds": 2_400.0, "begun": 1},
            {"reason": "meeting", "seconds": 1_200.0, "begun": 0},
        ],
    }
    second_hour = ann.get(path, starting_date_after="2026-03-02T13:30:00Z")
    assert second_hour["totals"] == totals | {"available_seconds": 0.0, "on_break_seconds": 600.0}
    assert second_hour["breaks"] == [{"reason": "meeting", "seconds": 600.0, "begun": 0}]
    first_hour = ann.get(path, starting_date_before="2026-03-02T12:00:00Z")
    assert first_hour["totals"] == totals | {"on_break_seconds": 3_000.0}
    ann.change(agent["url"], status=1)
    advance(admin, 900)
    logged_out = ann.get(path)
    assert logged_out["totals"] == totals
    assert (logged_out["now"]["activity"], logged_out["now"]["since"]) == ("logged_out", "2026-03-02T13:10:00Z")


def test_a_call_that_an_agent_lets_ring_is_missed(ann: Caller, admin: Caller) -> None:
    """The first caller joins soon after 5 s, the agent lets 20 s pass, and the queue gives callers up after 25 s."""
    agent, queue = opened(ann, admin, patience=(60, 60), parameters={"answer": 60})
    path = f"agent/{agent['id']}/statistics/"
    advance(admin, 24)
    assert ann.get(path)["totals"]["missed"] == 0
    advance(admin, 9)
    found = ann.get(path)["totals"]
    assert (found["taken"], found["missed"], found["handling_time"], found["available_seconds"]) == (0, 1, None, 33.0)
    totals = ann.get(f"queue/{queue['id']}/statistics/")["totals"]
    assert (totals["taken"], totals["service_level"], totals["average_wait"]) == (0, 0.0, None)
    assert (totals["calls"], totals["abandoned"], totals["timed_out"], totals["longest_wait"]) == (1, 0, 1, 25.0)


def test_a_change_of_status_does_not_begin_a_talk_anew(ann: Caller, admin: Caller) -> None:
    agent, _ = opened(ann, admin, parameters={"talk": 60, "answer": 1})
    advance(admin, 30)
    path = f"agent/{agent['id']}/statistics/"
    before = ann.get(path)
    advance(admin, 5)
    ann.change(agent["url"], status=4, break_reason="tea")
    after = ann.get(path)
    assert (before["now"]["activity"], after["now"]["activity"]) == ("talking", "talking")
    assert after["now"]["since"] == before["now"]["since"]
    assert after["totals"]["talking_seconds"] == before["totals"]["talking_seconds"] + 5


def test_a_queue_without_calls(ann: Caller) -> None:
    queue = ann.create("queue", name="desk")
    assert ann.get(f"queue/{queue['id']}/statistics/", within=45) == {
        "queue": queue["url"],
        "now": {"waiting": 0, "longest_wait": 0.0, "talking": 0, "on_break": 0, "long_breaks": []},
        "totals": {
            "calls": 0,
            "taken": 0,
            "abandoned": 0,
            "hung_up": 0,
            "timed_out": 0,
            "within": 45,
            "taken_within": 0,
            "service_level": None,
            "late": 0,
            "average_wait": None,
            "longest_wait": 0.0,
        },
    }


def test_wrong_parameters_are_refused_by_name(ann: Caller) -> None:
    queue, agent = ann.create("queue", name="desk"), ann.create("agent", name="Zoe")
    path = f"queue/{queue['id']}/statistics/"
    asked = f"{path}?within=25&starting_date_after=never"
    status, body = ann.refused("GET", asked)
    assert (status, sorted(body)) == (400, ["starting_date_after", "within"])
    known = "2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600"
    assert body["within"] == [f"'25' is not a threshold in seconds that is counted. Use one of {known}."]
    for wrong in ("", "0", "020", "20.0", "-20", "x"):
        assert ann.refused("GET", f"{path}?within={wrong}")[0] == 400
    refused = ann.refused("GET", f"agent/{agent['id']}/statistics/?starting_date_before=never")
    assert (refused[0], list(refused[1])) == (400, ["starting_date_before"])


@pytest.mark.parametrize("path", ["agent", "queue"])
def test_statistics_of_other_users_do_not_exist(ann: Caller, admin: Caller, path: str) -> None:
    own, foreign = ann.create(path, name="one"), admin.create(path, name="two")
    missing = ann.refused("GET", f"{path}/99/statistics/")
    assert missing[0] == 404
    assert ann.refused("GET", f"{path}/{foreign['id']}/statistics/") == missing
    assert ann.refused("GET", f"{path}/x/statistics/") == missing
    assert admin.get(f"{path}/{own['id']}/statistics/") == ann.get(f"{path}/{own['id']}/statistics/")
