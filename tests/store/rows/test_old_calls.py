"""Tests of the removal of old calls: all that belongs to them goes, and money, counters and people stay."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as extent
from hypothesis import strategies as st
from sqlalchemy import select

from dialer.app.accounts.payments import refund_call
from dialer.app.campaigns.delete import delete_campaign
from dialer.domain.rules.call_again import NotAgain
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.call_removal import REST, REST_MIN_S, CallRemoval, KeptDays
from dialer.store.database.database import StorageUnavailableError
from dialer.store.reconciliation.reconcile import audit
from dialer.store.rows.account_events import REMOVED_AT_ONCE, event_row, write_events
from dialer.store.rows.joining.call_again import judge_slice
from dialer.store.rows.old_calls import RemovalPlace, remove_old_calls
from dialer.store.tables import (
    SMS,
    AccountEvent,
    CallRecording,
    CallRequest,
    Campaign,
    CampaignHour,
    Cdr,
    Contact,
    ContactWait,
    Did,
    Gateway,
    LedgerEntry,
    Row,
    SmsMessage,
    SmsReceived,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
    UserHour,
    WaitingText,
)
from tests.databases import choice
from tests.runtime.house import ALL_ANSWER, CENTS, DAY_MS, MONDAY_NOON_MS, House

DAYS: Final = 30
NUMBERS: Final = tuple(f"+1202555018{place}" for place in range(6))
DID: Final = "+12025550100"
SECTIONS: Final[tuple[dict[str, Any], ...]] = (
    {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": "no", "completed": True},
    {"type": 5, "script": "say something"},
    {"type": 10, "script": "we send you a text", "sms_text": "Dear {full_name}, thank you"},
)
BRANCHES: Final[dict[int, dict[str, int | None]]] = {
    place: {"any": place + 1, "timeout": place + 1, "invalid": place + 1, "0": place + 1} for place in range(2)
}
CALL_ROWS: Final[tuple[type[Row], ...]] = (CallRequest, Cdr, SurveyResult, SmsMessage, Transfer)
KEPT: Final[tuple[type[Row], ...]] = (User, Campaign, Subscriber, Contact, CampaignHour, UserHour)
"""Tables that a removal leaves as they are."""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """Return a house after a campaign of calls and one of messages, with a refund, and calls of a deleted campaign."""
    one = House(tmp_path, seed=3)
    one.change(Gateway, one.gateway_id, parameters=ALL_ANSWER)
    one.change(User, one.user_id, sms_rate=5 * CENTS)
    texts_id = one.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    survey_id = one.survey(*SECTIONS, branches=BRANCHES)
    for numbers in (NUMBERS[:4], NUMBERS[4:]):
        last_id = await one.started(survey_id, one.phonebook(*numbers), sms_gateway_id=texts_id)
    messages = {"medium": SMS, "sms_gateway_id": texts_id, "aleg_gateway_id": None, "text_message": "hi"}
    await one.started(0, one.phonebook(*NUMBERS), **messages)
    await one.advance(600)
    one.perform(lambda unit: delete_campaign(unit, last_id))
    one.perform(lambda unit: refund_call(unit, one.rows(Cdr)[0]["id"]))
    yield one
    one.database.close()


class Rests:
    """A sleep that only writes down its lengths."""

    def __init__(self) -> None:
        self.lengths_s: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.lengths_s.append(seconds)


def removal(house: House, deleted: list[str] | None = None, **options: Any) -> CallRemoval:  # noqa: ANN401 - its senses
    names: list[str] = [] if deleted is None else deleted
    options = {"sleep": Rests(), **options}
    days = KeptDays(options.pop("days", DAYS), DAYS)
    return CallRemoval(house.database, house.worker.clock, days, names.append, **options)


def kept(house: House) -> list[Any]:
    return [[dict(row) for row in house.rows(model)] for model in KEPT]


def left(house: House) -> list[int]:
    return [len(house.rows(model)) for model in CALL_ROWS]


def remove_all(house: House, before_ms: int, most: int) -> int:
    """Remove all that began before a moment, in slices; return the number of slices."""
    place: RemovalPlace | None = RemovalPlace()
    slices = 0
    while place is not None:
        work = partial(remove_old_calls, before_ms=before_ms, place=place, delete_file=lambda _: None, most=most)
        place, slices = house.database.write_now(work).after, slices + 1
    return slices


def differences(house: House) -> list[str]:
    return [str(one) for one in house.database.read_now(audit).differences]


async def test_all_of_an_old_call_goes_and_money_counters_and_people_stay(house: House) -> None:
    recordings = [row["record_file"] for row in house.rows(SurveyResult) if row["record_file"]]
    sums = {kind: sum(e["amount"] for e in house.rows(LedgerEntry) if e["kind"] == kind) for kind in ("call", "sms")}
    before, deleted = kept(house), list[str]()
    assert min(left(house)[:4]) > 0
    assert len(recordings) > 0
    assert await removal(house).remove() == 0
    await house.advance((DAYS + 1) * 86_400)
    before = kept(house)
    assert await removal(house, deleted).remove() > 0
    assert left(house) == [0] * len(CALL_ROWS)
    assert sorted(deleted) == sorted(recordings)
    assert kept(house) == before
    assert differences(house) == []
    entries = [(entry["kind"], entry["reference"], entry["amount"]) for entry in house.rows(LedgerEntry)]
    assert sorted(reference for _, reference, _ in entries) == [
        "calls:2026-03",
        "payment:1",
        "refunds:2026-03",
        "texts:2026-03",
    ]
    assert {kind: amount for kind, _, amount in entries if kind in sums} == sums


async def test_recordings_of_old_calls_end_with_those_of_deleted_campaigns(house: House) -> None:
    values = {"user_id": house.user_id, "callid": "c", "seconds": 1, "state": "stored", "phone_number": NUMBERS[0]}
    call_id = house.rows(CallRequest)[0]["id"]
    for call, age_ms in ((None, 1), (None, -1), (call_id, 1)):
        house.add(CallRecording, callrequest_id=call, start_date=house.now_ms() - age_ms, **values)
    remove_all(house, house.now_ms(), 10)
    found = [(row["phone_number"], row["kept_until_ms"]) for row in house.rows(CallRecording)]
    assert found == [("", 0), (NUMBERS[0], None), ("", 0)]


async def test_a_recording_under_a_hold_becomes_due_once_and_goes_when_the_hold_ends(house: House) -> None:
    values = {"user_id": house.user_id, "callid": "c", "seconds": 1, "state": "stored", "phone_number": NUMBERS[0]}
    for until_ms in (None, house.now_ms() + 1):
        values |= {"legal_hold": True, "kept_until_ms": until_ms}
        house.add(CallRecording, callrequest_id=None, start_date=house.now_ms(), **values)
    await house.advance((DAYS + 1) * 86_400)
    assert await removal(house).remove() > 2
    assert await removal(house).remove() == 0
    ids = [row["id"] for row in house.rows(CallRecording)]
    assert [(row["phone_number"], row["kept_until_ms"]) for row in house.rows(CallRecording)] == [(NUMBERS[0], 0)] * 2
    house.change(CallRecording, ids[0], legal_hold=False)
    assert await removal(house).remove() == 1
    assert [row["phone_number"] for row in house.rows(CallRecording)] == ["", NUMBERS[0]]


async def test_dialling_goes_on_after_a_removal_with_new_names(house: House) -> None:
    """Ids and names of calls are never used again."""
    names = {row["callid"] for row in house.rows(Cdr)}
    last_id = max(row["id"] for row in house.rows(CallRequest))
    await house.advance((DAYS + 1) * 86_400)
    await removal(house).remove()
    house.restart()
    survey_id = house.survey({"type": 1, "script": "hello"})
    await house.started(survey_id, house.phonebook(*NUMBERS), campaign_code="later")
    await house.advance(600)
    calls = house.rows(Cdr)
    assert len(calls) == len(NUMBERS)
    assert names.isdisjoint(row["callid"] for row in calls)
    assert min(row["id"] for row in house.rows(CallRequest)) > last_id
    assert differences(house) == []


async def test_calls_of_callers_who_can_call_again_are_kept(tmp_path: Path) -> None:
    """A caller's next call is numbered after the last one, and has another name."""
    house = House(tmp_path, seed=3)
    parameters = '{"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "call_back": 1}'
    house.change(Gateway, house.gateway_id, parameters=parameters)
    book = house.phonebook(*NUMBERS)
    survey_id = house.survey({"type": 1, "script": "hello"})
    dates = {"expirationdate": house.now_ms() + 400 * DAY_MS, "end_when_done": False}
    campaign_id = await house.started(survey_id, book, callerid=DID, **dates)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=DID, campaign_id=campaign_id)
    await house.advance((DAYS + 5) * 86_400)
    came_in = [row["id"] for row in house.rows(CallRequest) if row["attempt"] < 0]
    assert len(came_in) > 0
    await removal(house).remove()
    assert [row["id"] for row in house.rows(CallRequest)] == came_in
    assert differences(house) == []
    await house.move(campaign_id, CampaignStatus.ABORT)
    await removal(house).remove()
    assert left(house) == [0] * len(CALL_ROWS)
    assert differences(house) == []
    house.database.close()


