"""Tests of `waits_for` and `waits_until`. It is a Wednesday, 11:06:40 in UTC and 06:06:40 in Washington."""

from typing import Any, Final

import pytest
from sqlalchemy import Connection, event, select, true

from dialer.app.campaigns.why_waiting import view_waiting
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import AgentStatus, CallRequestStatus, SectionType, TransferStatus
from dialer.store.database.database import Database
from dialer.store.queries.why_waiting import circumstances_of
from dialer.store.tables import (
    SMS,
    VOICE,
    Agent,
    CallRequest,
    Campaign,
    Gateway,
    Queue,
    Row,
    SealedSurvey,
    Subscriber,
    Transfer,
    User,
)
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS, Caller, Json

HOUR_MS: Final = 3_600_000
TURN: Final = ("turn", None)
CALLING: Final = int(CallRequestStatus.CALLING)


class Desk:
    """A campaign of one's own that has been started, and ways to change its rows behind everybody's back."""

    def __init__(self, estate: Estate, database: Database) -> None:
        self.estate, self.database = estate, database
        self.campaign_id: int = estate.campaign["id"]
        self.subscriber_id: int = estate.subscriber["id"]
        self.change(User, estate.user_id, balance=100_000, call_rate=2_000)
        self.campaign(status=1, startingdate=NOW_MS - HOUR_MS, expirationdate=NOW_MS + 240 * HOUR_MS)

    def change(self, model: type[Row], row_id: int, **columns: Json) -> None:
        table = model.__table__
        medium = columns.get("medium", VOICE)
        is_it = (table.c.id == row_id, true() if model is not Gateway else table.c.medium == medium)
        statement = table.update().where(*is_it).values(**columns)
        self.database.write_now(lambda connection: connection.execute(statement))

    def campaign(self, **columns: Json) -> None:
        self.change(Campaign, self.campaign_id, **columns)

    def waits(self) -> tuple[str, str | None]:
        """As the record says it, as the list does, and as the page of the campaign does unless it says nothing."""
        record = self.estate.owner.get(self.estate.subscriber["url"])
        listed = self.estate.owner.get("subscriber-list/", campaign_id=self.campaign_id)
        shown = [(one["waits_for"], one["waits_until"]) for one in listed if one["id"] == self.subscriber_id]
        assert shown == [(record["waits_for"], record["waits_until"])]
        assert self.on_page() in ([shown[0][0]], [])
        return shown[0]

    def on_page(self) -> list[str]:
        """Return why the people wait whose turn comes first, as the page of the campaign shows it."""
        query = select(Campaign.__table__).where(Campaign.id == self.campaign_id)

        def read(connection: Connection) -> list[str]:
            row = connection.execute(query).mappings().one()
            return [
                one.wait.reason for one in view_waiting(connection, dict(row), NOW_MS, "UTC", CallingHours()).people
            ]

        return self.database.read_now(read)


@pytest.fixture
def desk(estate: Estate, database: Database) -> Desk:
    return Desk(estate, database)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"status": 0}, ("not_started", None)),
        ({"status": 2, "status_reason": "user"}, ("paused", None)),
        ({"status": 2, "status_reason": "no_credit"}, ("no_credit", None)),
        ({"status": 4, "status_reason": "expired"}, ("expired", None)),
        ({"status": 3, "status_reason": "user"}, ("over", None)),
        ({"startingdate": NOW_MS + HOUR_MS}, ("starting", "2026-11-18T12:06:40Z")),
        ({"daily_start_time": "09:00:00"}, ("window", "2026-11-18T14:00:00Z")),
        ({"wednesday": False}, ("window", "2026-11-19T05:00:00Z")),
        ({"max_aleg": 2}, TURN),
    ],
)
def test_of_the_campaign(desk: Desk, columns: dict[str, Any], expected: tuple[str, str | None]) -> None:
    desk.campaign(**columns)
    assert desk.waits() == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"due_ms": NOW_MS}, TURN),
        ({"due_ms": NOW_MS + 1_000}, ("retry", "2026-11-18T11:06:41Z")),
        ({"zone": "?"}, ("tz_unknown", None)),
        ({"number": "+1911", "zone": "?"}, ("emergency", None)),
        ({"number": "+12025550111"}, ("dnc", None)),
        ({"status": 2}, ("", None)),
        ({"status": 5}, ("", None)),
        ({"status": 6}, ("", None)),
    ],
)
def test_of_the_subscriber(desk: Desk, columns: dict[str, Any], expected: tuple[str, str | None]) -> None:
    """The list of the estate has one number, and the campaign goes by it."""
    desk.campaign(dnc_id=desk.estate.dnc["id"])
    desk.change(Subscriber, desk.subscriber_id, **columns)
    assert desk.waits() == expected


@pytest.mark.parametrize(
    ("gateway", "expected"),
    [
        ({"rest_ms": 120_000, "rests_until_ms": NOW_MS + 90_000}, ("resting", "2026-11-18T11:08:10Z")),
        ({"rests_until_ms": NOW_MS + 90_000}, ("asked_to_rest", "2026-11-18T11:08:10Z")),
        ({"rests_until_ms": NOW_MS}, TURN),
        ({"max_channels": 1}, ("gateway_full", None)),
        ({"max_channels": 2}, TURN),
        ({"protocol": "trunk"}, ("window", "2026-11-18T13:00:00Z")),
    ],
)
def test_of_the_gateway(desk: Desk, gateway: dict[str, Any], expected: tuple[str, str | None]) -> None:
    """It carries one call just now. Of a notice to a person whom it calls just now, no law says when it may be next."""
    desk.campaign(purpose="information")
    desk.change(CallRequest, desk.estate.call_id, status=CALLING)
    desk.change(Gateway, desk.estate.gateway["id"], **gateway)
    assert desk.waits() == expected


