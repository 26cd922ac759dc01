"""Queues, agents and tiers."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from dialer.domain.words.enums import CallRequestStatus, Consulted, TransferStatus
from dialer.domain.words.phrases import read_phrases
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Transfer
from tests.api.builders import Estate, stored
from tests.api.harness import BASE, NOW, NOW_MS, Caller, FakeWorker, Json

CALLING: Final = int(CallRequestStatus.CALLING)


def test_a_queue_is_made_with_a_name_alone(alice: Caller) -> None:
    assert alice.create("queue", name="desk") == {
        "manager": f"{BASE}/users/2/",
        "id": 1,
        "url": f"{BASE}/queue/1/",
        "name": "desk",
        "strategy": 5,
        "moh_sound": "",
        "record": "campaign",
        "record_template": "",
        "time_base_score": "queue",
        "tier_rules_apply": False,
        "tier_rule_wait_second": 300,
        "tier_rule_wait_multiply_level": True,
        "tier_rule_no_agent_no_wait": False,
        "discard_abandoned_after": 14400,
        "abandoned_resume_allowed": True,
        "max_wait_time": 0,
        "max_wait_time_with_no_agent": 120,
        "max_wait_time_with_no_agent_time_reached": 5,
        "skills": "",
        "skill_field": "",
        "break_reasons": "",
        "max_break_time": 0,
        "missed_calls_max": 3,
        "outcome_required": False,
        "longer_wrap_up": 60,
        "created_date": NOW,
        "updated_date": NOW,
    }


def test_an_agent_stands_in_a_queue_once(alice: Caller, estate: Estate) -> None:
    twice = {"queue": estate.queue["url"], "agent": estate.agent["url"], "level": 2}
    refusal = (400, {"agent": ["The agent is in the queue already. Change that tier instead."]})
    assert alice.refused("POST", "tier/", **twice) == refusal
    alice.change(estate.tier["url"], level="3", position=2)
    tier = alice.get(estate.tier["url"])
    assert (tier["level"], tier["position"]) == (3, 2)


def test_an_agent_has_a_state(alice: Caller, estate: Estate) -> None:
    alice.change(estate.agent["url"], status=2, wrap_up_time=10, parameters={"answer": 2})
    agent = alice.get(estate.agent["url"])
    assert (agent["status"], agent["wrap_up_time"], agent["parameters"]) == (2, 10, {"answer": 2})
    assert alice.refused("PATCH", estate.agent["url"], status=5)[1].keys() == {"status"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"talks": 2}, "talks: Unknown key."),
        ({"talk": -1}, "talk: Must be a number of seconds from 0 to 86400."),
        ({"answer": [5, 1]}, "answer: The minimum must not exceed the maximum."),
        ({"talk": {"median": 5}}, "talk.median: Unknown key."),
    ],
)
def test_how_an_agent_behaves_is_checked(alice: Caller, estate: Estate, parameters: Json, message: str) -> None:
    refusal = (400, {"parameters": [message]})
    assert alice.refused("POST", "agent/", name="Bea", parameters=parameters) == refusal
    assert alice.refused("PATCH", estate.agent["url"], parameters=parameters) == refusal


def test_an_agent_behaves_as_their_parameters_say(alice: Caller, estate: Estate) -> None:
    for parameters in ({"talk": [30, 60], "answer": 2.5}, {"talk": {"mean": 90}}, {}):
        alice.change(estate.agent["url"], parameters=parameters)
        assert alice.get(estate.agent["url"])["parameters"] == parameters


def transfer(database: Database, estate: Estate, call_status: int = CALLING, **values: Json) -> int:
    """Return a transfer of a call in progress."""
    calling = update(CallRequest).where(CallRequest.id == estate.call_id).values(status=call_status)
    database.write_now(lambda connection: connection.execute(calling))
    common = {"callrequest_id": estate.call_id, "place": 9, "section_id": 1, "parameters": "", "joined_ms": NOW_MS}
    return stored(database, Transfer, **common, score_from_ms=NOW_MS, **values)


def over(database: Database, transfer_id: int) -> None:
    """End the transfer."""
    ended = update(Transfer).where(Transfer.id == transfer_id).values(status=3, offers="{}")
    database.write_now(lambda connection: connection.execute(ended))


def test_a_queue_in_which_a_call_waits_stays(alice: Caller, estate: Estate, database: Database) -> None:
    other = alice.create("queue", name="other")
    waiting = transfer(database, estate, queue_id=estate.queue["id"], status=TransferStatus.WAITING)
    assert alice.refused("DELETE", estate.queue["url"]) == (
        409,
        {"detail": "Calls wait in the queue. Delete the queue when no call waits."},
    )
    assert alice.request("DELETE", other["url"]).status_code == 204
    over(database, waiting)
    assert alice.request("DELETE", estate.queue["url"]).status_code == 204


def test_a_queue_whose_caller_talks_already_can_go(alice: Caller, estate: Estate, database: Database) -> None:
    connected = {"queue_id": estate.queue["id"], "agent_id": estate.agent["id"], "status": TransferStatus.CONNECTED}
    transfer(database, estate, **connected)
    assert alice.request("DELETE", estate.queue["url"]).status_code == 204
    assert alice.refused("DELETE", estate.agent["url"]) == (
        409,
        {"detail": "The agent is in a call. Delete the agent when the call is over."},
    )


def test_an_agent_who_talks_stays(alice: Caller, estate: Estate, database: Database) -> None:
    talks = transfer(database, estate, agent_id=estate.agent["id"], status=TransferStatus.CONNECTED)
    assert alice.refused("DELETE", estate.agent["url"]) == (
        409,
        {"detail": "The agent is in a call. Delete the agent when the call is over."},
    )
    over(database, talks)
    assert alice.request("DELETE", estate.agent["url"]).status_code == 204


def test_an_agent_who_is_consulted_stays(alice: Caller, estate: Estate, database: Database) -> None:
    consulted = {"for_agent_id": estate.agent["id"], "consulted": Consulted.ASKED, "status": TransferStatus.WAITING}
    asked = transfer(database, estate, **consulted)
    assert alice.refused("DELETE", estate.agent["url"]) == (
        409,
        {"detail": "The agent is in a call. Delete the agent when the call is over."},
    )
    over(database, asked)
    assert alice.request("DELETE", estate.agent["url"]).status_code == 204


def test_an_agent_who_is_asked_stays(alice: Caller, estate: Estate, database: Database) -> None:
    other = alice.create("agent", name="Bea")
    offers = json.dumps({estate.agent["id"]: NOW_MS})
    asked = transfer(database, estate, offers=offers, queue_id=estate.queue["id"], status=TransferStatus.WAITING)
    refusal = (409, {"detail": "The agent is being offered a call. Delete the agent when the offer is over."})
    assert alice.refused("DELETE", estate.agent["url"]) == refusal
    assert alice.request("DELETE", other["url"]).status_code == 204
    over(database, asked)
    assert alice.request("DELETE", estate.agent["url"]).status_code == 204


def test_what_concerns_agents_is_acted_upon_at_once(alice: Caller, estate: Estate, worker: FakeWorker) -> None:
    """An agent who logs in may have callers waiting."""
    for record, change in ((estate.agent, {"status": 2}), (estate.queue, {"strategy": 1}), (estate.tier, {"level": 2})):
        before = worker.settled
        alice.change(record["url"], **change)
        assert worker.settled == before + 1


def test_agents_choose_among_the_reasons_of_their_queues(alice: Caller) -> None:
    queues = [alice.create("queue", name=name, break_reasons=reasons) for name, reasons in (("a", ""), ("b", ""))]
    agent = alice.create("agent", name="Zoe")
    for queue in queues:
        alice.create("tier", queue=queue["url"], agent=agent["url"])
    alice.change(agent["url"], status=4, break_reason="anything")
    alice.change(queues[0]["url"], break_reasons=" Lunch ,,\r\nTraining\nLunch ")
    alice.change(queues[1]["url"], break_reasons="Lunch, Doctor")
    assert alice.get(queues[0]["url"])["break_reasons"] == "Lunch, Training"
    alice.change(agent["url"], wrap_up_time=5)
    assert alice.get(agent["url"])["break_reason"] == "anything"
    status, errors = alice.refused("PATCH", agent["url"], break_reason="Nap")
    wrong = "'Nap' is no reason of the agent's queues. Give one of these: Lunch, Training, Doctor."
    assert (status, errors) == (400, {"break_reason": [wrong]})
    for reason in ("Doctor", ""):
        alice.change(agent["url"], break_reason=reason)
        assert alice.get(agent["url"])["break_reason"] == reason
    alice.change(agent["url"], status=2, break_reason="Nap")
    assert alice.get(agent["url"])["break_reason"] == ""


@pytest.mark.parametrize(
    ("reasons", "message"),
    [
        (",".join(map(str, range(21))), "There are 21, and at most 20 are allowed."),
        ("x" * 101, f"'{'x' * 40}' is longer than 100 characters."),
    ],
)
def test_too_many_or_too_long_reasons_are_refused(alice: Caller, reasons: str, message: str) -> None:
    assert alice.refused("POST", "queue/", name="a", break_reasons=reasons) == (400, {"break_reasons": [message]})


@given(st.text(alphabet="ab ,\n", max_size=30))
def test_a_list_of_phrases_that_was_read_is_always_read_the_same_again(text: str) -> None:
    phrases = read_phrases(text)
    assert read_phrases(", ".join(phrases)) == phrases
    assert all(phrase.strip() == phrase != "" for phrase in phrases)
