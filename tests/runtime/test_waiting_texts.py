"""Tests of text messages of calls that wait for room on their gateway, across the ends of processes."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from dialer.app.campaigns.subscribers import delete_subscriber
from dialer.app.erasure.erasure import erase_number
from dialer.app.work.errors import RefusedError
from dialer.app.work.touched_records import users_of_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import SMS, Campaign, Cdr, DncList, Gateway, SmsMessage, User, WaitingText
from tests.runtime.house import ALL_ANSWER, CENTS
from tests.runtime.line_house import AFTERNOON_MS, LineHouse
from tests.sizes import examples
from tests.vopr.faults import Fault

pytestmark = pytest.mark.usefixtures("quiet")
PEOPLE: Final = tuple(f"+1202555{number:04d}" for number in range(1_000, 1_004))
TEXTS_A_CALL: Final = 3
STOPS: Final = (Fault.CRASH_BEFORE, Fault.LOST, Fault.LOCKED, "restart", "wait")


class TextHouse(LineHouse):
    """A service whose calls ask for more messages than their gateway can send at once. It texts people."""

    dnc_id: int
    dropped: Counter[str]
    """Messages that earlier processes have not sent, by reason."""

    def _open_worker(self, now_ms: int = AFTERNOON_MS) -> Worker:
        clock = VirtualClock(now_ms)
        return Worker(self.database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier, new_lines=None)

    def open(self) -> int:
        """Start a campaign whose calls ask for three messages each."""
        self.dropped = Counter()
        self.change(User, self.user_id, sms_rate=CENTS)
        self.change(Gateway, self.gateway_id, protocol="sim", parameters=ALL_ANSWER)
        self.dnc_id = self.dnc_list()
        texts = self.add(Gateway, medium=SMS, name="texts", protocol="trunk", parameters="{}", max_cps=1)
        sections = [{"type": 10, "sms_text": f"text {place}"} for place in range(TEXTS_A_CALL)]
        survey_id = self.survey(*sections, branches={place: {"0": place + 1} for place in range(TEXTS_A_CALL - 1)})
        book = self.phonebook(*PEOPLE)
        campaign_id = self.campaign(survey_id, book, sms_gateway_id=texts, dnc_id=self.dnc_id)
        self.start(campaign_id)
        return campaign_id

    def restart(self) -> None:
        self.dropped += self.worker.figures().texts_dropped
        super().restart()

    async def passes(self, seconds: float) -> None:
        """Let time pass. A process that ends is followed by another."""
        until_ms = self.now_ms() + round(seconds * 1_000)
        while self.now_ms() < until_ms or self.database.faults:
            try:
                await self.worker.advance(min(until_ms, self.now_ms() + 700))
            except StorageUnavailableError:
                self.restart()

    def asked(self) -> int:
        """Return how many messages the calls have asked for, if all calls are over."""
        return TEXTS_A_CALL * len([row for row in self.rows(Cdr) if row["billsec"] > 0])

    def reasons(self) -> Counter[str]:
        """Return how many messages were not sent, by reason."""
        return self.dropped + self.worker.figures().texts_dropped

    def sent(self) -> list[str]:
        """Return who was sent which message, in order."""
        rows = sorted(self.rows(SmsMessage), key=lambda row: (row["send_date"], row["id"]))
        return [f"{row['phone_number']} {row['text_message']}" for row in rows]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[TextHouse]:
    one = TextHouse(tmp_path)
    yield one
    one.database.close()


async def test_messages_that_wait_outlive_the_process_and_the_call(house: TextHouse) -> None:
    """They are sent one a second, in the order in which they were asked for, and paid for like all others."""
    house.open()
    await house.passes(10)
    waiting = [row["message_id"] for row in house.rows(WaitingText)]
    ids = [row["id"] for row in house.rows(SmsMessage)]
    assert len(waiting) + len(ids) == house.asked()
    assert len(waiting) > 3
    house.restart()
    await house.passes(20)
    rows = house.rows(SmsMessage)
    assert [row["id"] for row in rows] == ids + waiting
    send_dates = [row["send_date"] for row in rows]
    assert all(after - before >= 1_000 for before, after in pairwise(send_dates))
    assert Counter(house.sent()) == {f"{number} text {place}": 1 for number in PEOPLE for place in range(TEXTS_A_CALL)}
    assert (house.rows(WaitingText), house.findings()) == ([], [])


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_abort_drops_the_messages_that_wait(house: TextHouse, *, is_restarted: bool) -> None:
    campaign_id = house.open()
    await house.passes(5)
    house.move_now(campaign_id, CampaignStatus.PAUSE)  # Otherwise it would end before its messages are sent.
    await house.passes(5)
    sent, waiting = house.sent(), len(house.rows(WaitingText))
    house.move_now(campaign_id, CampaignStatus.ABORT)
    if is_restarted:
        house.restart()
    await house.passes(20)
    assert (house.sent(), house.reasons()) == (sent, {"aborted": waiting})
    assert house.rows(WaitingText) == []


async def test_a_deleted_subscriber_takes_the_messages_along(house: TextHouse) -> None:
    house.open()
    await house.passes(10)
    assert [row["subscriber_id"] for row in house.rows(WaitingText)][-3:] == [4, 4, 4]
    house.perform(lambda unit: delete_subscriber(unit, 4))
    await house.passes(20)
    assert house.rows(WaitingText) == []
    assert (house.reasons(), {row["subscriber_id"] for row in house.rows(SmsMessage)}) == ({"erased": 3}, {1, 2, 3})


async def test_an_abort_after_a_deletion_drops_the_others(house: TextHouse) -> None:
    """The messages of the deleted subscriber still wait in the engine, without a row."""
    campaign_id = house.open()
    await house.passes(5)
    house.move_now(campaign_id, CampaignStatus.PAUSE)
    await house.passes(5)
    sent, waiting = house.sent(), len(house.rows(WaitingText))
    house.perform(lambda unit: delete_subscriber(unit, 4))
    assert 0 < len(house.rows(WaitingText)) < waiting
    house.move_now(campaign_id, CampaignStatus.ABORT)
    await house.passes(20)
    assert (len(house.sent()), house.reasons()) == (len(sent), {"aborted": waiting})
    assert (house.rows(WaitingText), house.findings()) == ([], [])


async def test_a_list_that_becomes_global_holds_for_messages_of_a_campaign_that_is_over(house: TextHouse) -> None:
    """Nothing of the campaign is in progress by then."""
    campaign_id = house.open()
    await house.passes(10)
    house.change(Gateway, 1, medium=SMS, rest_ms=10_000, rests_until_ms=house.now_ms() + 10_000)
    house.restart()
    await house.passes(5)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END
    assert all(row["ended_ms"] for row in house.rows(SmsMessage))
    waiting = Counter(row["phone_number"] for row in house.rows(WaitingText))
    dnc_id = house.dnc_list(PEOPLE[-1])
    await house.passes(1)
    house.perform(lambda unit: make_global(unit, dnc_id))
    await house.passes(20)
    assert waiting[PEOPLE[-1]] > 0
    assert house.reasons() == {"dnc": waiting[PEOPLE[-1]]}


def make_global(unit: UnitOfWork, dnc_id: int) -> None:
    """Make a do-not-call list hold for all campaigns."""
    unit.connection.execute(update(DncList).where(DncList.id == dnc_id).values(is_global=True))
    unit.note(users_of_dnc(unit.connection, dnc_id))


class Deed(NamedTuple):
    """Something that happens, with what it needs, and the time that passes after it."""

    what: str
    write: int
    """Number of writes before the one that fails."""
    number: str
    rate: int
    then_s: float


def deeds(*kinds: str) -> st.SearchStrategy[list[Deed]]:
    """Draw what happens, and how much time passes after it."""
    numbers, rates = st.sampled_from(PEOPLE), st.sampled_from([CENTS, 1_000_000_000 * CENTS])
    drawn = st.builds(Deed, st.sampled_from(kinds), st.integers(0, 3), numbers, rates, st.sampled_from([0.1, 1, 4]))
    return st.lists(drawn, min_size=1, max_size=8)


# A process that ends after a commit cannot say what it has dropped, so these do not mix.
@given(deeds(*STOPS, Fault.CRASH_AFTER, Fault.UNSURE) | deeds(*STOPS, "call off", "erase", "dear"))
@settings(max_examples=examples(5))
async def test_each_message_is_sent_once_or_has_a_reason_not_to_be(happens: list[Deed]) -> None:
    """Whenever the process ends, and whatever its users do meanwhile. A message never overtakes another one."""
    with TemporaryDirectory() as folder:
        house = TextHouse(Path(folder))
        house.open()
        for deed in happens:
            perform(house, deed)
            await house.passes(deed.then_s)
        await house.passes(1)
        await house.advance(60)
        sent = house.sent()
        assert max(Counter(one for one in sent if one[0] == "+").values(), default=1) == 1
        assert len(sent) + house.reasons().total() == house.asked()
        assert house.reasons().keys() <= {"dnc", "erased", "no_credit"}
        assert (house.rows(WaitingText), house.findings()) == ([], [])
        order = [row["id"] for row in sorted(house.rows(SmsMessage), key=lambda row: row["send_date"])]
        assert order == sorted(order)
        house.database.close()


def perform(house: TextHouse, deed: Deed) -> None:
    """Let something happen."""
    match deed.what:
        case "restart":
            house.restart()
        case "call off":
            with contextlib.suppress(IntegrityError):
                house.call_off(house.dnc_id, deed.number)
        case "erase":
            with contextlib.suppress(RefusedError):
                erase_number(house.database, deed.number, lambda _: None, house.now_ms())
        case "dear":
            house.change(User, house.user_id, sms_rate=deed.rate)
        case fault if fault in set(Fault):
            house.database.faults = [*[None] * deed.write, Fault(fault)]
