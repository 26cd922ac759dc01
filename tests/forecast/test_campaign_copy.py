"""Tests of the part of a database that a forecast copies."""

import pytest
from sqlalchemy import Connection, select

from dialer.forecast.campaign_copy import copy_campaign, parts_of, people_of
from dialer.forecast.memory_database import MemoryDatabase
from dialer.store.tables import (
    SMS,
    AccountEvent,
    AgentHour,
    AgentPeriod,
    ApiKey,
    AuditLog,
    CallBack,
    CallDisposition,
    CallDraft,
    CallInProgress,
    CallRecording,
    CallRequest,
    Campaign,
    CampaignForecast,
    CampaignHour,
    Cdr,
    Consent,
    ConsoleSession,
    Contact,
    ContactWait,
    ContactWord,
    CpsReturned,
    DncContact,
    ExampleCampaign,
    FleetChange,
    FleetWorker,
    Gateway,
    GatewayCounter,
    GatewaySlice,
    IdempotentResponse,
    KeyCheck,
    LedgerEntry,
    LiveLeg,
    NumberNote,
    OwnTelephone,
    Payment,
    PeopleToCopy,
    Phonebook,
    Queue,
    QueueHour,
    RecoveryCode,
    ReportDelivery,
    ReportLink,
    ReportSchedule,
    RequestAllowance,
    Row,
    SecondFactor,
    SetAsideReport,
    Shard,
    SmsMessage,
    SmsReceived,
    Subscriber,
    SubscriberCount,
    SubscriberMove,
    SurveyChange,
    SurveyResult,
    TextNews,
    TextPart,
    Transfer,
    User,
    UserHour,
    Webhook,
    WebhookDelivery,
    WorkerPosition,
    WrongPassword,
)
from tests.runtime.house import MONDAY_NOON_MS, House

COUNTERS = (AgentHour, CallInProgress, CampaignHour, QueueHour, SubscriberCount, SubscriberMove, UserHour)
SHARING = (CpsReturned, FleetChange, FleetWorker, GatewaySlice, WorkerPosition, Shard)
PAST = (
    *(ReportDelivery, ReportLink, ReportSchedule),
    *(AccountEvent, GatewayCounter, CallDisposition, CampaignForecast, Payment, LedgerEntry, Cdr, SurveyResult),
    *(AgentPeriod, CallDraft, CallRecording, IdempotentResponse),
)
LIMITS = (RequestAllowance, WrongPassword)
LINES = (LiveLeg, SetAsideReport, TextNews, TextPart)
CREDENTIALS = (ApiKey, ConsoleSession, KeyCheck, OwnTelephone, RecoveryCode, SecondFactor, Webhook, WebhookDelivery)
CONSOLE = (ContactWord, ExampleCampaign, NumberNote, SurveyChange)
LEFT_OUT = (
    *(AuditLog, Consent, ContactWait, PeopleToCopy, SmsReceived),
    *CONSOLE,
    *CREDENTIALS,
    *LIMITS,
    *LINES,
    *PAST,
    *COUNTERS,
    *SHARING,
)
"""Tables of searches and of undoing, of credentials, of past events, of processes and of real lines, and of work in
progress, which a forecast never reads. Consents are left aside, as a forecast says."""


def test_every_table_is_copied_or_known_to_be_of_no_use() -> None:
    copied = [table.name for table, _ in parts_of(1, 0)]
    assert len(copied) == len(set(copied))
    assert {*copied, *(model.__table__.name for model in LEFT_OUT)} == set(Row.metadata.tables)


def ids(connection: Connection, model: type[Row]) -> list[int]:
    return list(connection.scalars(select(model.__table__.c.id).order_by(model.__table__.c.id)))


async def test_rows_of_another_campaign_are_left_out(house: House) -> None:
    """Its subscribers, their entries on a shared do-not-call list, and contacts that are subscribers already."""
    survey_id = house.survey({"type": 1, "script": "hello"})
    first, other = house.phonebook("+12025550101", "+12025550102"), house.phonebook("+12025550103")
    dnc_id = house.dnc_list("+12025550102", "+12025550103", "+12025550104")
    await house.started(survey_id, other, dnc_id=dnc_id)
    campaign_id = await house.started(survey_id, first, dnc_id=dnc_id, expirationdate=MONDAY_NOON_MS + 1)
    house.add(Contact, phonebook_id=first, contact="+12025550104", number="+12025550104", zone="")
    memory = MemoryDatabase()
    house.database.read_now(lambda s: memory.write_now(lambda t: copy_campaign(s, t, campaign_id, MONDAY_NOON_MS)))
    found = memory.read_now(lambda c: {model: ids(c, model) for model in (Campaign, Subscriber, Contact, DncContact)})
    assert found == {Campaign: [campaign_id], Subscriber: [2, 3], Contact: [4], DncContact: [1, 3]}
    assert memory.read_now(lambda c: (ids(c, Phonebook), people_of(c, campaign_id))) == ([first], 3)
    assert memory.read_now(lambda c: c.scalar(select(User.password_hash))) == ""
    memory.close()


def call(house: House, campaign_id: int, subscriber_id: int, **values: object) -> int:
    """Add a call over the gateway, which ended long ago unless the values say otherwise."""
    long_ago = MONDAY_NOON_MS - 3_600_000
    attempt = len(house.rows(CallRequest)) + 1
    whose = {"campaign_id": campaign_id, "subscriber_id": subscriber_id, "user_id": house.user_id, "attempt": attempt}
    numbers = {"callid": f"call {attempt}", "phone_number": "+12025550101", "dialled_number": "", "callerid": ""}
    limits = {"ring_limit_ms": 45_000, "talk_limit_ms": 60_000, "hold": 0, "call_rate": 0}
    row = {"gateway_id": house.gateway_id, "status": 4, "started_ms": long_ago, "ended_ms": long_ago + 9, **values}
    return house.add(CallRequest, **whose, **numbers, **limits, **row)


