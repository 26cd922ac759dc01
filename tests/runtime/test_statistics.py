"""Tests that statistics equal a recount of the rows, whatever happens to campaigns."""

import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.campaigns.statistics import RowsAsked, StatisticsRow, read_statistics
from dialer.app.campaigns.subscribers import delete_subscriber
from dialer.app.contacts.contacts import delete_contact
from dialer.app.overview.live_overview import read_live_overview
from dialer.domain.calls.outcomes import outcome_text, read_outcomes
from dialer.domain.figures.statistics import GROUPS, OF_AGENTS, Figures, Interval, add_figures, agent_member
from dialer.domain.words.enums import AgentDisposition, AgentStatus, CampaignStatus, SubscriberStatus
from dialer.store.queries.campaign_figures import CallsNow
from dialer.store.queries.statistics import WhoseCalls
from dialer.store.reconciliation.statistics import audit_statistics
from dialer.store.rows.subscriber_counts import subscribers_of_campaigns
from dialer.store.tables import (
    Agent,
    AgentHour,
    CallDisposition,
    CallRequest,
    Campaign,
    CampaignPhonebook,
    Cdr,
    Subscriber,
)
from tests.runtime.centre import centre
from tests.runtime.house import House
from tests.runtime.test_agent_days import check_days
from tests.sizes import examples

ACTIONS: Final = ("wait", "restart", "abort", "delete", "forget", "break", "dispose")


WORDS: Final = "Sold = success, Renewed = success, success, not_interested, other"


def dispose(house: House, call_id: int, said: AgentDisposition, word: str = "") -> None:
    """Let an agent say what came of a call."""
    house.perform(lambda unit: dispose_of_call(unit, call_id, Disposed(said, word=word)))


def said_in(house: House) -> dict[int, tuple[str, str]]:
    """Return the disposition of each call, and its outcome as text."""
    return {
        row["callrequest_id"]: (row["disposition"], outcome_text(row["disposition"], row["word"]))
        for row in house.rows(CallDisposition)
    }


async def act(house: House, action: str, which: int) -> None:
    """Let something happen to the service or to one of its campaigns."""
    campaign_id = 1 + which % 3
    if action == "wait":
        await house.advance(5 + 40 * which)
    elif action == "restart":
        house.restart()
    elif action == "abort":
        await house.move(campaign_id, CampaignStatus.ABORT)
    elif action == "delete":
        await house.move(campaign_id, CampaignStatus.ABORT)
        await house.advance(60)
        house.perform(lambda unit: delete_campaign(unit, campaign_id))
        await house.worker.settle()
    elif action == "forget":
        people = [row["id"] for row in house.rows(Subscriber) if row["status"] in {1, 4, 8}]
        if people:
            house.perform(lambda unit: delete_subscriber(unit, people[which % len(people)]))
    elif action == "dispose":
        calls = house.rows(CallRequest)[-12 * (which + 1) :: 1 + which]
        for one in house.rows(Campaign):
            house.change(Campaign, one["id"], dispositions=WORDS)
        outcomes = read_outcomes(WORDS)
        for place, call in enumerate(calls):
            dispose(house, call["id"], *outcomes[(place + which) % len(outcomes)])
        await house.worker.settle()
    else:
        status = AgentStatus.ON_BREAK if which % 2 else AgentStatus.AVAILABLE
        house.perform(lambda unit: change_agent(unit, 1 + which % 4, {"status": status, "break_reason": "tea"}))
        await house.worker.settle()


def check(house: House) -> None:
    """Compare statistics with the CDRs, and let the audit count all counters again."""
    cdrs = [row for row in house.rows(Cdr) if row["leg_type"] == 1 and row["attempt"] > 0]
    answered = [row for row in cdrs if row["billsec"] > 0]
    now_ms = house.now_ms()
    found = house.database.read_now(lambda c: read_statistics(c, WhoseCalls(), RowsAsked(), now_ms))
    totals = found.totals
    assert (totals.calls, totals.answered) == (len(cdrs), len(answered))
    assert totals.talk_s == sum(row["billsec"] for row in answered)
    assert totals.live == sum(row["amd_status"] != 2 for row in answered)
    assert sum(one.figures.calls for one in found.outcomes) == len(cdrs)
    check_groups(house, totals, now_ms)
    people = house.rows(Subscriber)
    assert sum(one.subscribers for one in found.subscribers) == len(people)
    assert house.database.read_now(lambda c: list(audit_statistics(c))) == []
    house.database.read_now(lambda c: check_situation(c, now_ms))
    check_days(house, [row["id"] for row in house.rows(Agent)])