def test_of_its_own_calls(desk: Desk) -> None:
    desk.campaign(max_aleg=1)
    assert desk.waits() == TURN
    desk.change(CallRequest, desk.estate.call_id, status=CALLING)
    assert desk.waits() == ("max_aleg", None)


def test_of_the_money(desk: Desk) -> None:
    """A minute costs 0.02; of 0.03, 0.02 are held for a call in progress."""
    desk.change(User, desk.estate.user_id, balance=3_000)
    assert desk.waits() == TURN
    desk.change(User, desk.estate.user_id, held=2_000)
    assert desk.waits() == ("credit_held", None)
    desk.change(User, desk.estate.user_id, balance=1_999, held=1)  # Nothing that is given back would pay for a call.
    assert desk.waits() == ("no_credit", None)


def test_of_the_agents(desk: Desk) -> None:
    """One agent: not logged in, idle, previewing somebody, in a call, done with it and busy with what it was about."""
    estate = desk.estate
    section = Section(1, SectionType.CALL_TRANSFER, "To the desk", Prompt(), queue_id=estate.queue["id"])
    stored(desk.database, SealedSurvey, id=desk.campaign_id, document=encode_survey(Survey((section,))))
    desk.campaign(dial_method=2)
    assert desk.waits() == ("no_agent", None)
    desk.change(Agent, estate.agent["id"], status=int(AgentStatus.AVAILABLE))
    assert desk.waits() == TURN
    desk.change(Agent, estate.agent["id"], preview='{"campaign_id":9,"subscriber_id":9,"from_ms":1,"until_ms":2}')
    assert desk.waits() == ("no_agent", None)
    desk.change(Agent, estate.agent["id"], preview="")
    desk.change(CallRequest, estate.call_id, status=CALLING)
    transfer_id = stored(
        desk.database,
        Transfer,
        callrequest_id=estate.call_id,
        place=2,
        section_id=1,
        agent_id=estate.agent["id"],
        status=int(TransferStatus.CONNECTED),
        joined_ms=NOW_MS,
    )
    assert desk.waits() == ("no_agent", None)
    desk.change(Transfer, transfer_id, status=int(TransferStatus.OVER))
    assert desk.waits() == TURN
    desk.change(Queue, estate.queue["id"], skill_field="language")
    desk.change(Subscriber, desk.subscriber_id, additional_vars='{"language": "Spanish"}')
    assert desk.waits() == ("no_skill", None)
    assert desk.on_page() == ["no_skill"]
    desk.change(Agent, estate.agent["id"], skills="spanish")
    assert desk.waits() == TURN
    desk.change(Agent, estate.agent["id"], figures=f'{{"free_at_ms":{NOW_MS + 1}}}')
    assert desk.waits() == ("no_agent", None)
    desk.change(Queue, estate.queue["id"], skills="Loans")
    assert desk.waits() == ("no_skill", None)
    desk.change(Subscriber, desk.subscriber_id, additional_vars="")
    assert desk.waits() == ("no_skill", None)


def test_of_a_campaign_of_text_messages(desk: Desk) -> None:
    """Its subscribers are listed nowhere, but explained."""
    estate, campaign_id = desk.estate, desk.estate.sms_campaign["id"]
    desk.change(Campaign, campaign_id, status=1, startingdate=NOW_MS, expirationdate=NOW_MS + HOUR_MS)

    def found() -> tuple[int, bool]:
        read = desk.database.read_now(lambda connection: circumstances_of(connection, [campaign_id], NOW_MS, "UTC"))
        place = read[campaign_id].place
        return place.rests_until_ms, place.lacks_credit

    assert found() == (0, False)
    desk.change(Gateway, estate.sms_gateway["id"], medium=SMS, rests_until_ms=NOW_MS + 1_000)
    desk.change(User, estate.user_id, sms_rate=100_001)
    assert found() == (NOW_MS + 1_000, True)


def test_a_campaign_that_nobody_understands_does_not_hide_its_subscribers(desk: Desk) -> None:
    desk.campaign(status=77)
    assert desk.waits() == ("", None)


def test_a_long_list_asks_as_many_questions_as_a_short_one(alice: Caller, desk: Desk) -> None:
    """Each look-up serves all subscribers of a page at once."""
    asked: list[str] = []

    def count(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    def questions() -> int:
        asked.clear()
        alice.get("subscriber-list/", campaign_id=desk.campaign_id)
        return len(asked)

    engine = desk.database._readers  # noqa: SLF001 - nothing else sees the statements
    event.listen(engine, "before_cursor_execute", count)
    try:
        before = questions()
        for number in range(200):
            phone = f"+1202556{number:04d}"
            values = {"campaign_id": desk.campaign_id, "duplicate_contact": phone, "number": phone}
            stored(desk.database, Subscriber, **values, zone="America/New_York")
        assert questions() == before
    finally:
        event.remove(engine, "before_cursor_execute", count)


def test_the_campaign_says_what_its_people_wait_for(desk: Desk) -> None:
    desk.campaign(daily_start_time="09:00:00", daily_stop_time="18:00:00")
    record = desk.estate.owner.get(desk.estate.campaign["url"])
    reason, until = desk.waits()
    assert record["activity"] == {"code": "waiting", "reason": reason, "until": until}
