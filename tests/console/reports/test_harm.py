"""Tests of reports that meet a locked database, a disabled account, and somebody who would send mails to anybody."""

from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from sqlalchemy import select, update

from dialer.app.campaigns import report_schedules
from dialer.app.campaigns.report_schedules import (
    LEASE_MS,
    LOST,
    TOO_MANY,
    WAITS_MS,
    DeliveryOutcome,
    TakenDelivery,
)
from dialer.console.reports import letters, making
from dialer.console.reports import sender as module
from dialer.console.reports.kinds import NO_ADDRESS
from dialer.console.reports.letters import ReportBody, ReportHead
from dialer.console.reports.sender import ReportSender, Shared
from dialer.domain.words.enums import CampaignStatus
from dialer.mail.letter import Letter
from dialer.mail.server import MailOutcome
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables import CallInProgress, Campaign, ReportDelivery, ReportSchedule, User
from tests import loops
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.reports.test_sender import ADA, DAY_MS, EVE, Post, parts_of, scheduled
from tests.loops import ProcessEnd

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
    loops.run(database, run)
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
    [mail] = unknown.look(DAY_MS)
    assert "://" not in parts_of(mail)["text/plain"]
    api.change(made["url"], sent_as="link")
    known = Post(database)
    [mail] = known.look(3 * DAY_MS)
    assert "https://dialer.example.com/console/shared/" in parts_of(mail)["text/plain"]


def test_a_change_reaches_what_waits(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database, recipients=[ADA, EVE])
    post.answers = {ADA: MailOutcome("450 Busy"), EVE: MailOutcome("450 Busy")}
    post.look(TO_EIGHT_MS)
    api.change(made["url"], recipients=[EVE])
    post.answers = {}
    assert [mail["To"] for mail in post.look(WAITS_MS[0])] == [EVE]
    post.answers = {EVE: MailOutcome("450 Busy")}
    post.look(DAY_MS)
    api.change(made["url"], sent_as="csv")
    post.answers = {}
    assert post.look(WAITS_MS[0]) == []
    api.change(made["url"], sent_when="end")
    end_campaign(database)
    assert len(post.look(1_000)) == 1


def test_an_attempt_under_way_does_not_undo_a_change(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database)
    deliver = post.deliver

    async def fail_late(_: TakenDelivery, __: Shared) -> DeliveryOutcome:
        await anyio.to_thread.run_sync(lambda: api.change(made["url"], enabled=False))
        return DeliveryOutcome("450 Busy")

    post.deliver = fail_late
    post.look(TO_EIGHT_MS)
    post.deliver = deliver
    assert post.look(WAITS_MS[0]) == []
    assert [row[:2] for row in post.deliveries()] == [(ADA, "failed")]
    assert api.get(made["url"])["state"] == "off"


def test_a_delivery_whose_lease_is_over_is_left_to_its_next_holder(api: Caller, database: Database, post: Post) -> None:
    scheduled(api, database, recipients=[ADA, EVE])
    deliver = post.deliver
    made: list[str] = []

    async def be_slow(taken: TakenDelivery, _: Shared) -> DeliveryOutcome:
        made.append(taken.recipient)
        if len(made) == 1:
            post.machine_ms += LEASE_MS
            zone = ZoneInfo("UTC")
            await ReportSender(database, deliver, zone=zone, clock_ms=post.clock, machine_ms=post.machine).send_due()
        return DeliveryOutcome()

    post.deliver = be_slow
    assert [mail["To"] for mail in post.look(TO_EIGHT_MS)] == [ADA, EVE]
    assert made == [ADA]


def test_a_report_that_ends_its_process_is_given_up(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database)

    async def be_killed(_: TakenDelivery, __: Shared) -> DeliveryOutcome:
        raise ProcessEnd

    post.deliver = be_killed
    for later_ms in (TO_EIGHT_MS, *[LEASE_MS] * len(WAITS_MS)):
        with pytest.raises(BaseExceptionGroup):
            post.look(later_ms)
    assert post.look(LEASE_MS) == []
    assert post.deliveries() == [(ADA, "failed", len(WAITS_MS) + 1, str(LOST))]
    assert api.get(made["url"])["state"] == "not_sent"


def test_a_report_is_made_once_for_all_its_recipients(
    api: Caller, database: Database, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduled(api, database, recipients=[ADA, EVE], sent_as="xlsx")
    made: list[Letter] = []
    write = letters.write_letter

    def count(head: ReportHead, body: ReportBody) -> Letter:
        made.append(write(head, body))
        return made[-1]

    monkeypatch.setattr(making, "write_letter", count)
    assert len(post.look(TO_EIGHT_MS + 3_600_000)) == 2
    assert len(made) == 1
    assert "As of 19 Nov 2026, 09:00." in parts_of(post.mails[0])["text/plain"]


def _fields(made: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a further schedule like one that was made."""
    return {name: made[name] for name in ("name", "report", "campaign", "recipients", "time_zone")}
