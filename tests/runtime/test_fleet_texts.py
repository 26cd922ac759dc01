"""Tests of what carriers tell of text messages, in a service whose messages belong to two workers."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Connection

from dialer.carriers.line_port import Alive, Exchange, Found, LiveLeg
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.fleet.shards import shard_of
from dialer.domain.sessions.leg_protocol import Accepted, Leg, Order, Receipt, Texting, TextReceived
from dialer.domain.words.enums import CampaignStatus, MessageStatus
from dialer.domain.words.roles import Role
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.fleet.fleet_member import FleetMember
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING, Touched, touch
from dialer.store.fleet.changes import announce
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.shards import owners
from dialer.store.reconciliation.reconcile import audit
from dialer.store.rows.texts import incoming_texts
from dialer.store.rows.texts.incoming_texts import add_news
from dialer.store.tables import SMS, DncContact, DncList, Gateway, SmsMessage, Subscriber, TextNews, User
from tests.runtime.house import House
from tests.runtime.line_house import AFTERNOON_MS
from tests.runtime.other_side import FAKE

pytestmark = pytest.mark.usefixtures("quiet")
GATEWAY_ID: Final = GatewayKey(SMS, 1)
TICK_MS: Final = LEASE_MS - 5_000
EARLY, LATE = "+12025551001", "+12025551002"
"""The first person whom a campaign writes to, and the one whom it writes to a minute later."""


class TextLine:
    """A line to a carrier that accepts each message under the name of its key, and says nothing more."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange: Final = exchange
        self.sent: Final[list[Texting]] = []
        exchange.is_up("")

    def dial(self, leg: Leg) -> None:
        assert isinstance(leg, Texting)
        self.sent.append(leg)
        self.exchange.heard(0, leg.key, Accepted((f"name of {leg.key}",)))

    def perform(self, key: str, order: Order) -> None:
        """Do nothing: a message gets no orders."""

    async def find(self, legs: Sequence[LiveLeg]) -> list[Found]:
        return [Alive(None) for _ in legs]

    def settled(self, number: int) -> None:
        """Do nothing: nothing is numbered."""

    async def close(self) -> None:
        """Do nothing."""