def transfer(house: House, callrequest_id: int, **values: object) -> None:
    row = {"place": 1, "section_id": 1, "status": 3, "joined_ms": MONDAY_NOON_MS - 60_000, "started_ms": None, **values}
    house.add(Transfer, callrequest_id=callrequest_id, **row)


def attempts(house: House, campaign_id: int) -> dict[type[Row], list[int]]:
    """Return the ids of the copied attempts and of their subscribers."""
    memory = MemoryDatabase()
    house.database.read_now(lambda s: memory.write_now(lambda t: copy_campaign(s, t, campaign_id, MONDAY_NOON_MS)))
    models: tuple[type[Row], ...] = (CallRequest, Transfer, CallBack, SmsMessage, Subscriber)
    found = memory.read_now(lambda c: {model: ids(c, model) for model in models})
    memory.close()
    return found


@pytest.fixture
def two(house: House) -> tuple[int, int]:
    """Add two campaigns of one subscriber each, over a gateway that limits calls a second."""
    house.change(Gateway, house.gateway_id, max_cps=1)
    first, other = (house.campaign(1) for _ in range(2))
    for campaign_id in (first, other):
        house.add(Subscriber, campaign_id=campaign_id, duplicate_contact="", number="+12025550101", zone="")
    return first, other


def test_irrelevant_calls_are_left_out(house: House, two: tuple[int, int]) -> None:
    """An old call, a call of the last second over a gateway without a limit, and a call of another campaign."""
    first, other = two
    call(house, first, 1)
    call(house, first, 1, gateway_id=house.add(Gateway, name="no limit"), started_ms=MONDAY_NOON_MS - 1)
    for values in ({"status": 7}, {"started_ms": MONDAY_NOON_MS - 1}):
        transfer(house, call(house, other, 2, **values), gateway_id=house.gateway_id, started_ms=MONDAY_NOON_MS - 1)
    found = attempts(house, first)
    assert found == {CallRequest: [], Transfer: [], CallBack: [], SmsMessage: [], Subscriber: [1]}


def test_a_call_in_progress_is_copied_with_its_transfers_and_its_caller(house: House, two: tuple[int, int]) -> None:
    """The caller may be another campaign's subscriber."""
    first, _ = two
    call_id = call(house, first, 2, status=7, ended_ms=None)
    transfer(house, call_id)
    transfer(house, call_id, place=2, status=1)
    found = attempts(house, first)
    assert (found[CallRequest], found[Transfer], found[Subscriber]) == ([1], [1, 2], [1, 2])


@pytest.mark.parametrize(("ago_ms", "copied"), [(999, True), (1_000, False)])
def test_attempts_that_a_gateway_counts_are_copied(
    house: House, two: tuple[int, int], ago_ms: int, *, copied: bool
) -> None:
    """Calls, B-legs and messages of the last second."""
    first, _ = two
    started_ms = MONDAY_NOON_MS - ago_ms
    call(house, first, 1, started_ms=started_ms)
    transfer(house, call(house, first, 1), gateway_id=house.gateway_id, started_ms=started_ms)
    gateway_id = house.add(Gateway, medium=SMS, name="texts", max_cps=1)
    texts = {"campaign_id": first, "subscriber_id": 1, "user_id": house.user_id, "gateway_id": gateway_id, "attempt": 1}
    message = {"message_id": "m", "callerid": "", "phone_number": "+1", "dialled_number": "", "text_message": ""}
    standing = {"parts": 1, "status": "Delivered", "hold": 0, "ended_ms": 1, "send_date": started_ms}
    house.add(SmsMessage, **texts, **message, **standing)
    found = attempts(house, first)
    expected = ([1, 2], [1], [1]) if copied else ([], [], [])
    assert (found[CallRequest], found[Transfer], found[SmsMessage]) == expected


def test_a_message_on_its_way_is_copied(house: House, two: tuple[int, int]) -> None:
    first, _ = two
    texts = {"campaign_id": first, "subscriber_id": 1, "user_id": house.user_id, "gateway_id": 1, "attempt": 1}
    message = {"message_id": "m", "callerid": "", "phone_number": "+1", "dialled_number": "", "text_message": ""}
    house.add(SmsMessage, **texts, **message, parts=1, status="Sent", hold=0, ended_ms=None, send_date=1)
    assert attempts(house, first)[SmsMessage] == [1]


@pytest.mark.parametrize(("score_from_ms", "ago_ms", "copied"), [(1, 5_000, True), (1, 5_001, False), (0, 1, False)])
def test_a_kept_place_in_a_queue_is_copied(
    house: House, two: tuple[int, int], score_from_ms: int, ago_ms: int, *, copied: bool
) -> None:
    """Here a place is kept for five seconds. A callee who never waited has no place."""
    first, _ = two
    queue_id = house.add(Queue, user_id=house.user_id, name="desk", discard_abandoned_after=5)
    ended_ms = MONDAY_NOON_MS - ago_ms
    transfer(house, call(house, first, 1), queue_id=queue_id, score_from_ms=score_from_ms, ended_ms=ended_ms)
    assert attempts(house, first)[Transfer] == [1] * copied


def test_a_missed_call_that_will_be_answered_by_another_is_copied(house: House, two: tuple[int, int]) -> None:
    first, other = two
    for campaign_id, subscriber_id in ((first, 1), (other, 2)):
        house.add(CallBack, id=call(house, campaign_id, subscriber_id), due_ms=MONDAY_NOON_MS + 1)
    found = attempts(house, first)
    assert (found[CallRequest], found[CallBack]) == ([1], [1])
