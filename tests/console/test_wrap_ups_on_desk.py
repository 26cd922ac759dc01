"""Tests of the time after a call on the desk and over the API: "ready", more time, and an outcome that is required."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import select, update

from dialer.domain.queueing.plans import AgentFigures
from dialer.domain.words.moments import NEVER_MS
from dialer.store.database.database import Database
from dialer.store.tables import Agent, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_desk import talk_to_gus
from tests.console.test_drafts import end_call
from tests.console.visitor import Visitor

FREE_AT_MS = NOW_MS + 60_000
READY = "Ready for the next call"
MORE = "1:30 min more"
OWES = "Save the outcome of your last call. Then you get the next one."


@pytest.fixture
def queue(gus: Visitor, api: Caller, database: Database) -> Any:  # noqa: ANN401, ARG001 - JSON
    """Return a queue from which Gus got a call that is over. He is in the time after it."""
    queue = api.create("queue", name="Sales", longer_wrap_up=90)
    api.create("tier", queue=queue["url"], agent="/rest-api/agent/1/")
    talk_to_gus(database, campaign(api, name="Departures"))
    store(database, update(Transfer).values(queue_id=queue["id"]))
    end_call(database)
    wrap_up(database)
    return queue


def wrap_up(database: Database, owed_id: int = 0) -> None:
    figures = AgentFigures(calls_answered=1, free_at_ms=FREE_AT_MS, outcome_call_id=owed_id)
    wraps_until_ms = NEVER_MS if owed_id else FREE_AT_MS
    document = msgspec.json.encode(figures).decode()
    store(database, update(Agent).values(status=2, is_talking=False, wraps_until_ms=wraps_until_ms, figures=document))


def standing(database: Database) -> tuple[int, int, int]:
    """Return when Gus is free, the call whose outcome he owes, and until when he wraps up."""
    row = database.read_now(lambda c: c.execute(select(Agent.figures, Agent.wraps_until_ms)).one())
    figures = msgspec.json.decode(row[0], type=AgentFigures)
    return figures.free_at_ms, figures.outcome_call_id, row[1]


@pytest.mark.usefixtures("queue")
def test_an_agent_is_ready_or_takes_more_time_once(gus: Visitor, database: Database) -> None:
    text = gus.text("desk/")
    assert (READY in text, MORE in text, OWES in text) == (True, True, False)
    for _ in range(2):
        assert gus.send("desk/longer/").status_code == 303
        text = gus.text("desk/")
        assert (READY in text, MORE in text) == (True, False)
        assert standing(database) == (FREE_AT_MS + 90_000, 0, FREE_AT_MS + 90_000)
    for _ in range(2):
        assert gus.send("desk/ready/").status_code == 303
        text = gus.text("desk/")
        assert ("You are ready for the next call." in text, READY in text, MORE in text) == (True, False, False)
        assert standing(database) == (NOW_MS, 0, NOW_MS)
    assert gus.send("desk/longer/").status_code == 303
    assert standing(database) == (NOW_MS, 0, NOW_MS)


@pytest.mark.usefixtures("queue")
def test_an_agent_who_owes_an_outcome_saves_it_first(gus: Visitor, api: Caller, database: Database) -> None:
    wrap_up(database, owed_id=7)
    text = gus.text("desk/")
    assert (READY in text, MORE in text, OWES in text) == (False, False, True)
    assert 'id="outcome-of-7"' in gus.page
    assert gus.send("desk/ready/").status_code == 303
    refused = api.request("POST", "agent/1/ready/", headers={"Accept": "application/problem+json"})
    assert (refused.status_code, refused.json()["code"]) == (409, "outcome_missing")
    assert standing(database) == (FREE_AT_MS, 7, NEVER_MS)
    gus.send("desk/disposition/", call="7", **{"disposition-7": "other"})
    assert standing(database) == (FREE_AT_MS, 0, FREE_AT_MS)
    text = gus.text("desk/")
    assert (READY in text, OWES in text) == (True, False)


@pytest.mark.usefixtures("queue")
def test_the_time_after_a_call_over_the_api(gus: Visitor, api: Caller, database: Database) -> None:
    assert gus.get("desk/")
    for order in ("longer-wrap-up", "longer-wrap-up", "ready", "ready"):
        answer = api.request("POST", f"agent/1/{order}/")
        assert (answer.status_code, answer.json()) == (200, {"agent_id": 1})
    assert standing(database) == (NOW_MS, 0, NOW_MS)
    refused = api.request("POST", "agent/1/longer-wrap-up/", headers={"Accept": "application/problem+json"})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_wrapping_up")
    assert api.request("POST", "agent/99/ready/").status_code == 404


def test_a_queue_says_what_follows_a_call(api: Caller, queue: Any) -> None:  # noqa: ANN401 - JSON
    assert (queue["outcome_required"], queue["longer_wrap_up"]) == (False, 90)
    api.change(queue["url"], outcome_required=True, longer_wrap_up=0)
    changed = api.get(queue["url"])
    assert (changed["outcome_required"], changed["longer_wrap_up"]) == (True, 0)


@pytest.mark.parametrize("how", ["changed", "deleted"])
def test_a_queue_that_requires_outcomes_no_more_sets_its_agents_free(
    gus: Visitor,
    api: Caller,
    database: Database,
    queue: Any,  # noqa: ANN401 - JSON
    how: str,
) -> None:
    api.change(queue["url"], outcome_required=True)
    wrap_up(database, owed_id=7)
    api.change(queue["url"], longer_wrap_up=30)
    assert (standing(database), OWES in gus.text("desk/")) == ((FREE_AT_MS, 7, NEVER_MS), True)
    if how == "changed":
        api.change(queue["url"], outcome_required=False)
    else:
        assert api.request("DELETE", queue["url"]).status_code == 204
    assert standing(database) == (FREE_AT_MS, 0, FREE_AT_MS)
    text = gus.text("desk/")
    assert (READY in text, OWES in text) == (True, False)


def test_another_queue_of_the_call_may_still_require_its_outcome(api: Caller, database: Database, queue: Any) -> None:  # noqa: ANN401 - JSON
    api.change(queue["url"], outcome_required=True)
    other = api.create("queue", name="Other", outcome_required=True)
    wrap_up(database, owed_id=7)
    api.change(other["url"], outcome_required=False)
    assert standing(database) == (FREE_AT_MS, 7, NEVER_MS)