class TwoWorkers(House):
    """A service with two accounts, each of a worker of its own. Both workers have a line to the gateway."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.database.close()
        self.database = Database(self.url, announce=announce)
        self.time_ms = AFTERNOON_MS
        self.add(User, username="ben", password_hash="-")
        self.add(Gateway, medium=SMS, name="texts", protocol=FAKE)
        self.lines: dict[str, TextLine] = {}
        self.keepers = [self._keeper(name) for name in ("w1", "w2")]

    def _keeper(self, name: str) -> FleetMember:
        clock = RealClock(lambda: self.time_ms * NANOSECONDS, lambda: self.time_ms * NANOSECONDS)
        fleet = FleetCoordinator(name, clock, database_ms=lambda _: self.time_ms, steady_ms=lambda: self.time_ms)

        def new_line(_gateway_id: int, _parameters: str, exchange: Exchange) -> TextLine:
            self.lines[name] = TextLine(exchange)
            return self.lines[name]

        worker = Worker(
            self.database,
            clock,
            seed=1,
            service_zone="UTC",
            new_carrier=SimulatedCarrier,
            coordinator=fleet,
            new_lines={FAKE: new_line},
        )
        return FleetMember(self.database, worker, fleet)

    @property
    def workers(self) -> list[Worker]:
        return [member._worker for member in self.keepers]  # noqa: SLF001

    async def share(self) -> None:
        """Let the first account be the first worker's, and the second one the second's."""
        for _ in range(3):
            for member in self.keepers:
                await member.beat()
            await self.steps()
        owned = self.database.read_now(owners)
        assert [owned[shard_of(user_id)] for user_id in (1, 2)] == [one._fleet.worker_id for one in self.keepers]  # noqa: SLF001

    async def steps(self, *places: int) -> None:
        """Let the workers make steps, in this order; without places, until all have told what they heard."""
        for place in places or (0, 1) * 3:
            await self.workers[place].settle()

    async def pass_s(self, seconds: int) -> None:
        """Let time pass."""
        until_ms = self.time_ms + seconds * 1_000
        while self.time_ms < until_ms:
            self.time_ms = min(until_ms, self.time_ms + TICK_MS)
            for member in self.keepers:
                await member.beat()
            await self.steps(0, 1)

    def texting(self, user_id: int) -> int:
        """Start a campaign that writes to two people, a minute apart, and has a do-not-call list of its own."""
        self.user_id = user_id
        values = {"medium": SMS, "sms_gateway_id": 1, "aleg_gateway_id": None, "text_message": "hello", "frequency": 1}
        dates = {"startingdate": AFTERNOON_MS, "expirationdate": AFTERNOON_MS + 3_600_000}
        book = self.phonebook(EARLY, LATE)
        return self.campaign(0, book, dnc_id=self.dnc_list(), status=CampaignStatus.START, **values, **dates)

    def tell(self, key: str, heard: Receipt | TextReceived) -> None:
        """Store a callback, as the API does."""

        def work(connection: object) -> None:
            add_news(connection, GATEWAY_ID, key, heard, self.time_ms)  # type: ignore[arg-type] # a connection
            touch(connection, NOTHING)  # type: ignore[arg-type] # a connection

        self.database.write_now(work)


@asynccontextmanager
async def two_workers(folder: Path) -> AsyncIterator[TwoWorkers]:
    house = TwoWorkers(folder)
    with closing(house.database):
        await house.share()
        for user_id in (1, 2):
            house.texting(user_id)
        for _ in range(3):  # A step that waits for the writers is made again.
            await house.steps()
        assert [[one.number for one in house.lines[name].sent] for name in ("w1", "w2")] == [[EARLY], [EARLY]]
        yield house


@pytest.mark.parametrize(("way", "places"), [("API by key", (0, 1)), ("API by name", (1, 0)), ("other line", (1, 0))])
async def test_a_receipt_reaches_the_worker_that_has_the_message(
    tmp_path: Path, way: str, places: tuple[int, int]
) -> None:
    """It arrives twice, in any process."""
    async with two_workers(tmp_path) as house:
        for (name, line), other in zip(house.lines.items(), ("w2", "w1"), strict=True):
            key = line.sent[0].key
            status = MessageStatus.DELIVERED if name == "w1" else MessageStatus.FAILED
            for _ in range(2):
                match way:
                    case "API by key":
                        house.tell(key, Receipt("", status))
                    case "API by name":
                        house.tell("", Receipt(f"name of {key}", status))
                    case _:
                        house.lines[other].exchange.heard(0, "", Receipt(f"name of {key}", status))
        await house.steps(*places * 2)
        assert [row["status"] for row in house.rows(SmsMessage)] == ["Delivered", "Failed"]
        await house.pass_s(11)
        assert house.rows(TextNews) == []
        figures = [worker.figures() for worker in house.workers]
        assert [(one.answered[SMS], one.reports_ignored) for one in figures] == [(1, 0), (0, 0)]
        assert house.database.read_now(audit).differences == []


@pytest.mark.parametrize(("is_by_line", "places"), [(False, (0, 1)), (True, (1, 0))])
async def test_a_stop_is_in_effect_in_the_worker_whose_campaign_wrote(
    tmp_path: Path, places: tuple[int, int], *, is_by_line: bool
) -> None:
    """Both accounts wrote, so neither writes again. The list that the last campaign names keeps the wish, too."""
    async with two_workers(tmp_path) as house:
        await house.pass_s(61)
        stop = TextReceived(LATE, "", " Stop please! ")
        later = [house.campaign(0, house.phonebook("+12025551003", LATE), **again(house, one)) for one in (1, 2)]
        await house.steps()
        if is_by_line:
            house.lines["w1"].exchange.heard(0, "", stop)
        else:
            house.tell("", stop)
        await house.steps(*places)
        await house.pass_s(62)
        owners = {row["id"]: (row["user_id"], row["keeps_wishes_of"]) for row in house.rows(DncList)}
        kept = {owners[row["dnc_id"]] for row in house.rows(DncContact) if row["number"] == LATE}
        assert kept == {(1, "account"), (1, ""), (2, "account"), (2, "")}
        subscribers = [row["status_reason"] for row in house.rows(Subscriber) if row["campaign_id"] in later]
        assert subscribers == ["", "dnc"] * 2
        assert [worker.figures().broken for worker in house.workers] == [Counter(), Counter()]
        assert house.rows(TextNews) == []


async def test_a_stop_of_a_number_that_nobody_wrote_to_holds_for_everybody(tmp_path: Path) -> None:
    """The oldest admin owns the list."""
    async with two_workers(tmp_path) as house:
        stranger = "+12025551009"
        house.change(User, 2, role=Role.ADMIN)
        later = [house.campaign(0, house.phonebook("+12025551003", stranger), **again(house, one)) for one in (1, 2)]
        await house.steps()
        house.tell("", TextReceived(stranger, "", "UNSUBSCRIBE"))
        await house.steps()
        await house.pass_s(62)
        (kept,) = [row for row in house.rows(DncList) if row["keeps_wishes_of"]]
        assert (kept["keeps_wishes_of"], kept["user_id"], kept["is_global"]) == ("service", 2, True)
        assert [(row["dnc_id"], row["number"]) for row in house.rows(DncContact)] == [(kept["id"], stranger)]
        subscribers = [row["status_reason"] for row in house.rows(Subscriber) if row["campaign_id"] in later]
        assert subscribers == ["", "dnc"] * 2
        assert [worker.figures().broken for worker in house.workers] == [Counter(), Counter()]


def again(house: TwoWorkers, user_id: int) -> dict[str, object]:
    """Return the settings of another campaign of an account, without a list."""
    dates = {"startingdate": house.time_ms, "expirationdate": house.time_ms + 3_600_000}
    values = {"medium": SMS, "sms_gateway_id": 1, "aleg_gateway_id": None, "text_message": "hello", "frequency": 1}
    return {**dates, **values, "user_id": user_id, "status": CampaignStatus.START}


@pytest.mark.parametrize("text", ["STOP", "baja por favor", "keine SMS mehr"])
async def test_a_stop_is_kept_however_many_callbacks_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """It arrives on a line of the worker whose accounts wrote nothing. No room is left for the other worker's news."""
    monkeypatch.setattr(incoming_texts, "NEWS_MAX", 0)
    monkeypatch.setattr(incoming_texts, "STOPS_MAX", 0)
    async with two_workers(tmp_path) as house:
        await house.pass_s(61)
        later = house.campaign(0, house.phonebook("+12025551003", LATE), **again(house, 2))
        await house.steps()
        house.lines["w1"].exchange.heard(0, "", TextReceived(LATE, "", text))
        await house.steps(0, 1)
        await house.pass_s(62)
        own = {row["id"]: row["user_id"] for row in house.rows(DncList) if row["keeps_wishes_of"]}
        assert {own[row["dnc_id"]] for row in house.rows(DncContact) if row["dnc_id"] in own} == {1, 2}
        assert [one["status_reason"] for one in house.rows(Subscriber) if one["campaign_id"] == later] == ["", "dnc"]
        assert [worker.figures().broken for worker in house.workers] == [Counter(), Counter()]
        assert house.rows(TextNews) == []


