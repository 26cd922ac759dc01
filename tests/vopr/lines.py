"""The fault simulator of lines: one campaign over a line, with crashes at every commit and a network that misbehaves.

The other side goes on whatever happens to the service. At the end it judges: each key was dialled once, in a campaign
that was started, after its attempt was stored; no attempt that it saw is missing in the rows; nothing is left up; no
report has failed a step twice.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import select

from dialer.app.call_centre.consultations import change_consultation, consult
from dialer.app.call_centre.live_calls import TransferTarget, hang_up_call, hold_call, resume_call, transfer_call
from dialer.app.call_centre.supervision import stop_supervising, supervise_call
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.carriers.engine_port import CallPlacer
from dialer.domain.calls.identity import leg_key
from dialer.domain.engine.engine import Engine
from dialer.domain.sessions.leg_protocol import Arriving, Leg
from dialer.domain.words.enums import CampaignStatus, ConsultationMode, SupervisionMode, TransferStatus
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import (
    SMS,
    Agent,
    CallRequest,
    Campaign,
    Did,
    Gateway,
    LiveLeg,
    ServiceState,
    SmsMessage,
    Transfer,
    User,
    WaitingText,
)
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import CONFIRM_KEY
from tests.runtime.text_side import FAKE_TEXTS
from tests.vopr.database import CrashError
from tests.vopr.dice import Dice
from tests.vopr.faults import Fault
from tests.vopr.nonsense import POISON, BrittleKernel, Failures, TwiceError, babble
from tests.vopr.rules_rows import channels, rows

STEPS: Final = 25
TEXTS_A_CALL: Final = 3
DESKS_PERCENT: Final = 25
"""Seeds of a hundred whose calls come to agents, who hang up, hold and resume at their desks."""
TRANSFERS_PERCENT: Final = 50
"""Of a hundred of these, those in which agents also transfer calls, and a supervisor hears them."""
SUPERVISOR: Final = "+12025550160"
BABBLES_PERCENT: Final = 35
"""Seeds of a hundred whose lines talk nonsense."""
DID: Final = "+12025550199"
HEALING_S: Final = 1_500
"""Longer than any call may ring and talk, with the watchdog's patience."""
BEHAVIOUR: Final[dict[str, object]] = {"answer": 0.7, "listen": 0.8, "ring": [0, 12], "talk": [1, 30]}
Order = Callable[..., None]
"""A use case of a live call, which takes the unit of work and `callrequest_id`."""
_ORDERS: Final = ("supervised", "hold", "consulted")
"""Orders about calls that the row of an agent keeps."""
_CONNECTED: Final = TransferStatus.CONNECTED
_CRASHES: Final = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)
_FAILURES: Final = (Fault.LOCKED, Fault.LOST, Fault.UNSURE)


