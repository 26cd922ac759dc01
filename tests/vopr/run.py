"""A run of a seed: its world and its troubles, until all campaigns have ended or a rule is broken."""

import hashlib
from collections import deque
from typing import Final

import msgspec
import pytest
from sqlalchemy import Connection, select, update

from dialer.app.accounts.payments import record_payment
from dialer.app.campaigns.change import start_campaign
from dialer.app.telling.account_events import write_account_events
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.work.errors import RefusedError
from dialer.app.work.events import AgentStatusChanged
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.words.enums import AgentStatus, CampaignStatus, DialMethod, SubscriberStatus
from dialer.domain.words.states import OPEN_SUBSCRIBERS
from dialer.runtime.steps import step_extent
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.clock_jumps import JUMP_MS_MIN
from dialer.store.database.database import StorageUnavailableError
from dialer.store.database.touched import EVERYTHING
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Agent, Campaign, Queue, Subscriber, User
from tests.vopr.actions import perform
from tests.vopr.building import Folder, contents, digest_of, fill
from tests.vopr.clocks import JumpingClock, PatientClock
from tests.vopr.dice import Dice
from tests.vopr.faults import PAYS, SETS_BACK, Do, Fault, Mischief, Step, Troubles, troubles_of
from tests.vopr.observer import Observer
from tests.vopr.rules_events import switch_events_on
from tests.vopr.rules_rows import ahead, channels, left_over, overlong
from tests.vopr.service import BrokenError, Service
from tests.vopr.snapshot import ask
from tests.vopr.worlds import DAY_MS, HOUR_MS, World, world_of

EVENTS_KEPT: Final = 12
"""Lines of the trace that a failure shows."""
REST_DAYS_MAX: Final = 40
"""All campaigns must end within this number of days without faults."""
MUCH_MONEY: Final = 10**10
AHEAD_MS: Final = (100, 300, JUMP_MS_MIN)
"""Times by which runs decide ahead. From a longer one, a crash would look as if the clock had been set back."""
OPEN: Final = ", ".join(str(int(status)) for status in sorted(OPEN_SUBSCRIBERS))
"""The statuses of subscribers who are not done, for a query."""
_DONE: Final = frozenset({Fault.UNSURE, Fault.CRASH_AFTER})
"""Faults after which an action is done, though its user got no confirmation."""


class SeedOutcome(msgspec.Struct, frozen=True):
    """The outcome of a seed."""

    seed: int
    ok: bool
    steps: int
    calls: int
    """Attempts of all kinds."""
    faults: int
    digest: str
    """A digest of the trace, and of all rows at the end."""
    step: int | None = None
    """The step in which a rule was broken."""
    broken: str = ""
    """The rule that was broken, with the row."""
    events: tuple[str, ...] = ()
    """The last lines of the trace."""