def check_groups(house: House, totals: Figures, now_ms: int) -> None:
    """Compare the groups of each grouping, and of each hour, with the totals and with the rows."""

    def rows(scope: WhoseCalls, **asked: Any) -> list[StatisticsRow]:  # noqa: ANN401 - fields of a question
        asked_rows = RowsAsked(**asked)
        return house.database.read_now(lambda c: read_statistics(c, scope, asked_rows, now_ms)).rows

    for group_by in GROUPS:
        for interval in (None, Interval.HOUR, Interval.DAY):
            found = add_figures(row.figures for row in rows(WhoseCalls(), interval=interval, group_by=group_by))
            is_of_agents = GROUPS[group_by] in OF_AGENTS
            assert found.legs <= totals.legs if is_of_agents else found == totals, (group_by, interval)
            if is_of_agents:
                assert found == add_figures(row.figures for row in rows(WhoseCalls(), group_by="agent"))
    said = {call_id: disposition for call_id, (disposition, _) in said_in(house).items()}
    texts = {call_id: text for call_id, (_, text) in said_in(house).items()}
    legs = [row for row in house.rows(Cdr) if row["campaign_id"] is not None]
    for campaign_id in {row["campaign_id"] for row in legs}:
        counted = {row.member: row.figures for row in rows(WhoseCalls(campaign_id=campaign_id), group_by="disposition")}
        of_campaign = [row for row in legs if row["campaign_id"] == campaign_id]
        for member in {said[row["callrequest_id"]] for row in of_campaign if row["callrequest_id"] in said}:
            mine = [row for row in of_campaign if said.get(row["callrequest_id"]) == member]
            a_legs = [row for row in mine if row["leg_type"] == 1 and row["attempt"] > 0]
            figures = counted[member]
            # Dispositions are deleted with their subscribers, and the counters stay.
            assert figures.calls >= len(a_legs)
            assert figures.legs >= sum(row["leg_type"] == 2 for row in mine)
            assert figures.cost >= sum(row["call_cost"] for row in mine)
        by_agent = rows(WhoseCalls(campaign_id=campaign_id), group_by="agent_disposition_word")
        of_agents = {row.member: row.figures for row in by_agent}
        expected = Counter(
            agent_member(row["agent_id"], texts[row["callrequest_id"]])
            for row in of_campaign
            if row["agent_id"] and row["callrequest_id"] in texts
        )
        assert {member: min(of_agents[member].legs, count) for member, count in expected.items()} == expected


def check_situation(connection: Connection, now_ms: int) -> None:
    """Compare the situation of all campaigns, which is read at once, with the statistics of each."""
    found = read_live_overview(connection, now_ms).campaigns
    states = subscribers_of_campaigns(connection, [one.campaign.id for one in found])
    for one in found:
        alone = read_statistics(connection, WhoseCalls(campaign_id=one.campaign.id), RowsAsked(), now_ms)
        now = alone.present
        assert one.present == CallsNow(now.calls, now.waiting, now.talking, now.calls_a_minute)
        assert one.totals == alone.totals
        assert states[one.campaign.id] == alone.subscribers


async def test_a_call_counts_with_the_outcome_that_its_agent_gives_before_or_after_its_end(tmp_path: Path) -> None:
    house = await centre(tmp_path)
    await house.advance(120)

    def outcomes() -> dict[str | None, tuple[int, int]]:
        asked = RowsAsked(group_by="disposition")
        found = house.database.read_now(lambda c: read_statistics(c, WhoseCalls(), asked, house.now_ms()))
        assert add_figures(row.figures for row in found.rows) == found.totals
        return {row.member: (row.figures.calls, row.figures.legs) for row in found.rows}

    legs = Counter(row["callrequest_id"] for row in house.rows(Cdr) if row["campaign_id"] is not None)
    over = next(call_id for call_id, count in legs.items() if count == 2)
    calling = next(row["id"] for row in house.rows(CallRequest) if row["status"] == 7 and row["attempt"] > 0)
    before = outcomes()
    assert set(before) == {""}
    dispose(house, over, AgentDisposition.SUCCESS)
    dispose(house, calling, AgentDisposition.OTHER)
    assert outcomes() == {"": (before[""][0] - 1, before[""][1] - 1), "success": (1, 1)}
    dispose(house, over, AgentDisposition.SUCCESS)
    dispose(house, over, AgentDisposition.NOT_INTERESTED)
    assert outcomes()["not_interested"] == (1, 1)
    await house.advance(600)
    assert outcomes()["other"][0] == 1
    assert house.database.read_now(lambda c: list(audit_statistics(c))) == []
    house.database.close()