def test_receipts_take_no_room_from_stops(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming_texts, "NEWS_MAX", 2)
    monkeypatch.setattr(incoming_texts, "STOPS_MAX", 4)
    heard: list[Receipt | TextReceived] = [
        *[Receipt("one", MessageStatus.DELIVERED)] * 3,
        TextReceived(EARLY, "", "hello"),
    ]
    heard += [TextReceived(EARLY, "", "arrêt")] * 3

    def add(connection: Connection) -> list[bool]:
        touch(connection, NOTHING)
        return [add_news(connection, GATEWAY_ID, "", one, house.now_ms()) for one in heard]

    assert house.database.write_now(add) == [True, True, False, False, True, True, False]


async def test_a_stop_that_waits_is_heard_when_its_gateway_has_become_simulated(house: House) -> None:
    """No gateway needs a line any more, so nothing else is heard."""
    wish = TextReceived(EARLY, "", "STOP")

    def change(connection: Connection) -> None:
        add_news(connection, GATEWAY_ID, "", wish, house.now_ms())
        touch(connection, Touched(gateways=frozenset({GATEWAY_ID})))

    house.add(User, username="root", password_hash="-", role=Role.ADMIN)
    await house.advance(1)
    house.database.write_now(change)
    await house.advance(1)
    assert [row["number"] for row in house.rows(DncContact)] == [EARLY]
    assert house.rows(TextNews) == []