class Run:
    """A run of one seed. A calm run has no faults; a run with harmless faults must end with equal rows.

    A run ahead is on the machine's clock, and decides simulated events shortly before their time. In a run with
    events, accounts keep theirs.
    """

    def __init__(
        self, seed: int, folder: Folder, *, is_calm: bool = False, is_ahead: bool = False, has_events: bool = False
    ) -> None:
        self.seed: Final = seed
        self.world: Final[World] = world_of(seed)
        self.troubles: Final[Troubles] = troubles_of(seed)
        self._is_calm: Final = is_calm
        self._is_ahead: Final = is_ahead
        self.has_events: Final = has_events
        self._folder: Final = folder
        self._name: Final = f"{'calm' if is_calm else 'ahead' if is_ahead else 'run'}-{seed}"
        self._observer: Final = Observer(self.world.service_zone, self.world.calling_hours, has_events=has_events)
        self._trace: Final = hashlib.sha256()
        self._events: Final[deque[str]] = deque(maxlen=EVENTS_KEPT)
        self._step = 0
        self._faults = 0
        self.rows: dict[str, list[tuple[object, ...]]] = {}
        """All rows at the end of the run."""
        self._service = Service(
            folder.database,
            folder.new_database(self._name),
            seed=seed,
            now_ms=self.world.start_ms,
            zone=self.world.service_zone,
            hours=read_calling_hours(self.world.calling_hours),
            mischief=Mischief() if is_calm else self.troubles.mischief,
        )

    async def outcome(self) -> SeedOutcome:
        """Run the seed, and return its outcome."""
        try:
            await self._live()
            await self._heal()
            self.rows = self._service.read(contents)
            self._note(f"rows {digest_of(self.rows)}")
        except BrokenError as error:
            return self._outcome(str(error))
        finally:
            self._service.database.close()
        return self._outcome("")

    @property
    def _has_real_clock(self) -> bool:
        return self._is_ahead or self.troubles.has_real_clock

    def remove(self) -> None:
        """Delete the database of this run."""
        self._folder.remove(self._name)

    def _outcome(self, broken: str) -> SeedOutcome:
        return SeedOutcome(
            seed=self.seed,
            ok=not broken,
            steps=self._step,
            calls=self._observer.calls,
            faults=self._faults + self._service.faults,
            digest=self._trace.hexdigest(),
            step=self._step if broken else None,
            broken=broken,
            events=tuple(self._events) if broken else (),
        )

    async def _live(self) -> None:
        service = self._service
        service.write(lambda connection: fill(connection, self.world))
        if self.has_events:
            service.write(lambda connection: switch_events_on(connection, self.seed))
        self._learn_payments()
        if self._has_real_clock:
            service.clock = (PatientClock if self._is_ahead else JumpingClock)(self.world.start_ms)
            service.restart()
        self._begin_step()
        for step in self.troubles.steps:
            self._step += 1
            await self._let_pass(step)
            self._do(step)
            for action in step.then:
                self._do(Step(0, action))
            await self._work(None, None)
            self._check_answered()

    async def _let_pass(self, step: Step) -> None:
        service = self._service
        clock, to_ms = service.clock, service.now_ms() + step.pause_ms
        fault = None if self._is_calm else step.fault
        if isinstance(clock, JumpingClock):
            clock.go_on(step.pause_ms, step.clock_jump_ms)
            if step.clock_jump_ms:
                self._observer.memory.clock_jumped(step.clock_jump_ms)
        await self._work(to_ms, fault, step.statement)

    async def _work(self, to_ms: int | None, fault: Fault | None, statement: int = 0) -> None:
        """Run the worker and check the rows. If the worker fails, run it again and check again."""
        self._faults += fault is not None
        is_done = await self._service.run(to_ms, fault, statement)
        self._check(f"worked, fault: {fault or 'none'}", has_worked=is_done)
        if not is_done:
            await self._service.run(to_ms)
            self._check("worked again", has_worked=True)

    def _do(self, step: Step) -> None:
        """Perform the user action of a step. Repeat it if a fault has kept it from being committed."""
        fault = None if self._is_calm else step.action_fault
        try:
            done = self._perform(step, fault)
        except RefusedError as error:
            done = f"{step.action.do}: refused, {error}"
        except StorageUnavailableError:
            done = f"{step.action.do}: done, not acknowledged"
            if fault not in _DONE:
                self._do(msgspec.structs.replace(step, action_fault=None))
                return
        self._begin_step()
        self._note(done)

    def _perform(self, step: Step, fault: Fault | None) -> str:
        service, now_ms, rules = self._service, self._service.now_ms(), self.world.rules
        self._faults += fault is not None
        done = self._done_subscribers(step)
        try:
            return service.write(lambda connection: perform(connection, step.action, now_ms, rules), fault)
        finally:
            # The observer knows of committed actions, including those that were not acknowledged.
            self._observer.memory.again.update(done - self._done_subscribers(step))
            if step.action.do in PAYS:
                self._learn_payments()

    def _done_subscribers(self, step: Step) -> set[int]:
        """Return the subscribers who are done, if this step may set one of them back to be called again."""
        if step.action.do not in SETS_BACK:
            return set()
        query = f"SELECT id FROM subscriber WHERE status NOT IN ({OPEN})"  # noqa: S608 - numbers
        return {row[0] for row in self._service.read(lambda connection: ask(connection, query))}

    def _learn_payments(self) -> None:
        query = "SELECT user_id, amount FROM payment"
        paid = self._observer.memory.paid
        paid.clear()
        for user_id, amount in self._service.read(lambda connection: ask(connection, query)):
            paid[user_id] += amount

    async def _heal(self) -> None:
        """Run without faults, with money, agents and time for all campaigns, and check that they all end."""
        service = self._service
        service.mischief = Mischief()
        service.clock = VirtualClock(service.now_ms())
        service.restart()
        service.write(lambda connection: _give_everything(connection, service.now_ms()))
        self._learn_payments()
        self._begin_step()
        for _ in range(REST_DAYS_MAX * 2):
            self._step += 1
            await self._work(service.now_ms() + DAY_MS // 2, None)
            if not service.read(_unfinished) and not service.read(lambda one: list(left_over(one))):
                break
        broken = [*service.read(_unfinished), *service.read(lambda one: list(left_over(one)))]
        broken += service.read(self._audited)
        if not self._has_real_clock:  # On the machine's clock, a late worker gives a call up late.
            broken += service.read(lambda one: list(overlong(one)))
        if broken:
            raise BrokenError(broken[0])

    def _audited(self, connection: Connection) -> list[str]:
        """Return the findings of `dialer audit`.

        A deleted subscriber's messages are deleted, too, but their campaign has counted them. After such a deletion the
        findings about campaigns are left out.
        """
        differences = audit(connection).differences
        has_deleted = any(one.action.do is Do.DELETE_SUBSCRIBER for one in self.troubles.steps)
        return [str(one) for one in differences if not (has_deleted and one.record.startswith("campaign"))]

    def _begin_step(self) -> None:
        broken = self._service.read(lambda one: self._observer.before(one, self._service.now_ms()))
        if broken:
            raise BrokenError(broken[0])

    def _check(self, what: str, *, has_worked: bool) -> None:
        service = self._service
        now_ms = service.now_ms()
        broken = service.read(lambda connection: self._observer.after(connection, now_ms, has_worked=has_worked))
        self._note(what)
        if has_worked:
            broken += service.read(lambda connection: list(channels(connection, service.channels())))
        broken += [f"I10: {one}" for one in service.complaints]
        if broken:
            raise BrokenError(broken[0])

    def _check_answered(self) -> None:
        """Check that everything on record has begun, now that a user's change is answered."""
        if self._is_ahead and (broken := self._service.read(lambda one: list(ahead(one, self._service.now_ms())))):
            raise BrokenError(broken[0])

    def _note(self, what: str) -> None:
        line = f"{self._step} {self._service.now_ms() - self.world.start_ms} {self._observer.calls} {what}"
        self._events.append(line)
        self._trace.update(line.encode() + b"\n")


async def run_seed(seed: int, folder: Folder) -> SeedOutcome:
    """Run a seed. If its faults are harmless, also run it without them, and compare the rows at the end."""
    return await _run_and_compare(Run(seed, folder), folder)


async def _run_and_compare(run: Run, folder: Folder) -> SeedOutcome:
    try:
        outcome = await run.outcome()
        if not outcome.ok or not run.troubles.is_harmless:
            return outcome
        return await _compared(run, outcome, folder)
    finally:
        run.remove()


async def run_with_events(seed: int, folder: Folder) -> SeedOutcome:
    """Run a seed whose accounts keep events. After harmless faults the events, too, equal those without faults."""
    return await _run_and_compare(Run(seed, folder, has_events=True), folder)


async def run_ahead(seed: int, folder: Folder) -> SeedOutcome:
    """Run a seed on the machine's clock with steps that decide far ahead, as the worlds are small."""
    run = Run(seed, folder, is_ahead=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_extent, "AHEAD_MS", Dice(seed, "ahead").pick(AHEAD_MS))
        patch.setattr(step_extent, "QUIET_MS", step_extent.QUIET_MS // 4)
        try:
            return await run.outcome()
        finally:
            run.remove()


async def _compared(run: Run, outcome: SeedOutcome, folder: Folder) -> SeedOutcome:
    calm = Run(run.seed, folder, is_calm=True, has_events=run.has_events)
    try:
        other = await calm.outcome()
        broken = other.broken or _difference(run.rows, calm.rows)
        if not broken:
            return outcome
        return msgspec.structs.replace(outcome, ok=False, step=outcome.steps, broken=broken, events=other.events)
    finally:
        calm.remove()


def _difference(rows: dict[str, list[tuple[object, ...]]], calm: dict[str, list[tuple[object, ...]]]) -> str:
    """Describe the first difference between two databases; empty if there is none."""
    for name in rows:
        theirs, others = (_counted(name, tables[name]) for tables in (rows, calm))
        for one, other in zip(theirs, others, strict=False):
            if one != other:
                return f"I10, I12: without faults {name} would be {other}, and is {one}"
        if len(theirs) != len(others):
            return f"I10, I12: without faults {name} would have {len(others)} rows, and has {len(theirs)}"
    return ""


def _counted(name: str, rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Return rows without counters that have come back to nothing, which a run in larger steps never wrote."""
    return [row for row in rows if row[-2:] != (0, 0)] if name == "subscriber_count" else rows


def _give_everything(connection: Connection, now_ms: int) -> None:
    """Give money, agents and time to everybody, and start each paused campaign."""
    unit = UnitOfWork(connection=connection, now_ms=now_ms)
    for user_id in connection.scalars(select(User.id).order_by(User.id)).all():
        record_payment(unit, user_id, MUCH_MONEY)
    changed = select(Agent.id).where(Agent.status != AgentStatus.AVAILABLE).order_by(Agent.id)
    at_work = [AgentStatusChanged(one, AgentStatus.AVAILABLE) for one in connection.scalars(changed)]
    connection.execute(update(Agent).values(status=AgentStatus.AVAILABLE, contact="1001"))
    connection.execute(update(Queue).values(outcome_required=False))
    waits = Subscriber.status == SubscriberStatus.PAUSE
    connection.execute(update(Subscriber).where(waits).values(status=SubscriberStatus.PENDING))
    days = dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), True)
    connection.execute(
        update(Campaign)
        .where(Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE)))
        .values(
            startingdate=now_ms - HOUR_MS,
            expirationdate=now_ms + 100 * DAY_MS,
            dial_method=DialMethod.FIXED_RATE,
            daily_start_time="00:00:00",
            daily_stop_time="23:59:59",
            frequency=60,
            end_when_done=True,
            abandoned_maxretry=0,
            **days,
        )
    )
    # Some queues have no agents who could be kept for them.
    connection.execute(update(Subscriber).where(Subscriber.abandoned_count > 0).values(abandoned_count=0))
    paused = select(Campaign.id).where(Campaign.status == CampaignStatus.PAUSE)
    for campaign_id in connection.scalars(paused).all():
        start_campaign(unit, campaign_id)
    unit.note(EVERYTHING, *at_work)
    write_account_events(unit, COMMAND_LINE)


def _unfinished(connection: Connection) -> list[str]:
    """Return campaigns with subscribers that have not ended."""
    query = select(Campaign.id, Campaign.status).where(
        Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE)),
        Campaign.id.in_(select(Subscriber.campaign_id)),
    )
    return [f"campaign {row[0]} stays in {row[1]}" for row in connection.execute(query)]