async def test_a_call_whose_message_waits_or_is_on_its_way_is_kept(house: House) -> None:
    await house.advance((DAYS + 1) * 86_400)
    (first, second, *_) = [row for row in house.rows(CallRequest) if row["campaign_id"] == 1]
    of_call = {name: first[name] for name in ("campaign_id", "subscriber_id", "user_id", "attempt", "callid")}
    more = {"gateway_id": 1, "callerid": "", "phone_number": NUMBERS[0], "text_message": "hi"}
    house.add(WaitingText, message_id=1 << 40, callrequest_id=first["id"], **of_call, **more)
    (message, *_) = [row for row in house.rows(SmsMessage) if row["callrequest_id"] == second["id"]]
    house.change(SmsMessage, message["id"], ended_ms=None)
    await removal(house).remove()
    assert [row["id"] for row in house.rows(CallRequest)] == [first["id"], second["id"]]
    assert message["id"] in [row["id"] for row in house.rows(SmsMessage)]


async def test_texts_that_need_a_person_are_kept(house: House) -> None:
    given = {"user_id": 1, "gateway_id": 1, "phone_number": NUMBERS[0], "number": NUMBERS[0], "understood": "perhaps"}
    waiting, _looked = (house.add(SmsReceived, said="Hm", needs_person=one, **given) for one in (True, False))
    await house.advance((DAYS + 1) * 86_400)
    await removal(house).remove()
    assert [row["id"] for row in house.rows(SmsReceived)] == [waiting]


