"""Tests of the check of campaigns whose survey leads to agents: their limits, their pace, and their call-backs."""

import pytest

from dialer.store.database.database import Database
from tests.api.builders import Estate
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
