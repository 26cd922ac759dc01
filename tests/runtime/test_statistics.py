"""Tests that statistics equal a recount of the rows, whatever happens to campaigns."""

import tempfile
from pathlib import Path
from typing import Final

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.campaigns.statistics import RowsAsked, read_statistics
from dialer.app.campaigns.subscribers import delete_subscriber
from dialer.app.live_overview import read_live_overview
from dialer.domain.enums import AgentStatus, CampaignStatus
from dialer.store.queries.campaigns_now import CallsNow
from dialer.store.queries.statistics import WhoseCalls
from dialer.store.reconciliation.statistics import audit_statistics
from dialer.store.subscriber_counts import subscribers_of_campaigns
from dialer.store.tables import AgentHour, Cdr, Subscriber
from tests.runtime.centre import centre
from tests.runtime.house import House
from tests.sizes import examples

ACTIONS: Final = ("wait", "restart", "abort", "delete", "forget", "break")


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
    people = house.rows(Subscriber)
    assert sum(one.subscribers for one in found.subscribers) == len(people)
    assert house.database.read_now(lambda c: list(audit_statistics(c))) == []
    house.database.read_now(lambda c: check_situation(c, now_ms))


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