class LineRun:
    """A run of one seed."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._dice: Final = Dice(seed, "lines")
        self._nonsense: Final = Dice(seed, "noise")
        self._babbles: Final = self._nonsense.happens(BABBLES_PERCENT)
        self.failures: Final = Failures()
        new_kernel = _brittle if self._babbles else None
        self._house: Final = LineHouse(folder, seed=seed, behaviour=BEHAVIOUR, new_kernel=new_kernel)
        self._side: Final = self._house.side
        self._findings: list[str] = []
        self._crashes_at_dial = 0
        self.texts = 0
        """Number of messages that were sent."""
        self._side.on_dial = self._check_dial
        self._side.after_dial = self._perhaps_end
        self._house.texts.on_send = self._check_text
        self._text_dice: Final = Dice(seed, "texts")
        self._has_texts: Final = self._text_dice.happens(40)
        self._desk_dice: Final = Dice(seed, "agents' desks")
        self._hold_dice: Final = Dice(seed, "holds")
        self._has_desks: Final = self._desk_dice.happens(DESKS_PERCENT)
        self._transfer_dice: Final = Dice(seed, "transfers at desks")
        self._has_transfers: Final = self._has_desks and self._transfer_dice.happens(TRANSFERS_PERCENT)
        self.transferred: Final[set[int]] = set()
        """Calls that agents have transferred."""
        self.supervised: Final[set[int]] = set()
        """Calls that a supervisor has heard."""
        self.consulted: Final[set[int]] = set()
        """Calls in which agents have consulted somebody."""
        self.hung_up: Final[set[int]] = set()
        """Calls that agents have hung up."""
        self.held: Final[set[int]] = set()
        """Calls that agents have put on hold."""
        self._campaign_id = 0

    async def findings(self) -> list[str]:
        """Run the seed without a log, and return everything that is wrong."""
        before = structlog.get_config()
        structlog.configure(processors=[self.failures.hear])
        try:
            return await self._run()
        except TwiceError as error:
            return [str(error)]
        finally:
            structlog.configure(**before)

    async def _run(self) -> list[str]:
        house, dice = self._house, self._dice
        branches: dict[int, dict[str, int | None]] = {0: {"0": 1}, 1: {"any": 2, "timeout": 1}, 2: {"timeout": 0}}
        if self._has_texts:
            branches |= {1: {"any": 3, "timeout": 1}, 3: {"0": 4}, 4: {"0": 5}, 5: {"0": 2}}
        survey_id = house.survey(
            {"type": 1, "audiofile_id": house.recording(3_000)},
            {"type": 2, "audiofile_id": house.recording(2_000), "key_1": "yes", "timeout": 5},
            {"type": dice.pick((5, 8)), "audiofile_id": house.recording(1_000), **self._transfer()},
            *([{"type": 10, "sms_text": "thank you"}] * TEXTS_A_CALL if self._has_texts else ()),
            branches=branches,
        )
        texts_id = house.add(Gateway, medium=SMS, name="texts", protocol=FAKE_TEXTS, max_cps=1)
        house.change(Gateway, house.gateway_id, max_cps=dice.pick((0, 0, 1)))
        numbers = [f"+1202556{index:04}" for index in range(dice.between(2, 8))]
        self._campaign_id = house.campaign(
            survey_id,
            house.phonebook(*numbers),
            maxretry=1,
            intervalretry=20,
            callmaxduration=60,
            calltimeout=20,
            sms_gateway_id=texts_id if self._has_texts else None,
            dnc_id=house.dnc_list(),
        )
        house.add(Did, user_id=house.user_id, is_assigned=True, did_number=DID, campaign_id=self._campaign_id)
        if self._has_transfers:
            house.change(User, house.user_id, telephone=SUPERVISOR)
        house.start(self._campaign_id)
        for _ in range(STEPS):
            await self._one_step()
        await self._heal()
        self._judge()
        house.database.close()
        return self._findings

    def _transfer(self) -> dict[str, object]:
        """Return what makes the last section a transfer to a number or to agents; nothing if it is none."""
        house, dice = self._house, self._dice
        confirm = dice.pick(({}, {"confirm_key": CONFIRM_KEY, "confirm_script": "press five", "timeout": 3}))
        match 1 if self._has_desks else dice.between(0, 3):
            case 0:
                return {"type": 6, "phonenumber": dice.pick(("+12025559999", "+12025550111")), **confirm}
            case 1:
                agents = [house.agent(contact=f"100{place}", wrap_up_time=2) for place in range(dice.between(1, 3))]
                return {"type": 6, "queue_id": house.queue(*agents, strategy=dice.pick((1, 2)), max_wait_time=30)}
            case _:
                return {}

    async def _one_step(self) -> None:
        dice, side = self._dice, self._side
        side.mischief = (dice.pick((0, 0, 10)), dice.pick((0, 0, 20)), dice.pick((0, 0, 20)))
        side.dice = dice
        what = dice.between(0, 9)
        faults: list[Fault | None] = [None] * dice.between(0, 4)
        if what < 3:
            self._house.database.faults = [*faults, dice.pick(_CRASHES)]
        elif what == 3:
            self._house.database.faults = [*faults, dice.pick(_FAILURES)]
        elif what == 4:
            self._crashes_at_dial = dice.between(1, 2)
        elif what == 5 and side.lines:
            side.lines[-1].exchange.is_up(dice.pick(("lost", "")))
        elif what == 6:
            await self._pause_or_start()
        elif what == 7:
            side.refuses = dice.happens(50)
        elif what == 8 and dice.happens(30):
            side.cut()
        elif what == 9:
            side.call_in(dice.pick(("+12025569999", "+12025560000", "")), dice.pick((DID, DID, "+12025550000")))
        if self._has_texts and self._text_dice.happens(30):
            self._house.texts.fall(self._text_dice.pick(("", "lost", "lost")))
        self._babble()
        self._work_at_desks()
        await self._lives(dice.pick((0.2, 1, 3, 8, 20)))
        self._check_rows()

    def _work_at_desks(self) -> None:
        """Let agents hang up, hold and resume, if they do so in this seed. Their orders may meet faults of a commit."""
        talks = [row["callrequest_id"] for row in self._house.rows(Transfer) if row["status"] == _CONNECTED]
        for call_id in talks if self._has_desks else ():
            if self._hold_dice.happens(50):
                self._order(call_id, *self._hold_dice.pick(((hold_call, self.held), (resume_call, set()))))
            if self._has_transfers and self._transfer_dice.happens(60):
                self._order(call_id, *self._transfer_dice.pick(self._orders_about_legs()))
            if self._desk_dice.happens(20 if self._has_transfers else 50):
                self._order(call_id, hang_up_call, self.hung_up)

    def _orders_about_legs(self) -> tuple[tuple[Order, set[int]], ...]:
        """Return orders that move a call to another leg, or let a supervisor hear it."""
        house, dice = self._house, self._transfer_dice
        to = dice.pick(
            (
                TransferTarget(phone_number=dice.pick(("+12025559999", "+12025550111", "+12025550112"))),
                TransferTarget(queue_id=1),
                TransferTarget(agent_id=dice.between(1, 3)),
            )
        )
        mode = dice.pick(list(SupervisionMode))
        transfer = partial(transfer_call, to=to), self.transferred
        supervise = partial(supervise_call, supervisor_id=house.user_id, mode=mode), self.supervised
        third = dice.pick((to, TransferTarget(agent_id=dice.between(1, 3))))
        orders = [(partial(change_consultation, mode=one), self.consulted) for one in ConsultationMode]
        consults = [(partial(consult, to=third), self.consulted), dice.pick(orders), dice.pick(orders)]
        return transfer, supervise, supervise, (stop_supervising, set()), *consults

    def _order(self, call_id: int, order: Order, done: set[int]) -> None:
        try:
            self._house.perform(lambda unit: order(unit, callrequest_id=call_id))
        except CrashError:
            self._house.restart()
        except (RefusedError, InvalidFieldsError, StorageUnavailableError):
            return
        else:
            done.add(call_id)

    def _babble(self) -> None:
        """Let the lines for calls and for texts talk nonsense. Let callers come whom the engine cannot handle."""
        dice, side, texts = self._nonsense, self._side, self._house.texts
        if not (self._babbles and dice.happens(50) and side.lines):
            return
        keys = [row["key"] for row in self._house.rows(LiveLeg)]
        babble(dice, keys, side.lines[-1].hear)
        exchange = texts.exchange
        if self._has_texts and exchange is not None:
            babble(dice, [], lambda key, said: exchange.heard(0, key, said))
        if dice.happens(30):
            side.call_in(POISON, dice.pick((DID, "+12025550000")))

    def _check_rows(self) -> None:
        """Check rows and channels, and that whatever is up has a row, so that another process could end it."""
        database, live = self._house.database, self._house.worker._live  # noqa: SLF001 - as the observer of ordinary worlds
        self._findings += database.read_now(lambda connection: list(rows(connection)))
        if live is not None:
            counted = {str(one): load.in_progress for one, load in live.engine.engine_state.gateways.items()}
            self._findings += database.read_now(lambda c: list(channels(c, counted, over_lines=True)))
        keys = {row["key"] for row in self._house.rows(LiveLeg)}
        self._findings += [
            f"{key} is up without a row" for key in self._side.phones.keys() & self._side.dialled.keys() - keys
        ]

    async def _pause_or_start(self) -> None:
        """Move the campaign right after a step, perhaps one that has dialled."""
        try:
            await self._house.step()
        except CrashError:
            self._house.restart()
        except StorageUnavailableError:
            pass
        self._move(self._dice.pick((CampaignStatus.PAUSE, CampaignStatus.START)))
        await self._lives(0)

    def _move(self, status: CampaignStatus) -> None:
        if self._house.row(Campaign, self._campaign_id)["status"] in {CampaignStatus.START, CampaignStatus.PAUSE}:
            self._house.move_now(self._campaign_id, status)

    async def _lives(self, seconds: float) -> None:
        until_ms = self._house.now_ms() + round(seconds * 1_000)
        for _ in range(20):
            try:
                await self._house.lives(until_ms)
            except CrashError:
                self._house.restart()
            except StorageUnavailableError:
                continue
            else:
                return

    async def _heal(self) -> None:
        side = self._side
        side.mischief, side.refuses, self._crashes_at_dial, self._house.database.faults = (0, 0, 0), False, 0, []
        await self._lives(0)
        self._house.texts.fall("")
        for line in side.lines[-1:]:
            line.exchange.is_up("")
        self._move(CampaignStatus.START)
        await self._lives(HEALING_S)

    def _check_dial(self, leg: Leg) -> None:
        """Check that a dial is stored, marked, and allowed."""
        database = self._house.database
        marked = database.read_now(lambda c: c.scalar(select(LiveLeg.handed_ms).where(LiveLeg.key == leg.key)))
        if marked is None:
            self._findings.append(f"{leg.key} was dialled without the mark")
        status = database.read_now(lambda c: c.scalar(select(Campaign.status)))
        is_second = database.read_now(lambda c: c.scalar(select(LiveLeg.place).where(LiveLeg.key == leg.key)))
        if status == CampaignStatus.PAUSE and not (is_second or isinstance(leg, Arriving)):
            self._findings.append(f"{leg.key} was dialled in a paused campaign")
        if self._crashes_at_dial == 1:
            self._crashes_at_dial = 0
            raise CrashError("the process ends before the dial")

    def _check_text(self, leg: Leg) -> None:
        """Check that a message is stored and marked before it is sent, and waits no longer."""
        self.texts += 1
        sent = {
            leg_key(self._service_key(), f"{row['message_id']}:{row['id']}") for row in self._house.rows(SmsMessage)
        }
        if leg.key not in sent:
            self._findings.append(f"{leg.key} was sent, and is no message")
        if not [row for row in self._house.rows(LiveLeg) if row["key"] == leg.key and row["handed_ms"] is not None]:
            self._findings.append(f"{leg.key} was sent without the mark")

    def _service_key(self) -> bytes:
        key: bytes | None = self._house.rows(ServiceState)[0]["leg_key"]
        return key or b""

    def _perhaps_end(self) -> None:
        if self._crashes_at_dial:
            self._crashes_at_dial = 0
            raise CrashError("the process ends after the dial")

    def _judge(self) -> None:
        house, side = self._house, self._side
        self._findings += house.findings()
        key = self._service_key()
        self._findings += [f"{one} was sent {count} times" for one, count in house.texts.sent.items() if count > 1]
        self._findings += [f"message {row['message_id']} still waits" for row in house.rows(WaitingText)]
        self._findings += [
            f"message {row['id']} is on its way" for row in house.rows(SmsMessage) if not row["ended_ms"]
        ]
        stored = {
            leg_key(key, f"{row['callid']}:{row['id']}") if row["attempt"] > 0 else row["callid"]
            for row in house.rows(CallRequest)
        }
        firsts = side.dialled.keys() - side.second_numbers.keys()
        self._findings += [f"{one} was dialled, and has no attempt" for one in firsts if one not in stored]
        self._findings += [f"{one} is still up" for one in side.phones]
        self._findings += [f"{row['key']} has still a row" for row in house.rows(LiveLeg)]
        self._findings += [
            f"{row} is still open" for row in house.rows(Transfer) if row["status"] != TransferStatus.OVER
        ]
        self._findings += [
            f"agent {row['id']} is stuck: {dict(row)}"
            for row in house.rows(Agent)
            if row["is_talking"] or any(row[f"{order}_call_id"] is not None for order in _ORDERS)
        ]
        held = house.row(User, house.user_id)["held"]
        self._findings += [f"{held} is still held"] if held else []


def _brittle(engine: Engine, carrier: CallPlacer, store: CampaignStore, now_ms: int) -> Kernel:
    return BrittleKernel(engine, carrier, store, now_ms=now_ms)
