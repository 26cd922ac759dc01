"""Tests of the check of campaigns whose survey leads to agents: limits, pace, call-backs, and who is on duty."""

import pytest

from dialer.store.database.database import Database
from dialer.store.tables import Agent, Campaign
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Json
from tests.api.routes.test_campaign_check import Bench


@pytest.fixture
def bench(estate: Estate, database: Database) -> Bench:
    return Bench(estate, database)


def test_a_limit_on_abandoned_calls_above_the_legal_one_is_named_with_the_rule(bench: Bench) -> None:
    def told() -> list[tuple[str, str, str]]:
        findings = bench.check()["findings"]
        return [(one["level"], one["field"], one["message"]) for one in findings if one["code"] == "abandon_limit"]

    bench.alice.change(bench.url, abandon_rate_max=60)
    assert told() == [], "nobody is kept waiting by a survey without queues"
    bench.alice.change(bench.estate.section["url"], type=6, script="", queue=bench.estate.queue["url"])
    start = "abandon_rate_max is 60 %, so the campaign may abandon more calls than the law allows."
    us = "The United States allow 3 % of the calls that people answer, in 30 days (16 CFR 310.4)."
    uk = "In the United Kingdom, any abandoned call can be misuse; Ofcom used to allow 3 % in 24 hours."
    assert told() == [("warning", "abandon_rate_max", f"{start} {us} Set it to 3 or less.")]
    bench.alice.create("contact", contact="+442079460000", phonebook=bench.estate.phonebook["url"])
    assert told() == [("warning", "abandon_rate_max", f"{start} {us} {uk} Set it to 3 or less.")]
    bench.alice.change(bench.url, abandon_rate_max=3)
    assert told() == []


def test_a_fixed_pace_before_agents_is_named_because_callees_would_find_none_free(bench: Bench) -> None:
    def told() -> list[tuple[str, str, str]]:
        findings = bench.check(forecast="false")["findings"]
        return [(one["level"], one["field"], one["message"]) for one in findings if one["code"] == "fixed_pace"]

    assert told() == [], "nobody is kept waiting by a survey without queues"
    bench.alice.change(bench.estate.section["url"], type=6, script="", queue=bench.estate.queue["url"])
    message = (
        "Calls are placed at a fixed pace (frequency), whether an agent is free or not. People who answer while no"
        " agent is free are abandoned calls. Set dial_method to dial ahead of free agents, or only for free ones."
    )
    assert told() == [("warning", "dial_method", message)]
    for method in (2, 3, 4):
        bench.alice.change(bench.url, dial_method=method)
        assert told() == []


def test_a_short_campaign_with_agents_is_named_because_of_their_call_backs(bench: Bench) -> None:
    fields = {"type": 6, "script": "", "queue": bench.estate.queue["url"]}
    bench.alice.change(bench.estate.section["url"], **fields)
    found = [one for one in bench.check()["findings"] if one["code"] == "short_for_call_backs"]
    assert [(one["level"], one["field"]) for one in found] == [("warning", "expirationdate")]
    assert found[0]["message"].endswith("To keep it open when nobody is left to call, switch off end_when_done.")
    bench.alice.change(bench.url, end_when_done=False)
    found = [one for one in bench.check()["findings"] if one["code"] == "short_for_call_backs"]
    assert found[0]["message"].endswith("Set a later expirationdate.")
    bench.alice.change(bench.url, expirationdate="2026-11-25T00:00:00Z")
    assert "short_for_call_backs" not in [one["code"] for one in bench.check()["findings"]]


def test_a_campaign_that_does_not_say_what_it_is_for(bench: Bench) -> None:
    bench.alice.change(bench.url, purpose="")
    assert bench.codes() == [("warning", "no_purpose", "purpose")]
    assert bench.starts()


def on_duty(bench: Bench) -> list[tuple[Json, str]]:
    """Return the sections with a queue whose agents are all off duty, and the messages."""
    found = bench.check(forecast="false")["findings"]
    assert {one["level"] for one in found if one["code"] == "nobody_on_duty"} <= {"warning"}
    return [(one["section"], one["message"]) for one in found if one["code"] == "nobody_on_duty"]


def test_a_queue_whose_agents_are_all_logged_out_or_on_a_break(bench: Bench) -> None:
    """One who logs in is enough. The campaign starts nevertheless, and one that starts later may have agents then."""
    section, queue = bench.estate.section["url"], bench.estate.queue
    bench.alice.change(section, type=6, queue=queue["url"])
    off_duty = f"No agent of queue {queue['id']} is on duty: all are logged out or on a break. "
    gives_up = f"{off_duty}Until one logs in, the queue gives up the calls that the section transfers to it."
    nobody = f"{off_duty}Nobody is dialled until one logs in."
    for status, expected in ((1, gives_up), (4, gives_up), (2, ""), (3, ""), (1, gives_up)):
        bench.row(Agent, bench.estate.agent["id"], status=status)
        assert on_duty(bench) == ([(section, expected)] if expected else [])
    for method in (2, 3, 4):
        bench.alice.change(bench.url, dial_method=method)
        assert on_duty(bench) == [(section, nobody)]
    bench.row(Campaign, bench.estate.campaign["id"], startingdate=NOW_MS + 1)
    assert on_duty(bench) == []
    bench.row(Campaign, bench.estate.campaign["id"], startingdate=NOW_MS)
    assert bench.starts()


def test_another_queue_with_an_agent_on_duty_lets_the_campaign_dial(bench: Bench) -> None:
    """A queue without any agent has a warning of its own."""
    section, queue, owner = bench.estate.section["url"], bench.estate.queue, bench.alice
    owner.change(section, type=6, queue=queue["url"])
    owner.change(bench.url, dial_method=2)
    bench.row(Agent, bench.estate.agent["id"], status=1)
    other, idle = (owner.create("queue", name=name)["url"] for name in ("Service", "Support"))
    survey = bench.estate.survey["url"]
    for line in (other, idle):
        owner.create("section-template", survey=survey, type=6, question="More", script="One moment", queue=line)
    agent = owner.create("agent", name="Bea", status=1)["url"]
    owner.create("tier", queue=other, agent=agent)
    assert [message.rpartition(". ")[2] for _, message in on_duty(bench)] == [
        "Nobody is dialled until one logs in."
    ] * 2
    owner.change(agent, status=2)
    (alone,) = on_duty(bench)
    assert (alone[0], "the queue gives up the calls" in alone[1]) == (section, True)