async def test_a_call_counts_with_the_word_of_its_campaign_and_for_its_agent(tmp_path: Path) -> None:
    house = await centre(tmp_path)
    await house.advance(120)
    for one in house.rows(Campaign):
        house.change(Campaign, one["id"], dispositions=WORDS)

    def counted(group_by: str) -> dict[str | None, int]:
        asked = RowsAsked(group_by=group_by)
        found = house.database.read_now(lambda c: read_statistics(c, WhoseCalls(), asked, house.now_ms()))
        return {row.member: row.figures.legs_answered for row in found.rows if row.figures.legs_answered}

    taken = [row for row in house.rows(Cdr) if row["agent_id"] and row["billsec"] and row["campaign_id"] is not None]
    first, second, third = taken[:3]
    by_agent = Counter(str(row["agent_id"]) for row in taken)
    assert counted("agent") == by_agent
    dispose(house, first["callrequest_id"], AgentDisposition.SUCCESS, "Sold")
    dispose(house, second["callrequest_id"], AgentDisposition.SUCCESS, "Sold")
    dispose(house, third["callrequest_id"], AgentDisposition.SUCCESS)
    dispose(house, second["callrequest_id"], AgentDisposition.SUCCESS, "Renewed")
    found = counted("disposition_word")
    assert {word: found[word] for word in found if word} == {
        "Sold = success": 1,
        "Renewed = success": 1,
        "success": 1,
    }
    expected = Counter(agent_member(row["agent_id"], "") for row in taken[3:])
    said = ("Sold = success", "Renewed = success", "success")
    expected += Counter(agent_member(row["agent_id"], text) for row, text in zip(taken, said, strict=False))
    assert counted("agent_disposition_word") == expected
    assert house.database.read_now(lambda c: list(audit_statistics(c))) == []
    house.database.close()


@settings(max_examples=examples(8))
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 7)), max_size=6))
def test_statistics_equal_a_recount(actions: list[tuple[str, int]]) -> None:
    async def run(folder: Path) -> None:
        house = await centre(folder)
        await house.advance(120)
        deleted: set[int] = set()
        for action, which in actions:
            campaign_id = 1 + which % 3
            if action in {"abort", "delete"}:
                if campaign_id in deleted:
                    continue
                deleted.add(campaign_id)
            await act(house, action, which)
            check(house)
        house.database.close()

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(run, Path(folder))


async def test_the_time_of_an_agent_is_counted_by_activity(house: House) -> None:
    """Available for ten minutes, then on a break over the full hour, then logged out."""
    agent_id = house.agent()

    async def move(status: AgentStatus, minutes: int, reason: str = "") -> None:
        house.perform(lambda unit: change_agent(unit, agent_id, {"status": status, "break_reason": reason}))
        await house.advance(60 * minutes)

    await house.advance(600)
    await move(AgentStatus.ON_BREAK, 60, "lunch")
    await move(AgentStatus.LOGGED_OUT, 30)
    await move(AgentStatus.AVAILABLE, 5)
    await move(AgentStatus.LOGGED_OUT, 5)
    hour = house.rows(AgentHour)[0]["hour"]
    assert [
        (row["hour"] - hour, row["activity"], row["reason"], row["spent_ms"] // 60_000, row["begun"])
        for row in sorted(house.rows(AgentHour), key=lambda row: (row["hour"], row["activity"]))
    ] == [(0, 2, "", 10, 0), (0, 5, "lunch", 50, 1), (1, 2, "", 5, 1), (1, 5, "lunch", 10, 0)]


async def test_a_person_who_is_in_another_phonebook_now_counts_there(house: House) -> None:
    """One waits again, whose contact was deleted before its call. The other was called, and stays as it was."""
    waiting, called = "+12025550100", "+12025550101"
    first, second = house.phonebook(waiting, called), house.phonebook("+12025550102")
    later = house.now_ms() + 60_000
    campaign_id = await house.started(house.survey({"type": 1, "script": "word"}), first, startingdate=later)
    house.add(CampaignPhonebook, campaign_id=campaign_id, phonebook_id=second)
    house.change(Subscriber, 2, status=int(SubscriberStatus.SENT), count_attempt=1)
    for contact_id, number in ((1, waiting), (2, called)):
        house.perform(partial(delete_contact, contact_id=contact_id))
        house.contact(second, number)
    await house.advance(1)
    assert {row["phonebook_id"] for row in house.rows(Subscriber)} == {second}
    assert house.database.read_now(lambda connection: list(audit_statistics(connection))) == []
