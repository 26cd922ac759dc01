"""Tests of reports that meet a locked database, a disabled account, and somebody who would send mails to anybody."""

from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from sqlalchemy import select, update

from dialer.app.campaigns import report_schedules
from dialer.app.campaigns.report_schedules import LEASE_MS, TOO_MANY
from dialer.console.reports import sender as module
from dialer.console.reports.making import NO_ADDRESS
from dialer.console.reports.sender import ReportSender
from dialer.domain.words.enums import CampaignStatus
from dialer.mail.server import MailOutcome
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables import CallInProgress, Campaign, ReportDelivery, ReportSchedule, User
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.reports.test_sender import ADA, DAY_MS, EVE, Post, parts_of, scheduled

TO_EIGHT_MS = 71_600_000


@pytest.fixture
def post(database: Database) -> Post:
    return Post(database)


def raise_locked(*_: Any, **__: Any) -> None:  # noqa: ANN401 - of any use case
    """Be a database that is locked."""
    raise StorageUnavailableError("locked")


def end_campaign(database: Database) -> None:
    """End all campaigns and their calls."""
    store(database, update(Campaign).values(status=CampaignStatus.END))
    store(database, CallInProgress.__table__.delete())


@pytest.mark.parametrize("locked", ["keep_outcome", "put_due_reports", "take_deliveries", "has_due_reports"])
def test_nothing_of_the_sender_ends_the_service(
    api: Caller, database: Database, post: Post, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    scheduled(api, database)
    post.now_ms = post.machine_ms = post.now_ms + TO_EIGHT_MS
    rounds = 0

    async def turn(_: float) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 2:
            await anyio.sleep_forever()
        monkeypatch.undo()
        post.machine_ms += LEASE_MS

    async def run() -> None:
        zone = ZoneInfo("UTC")
        sender = ReportSender(
            database, post.deliver, zone=zone, clock_ms=post.clock, machine_ms=post.machine, sleep=turn
        )
        async with sender.running():
            with anyio.fail_after(20):
                while rounds < 2:
                    await anyio.lowlevel.checkpoint()

    monkeypatch.setattr(module, locked, raise_locked)
    anyio.run(run)
    assert [row[:2] for row in post.deliveries()] == [(ADA, "sent")]


def test_a_moment_that_comes_twice_is_sent_once(api: Caller, database: Database, post: Post) -> None:
    scheduled(api, database)
    assert len(post.look(TO_EIGHT_MS)) == 1
    due_ms = database.read_now(lambda connection: connection.scalar(select(ReportDelivery.due_ms)))
    store(database, update(ReportSchedule).values(next_due_ms=due_ms))
    assert post.look(1_000) == []
    assert [row[:3] for row in post.deliveries()] == [(ADA, "sent", 1)]


def test_a_disabled_account_sends_nothing(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database)
    api.create("report-schedule", **{**_fields(made), "sent_when": "end"})
    post.answers = {ADA: MailOutcome("450 Busy")}
    post.look(TO_EIGHT_MS)
    post.answers = {}
    store(database, update(User).where(User.username == "alice").values(enabled=False))
    end_campaign(database)
    assert post.look(3 * DAY_MS) == []
    assert [row[:2] for row in post.deliveries()] == [(ADA, "failed")]
    store(database, update(User).where(User.username == "alice").values(enabled=True))
    assert len(post.look(1_000)) == 2  # The last morning, and the end.


def test_an_account_sends_no_more_mails_a_day_than_it_may(
    api: Caller, database: Database, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_schedules, "MAILS_A_DAY_MAX", 4)
    first = scheduled(api, database, sent_when="end")
    end_campaign(database)
    sent = len(post.look(1_000))
    for name in ("b", "c", "d"):
        made = api.create(
            "report-schedule", **{**_fields(first), "sent_when": "end", "recipients": [f"{name}@x.y", EVE]}
        )
        sent += len(post.look(6_000))
        told = api.get(made["url"])
        assert told["problem"] == ("" if name == "b" else str(TOO_MANY))
        api.request("DELETE", made["url"])
    assert sent == 3
    api.create("report-schedule", **{**_fields(first), "sent_when": "end"})
    assert len(post.look(DAY_MS)) == 1


def test_a_link_never_begins_with_the_host_of_a_request(api: Caller, database: Database) -> None:
    made = scheduled(api, database, report="people", sent_as="link")
    unknown = Post(database, "")
    assert unknown.look(TO_EIGHT_MS) == []
    assert api.get(made["url"])["problem"] == NO_ADDRESS
    api.change(made["url"], sent_as="csv")
    [*_, mail] = unknown.look(DAY_MS)
    assert "://" not in parts_of(mail)["text/plain"]
    api.change(made["url"], sent_as="link")
    known = Post(database)
    [*_, mail] = known.look(3 * DAY_MS)
    assert "https://dialer.example.com/console/shared/" in parts_of(mail)["text/plain"]


def _fields(made: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a further schedule like one that was made."""
    return {name: made[name] for name in ("name", "report", "campaign", "recipients", "time_zone")}