async def test_waits_for_rules_go_with_the_calls_of_their_time(house: House) -> None:
    wait = {"user_id": 1, "campaign_id": 1, "subscriber_id": 1, "rule_id": 1, "row": ""}
    _old, new = (house.add(ContactWait, at_ms=at_ms, until_ms=None, **wait) for at_ms in (1, house.now_ms() + DAY_MS))
    await house.advance((DAYS + 1) * 86_400)
    await removal(house).remove()
    assert [row["id"] for row in house.rows(ContactWait)] == [new]


async def test_people_whose_calls_are_gone_are_not_called_again(house: House) -> None:
    """The note of an agent is gone, too: maybe that they declined."""
    await house.advance((DAYS + 1) * 86_400)
    await removal(house).remove()
    judged = house.database.read_now(lambda connection: judge_slice(connection, 1, "", now_ms=0))
    assert (judged.people, dict(judged.kept)) == ({}, {NotAgain.TOO_OLD: 4})


async def test_others_write_for_nine_tenths_of_the_time(house: House) -> None:
    await house.advance((DAYS + 1) * 86_400)
    rests, moments = Rests(), iter(range(1_000))
    await removal(house, sleep=rests, now_s=lambda: float(next(moments))).remove()
    assert len(rests.lengths_s) > 3
    assert set(rests.lengths_s) == {float(REST)}
    assert REST_MIN_S > 0


async def test_a_failure_ends_the_pass_and_the_next_one_continues(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.advance((DAYS + 1) * 86_400)

    async def refuse(_: object, *, is_long: bool) -> None:  # noqa: ARG001 - as `write`
        raise StorageUnavailableError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(house.database, "write", refuse)
        assert await removal(house).remove() == 0
    assert await removal(house).remove() > 0
    assert left(house) == [0] * len(CALL_ROWS)


async def test_passes_are_made_again_and_again(house: House) -> None:
    """The task ends with the context, also in the middle of a rest."""
    await house.advance((DAYS + 1) * 86_400)
    rested = anyio.Event()

    async def rest(_: float) -> None:
        if left(house) == [0] * len(CALL_ROWS):
            rested.set()
            await anyio.sleep_forever()

    async with removal(house, sleep=rest).removing():
        await rested.wait()


async def test_old_events_go_in_slices_without_requests_and_calls_may_stay(house: House) -> None:
    """Events of the days that are kept stay, and a service that keeps its calls for ever removes its old events."""
    old = [
        event_row(house.user_id, "call.ended", house.now_ms(), f"callrequest/{n}") for n in range(REMOVED_AT_ONCE + 1)
    ]
    house.database.write_now(lambda connection: write_events(connection, old))
    await house.advance((DAYS + 1) * 86_400)
    new = event_row(house.user_id, "call.ended", house.now_ms() - DAYS * DAY_MS, "callrequest/1")
    house.database.write_now(lambda connection: write_events(connection, [new]))
    rests, calls = Rests(), left(house)
    assert await removal(house, days=None, sleep=rests).remove() == REMOVED_AT_ONCE + 1
    assert [row["id"] for row in house.rows(AccountEvent)] == [REMOVED_AT_ONCE + 2]
    assert (len(rests.lengths_s), left(house)) == (2, calls)
    assert await removal(house, days=None, sleep=rests).remove() == 0
    assert len(rests.lengths_s) == 2


@extent(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(after_s=st.integers(0, 700), most=st.integers(1, 7))
async def test_any_cut_leaves_what_is_newer_and_a_clean_audit(
    house: House, tmp_path: Path, after_s: int, most: int
) -> None:
    """A cut at any moment, in slices of any size, removes the calls that began before it, and no others."""
    saved = choice.save(house.database, tmp_path / "saved.db")
    try:
        cut_ms = MONDAY_NOON_MS + after_s * 1_000
        newer = [row["id"] for row in house.rows(CallRequest) if row["started_ms"] >= cut_ms]
        before = kept(house)
        assert remove_all(house, cut_ms, most) >= 4
        assert [row["id"] for row in house.rows(CallRequest)] == newer
        of_calls = {row["callrequest_id"] for row in house.rows(Cdr)} - {None}
        assert of_calls <= set(newer)
        assert kept(house) == before
        assert differences(house) == []
        in_all = house.database.read_now(lambda c: sum(c.scalars(select(LedgerEntry.amount))))
        assert in_all == house.row(User, house.user_id)["balance"]
    finally:
        choice.restore(house.database, saved)
