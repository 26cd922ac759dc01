"""Live engine: an engine with its kernel, carriers and journal, built from the rows and kept up to date.

The engine is updated only about rows that were touched since the last update. So the cost of a change does not depend
on other open campaigns. An update leaves the state of everything else alone, such as the hoppers of other campaigns.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final, TypeVar

import structlog
from msgspec import structs
from sqlalchemy import Connection

from dialer.carriers.engine_port import CallPlacer
from dialer.domain.calls import events
from dialer.domain.calls.plans import NOTHING_LENT, GatewayKey, GatewayPlan, Lent
from dialer.domain.engine.engine import Engine
from dialer.domain.engine.state import ACTIVE
from dialer.runtime.lines.call_router import CallRouter
from dialer.runtime.lines.incoming_texts import tell_sound, tell_stored
from dialer.runtime.lines.line_reports import STARTING, LineReport, LineSettings
from dialer.runtime.lines.listener import Listener
from dialer.runtime.lines.suspect_reports import EVERYTHING_AT_ONCE, Allowance
from dialer.runtime.lines.switchboard import Switchboard
from dialer.runtime.steps import recovery
from dialer.runtime.steps.clock import Clock, RealClock, VirtualClock
from dialer.runtime.steps.contact_collection import Collection
from dialer.runtime.steps.coordinator import Coordinator, Wishes
from dialer.runtime.steps.dial_counters import StepCounters
from dialer.runtime.steps.guard import Guard
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.runtime.steps.quarantine import Quarantine
from dialer.runtime.steps.step_extent import EVENTS_PER_STEP, StepExtent
from dialer.store.database.service_state import State
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched
from dialer.store.journal.account_events import AccountEventRows
from dialer.store.journal.journal import JournalStore, Recordings
from dialer.store.queries.calls_in_progress import UNREADABLE_PROTOCOL
from dialer.store.queries.load_engine import LoadedRows, Loader
from dialer.store.queries.readable_rows import UNREADABLE, Unreadable
from dialer.store.queries.selection import Shards
from dialer.store.rows.live_legs import leaving_legs, legs_of, service_leg_key
from dialer.store.rows.set_aside_reports import known_reports

SAVE_AFTER_MS: Final = 1_000
"""Maximum lag of the stored time behind a clock that runs by itself."""
Key = TypeVar("Key")
NO_LINES: Final[Mapping[GatewayKey, str]] = MappingProxyType({})
LAG_MS_MAX: Final = 1_000
"""Maximum lag behind the real clock. A worker that lags more skips to the present instead of catching up."""

_log = structlog.get_logger(__name__)

NewCarrier = Callable[[int], CallPlacer]
"""Factory of the carrier of all gateways, from the service's seed."""
NewLoader = Callable[[Shards], Loader]
"""Factory of the reader of records, for the accounts of some shards."""
NewKernel = Callable[[Engine, CallPlacer, CampaignStore, int], Kernel]
"""Factory of the kernel that drives an engine. The last argument is the time, in milliseconds since the epoch."""


class LiveEngine:
    """An engine with its kernel, carrier, journal and guard. It is discarded when a commit fails."""

    _is_new = True
    _account_events: AccountEventRows | None = None
    """None until an account keeps events: the events of others cost nothing."""
    _wishes_elsewhere = 0
    _may_have_texts = True
    """True after a change of gateways: a text message may wait although no gateway needs a line any more."""

    def __init__(  # noqa: PLR0913 - the worker gives all of its parts
        self,
        connection: Connection,
        clock: Clock,
        *,
        seed: int,
        coordinator: Coordinator,
        loader: NewLoader,
        new_carrier: NewCarrier,
        turns_given: Mapping[str, int],
        simulates_all: bool,
        recordings: Recordings | None,
        new_kernel: NewKernel,
        quarantine: Quarantine,
        extent: StepExtent,
    ) -> None:
        state = coordinator.open_state(connection, clock.now_ms())
        now_ms = max(state.now_ms, clock.now_ms())
        self._clock: Final = clock
        self._seed: Final = seed
        self._coordinator: Final = coordinator
        self._loader: Final = loader(coordinator.shards)
        self.switchboard: Final = Switchboard(turns_given)
        self._router: Final = CallRouter(new_carrier(seed), self.switchboard)
        self._parameters: dict[GatewayKey, LineSettings] = {}
        self._lines: dict[GatewayKey, str] = {}
        """Why the line of each gateway that needs one does not work, as the engine knows it; empty if it works."""
        self.reports_given = 0
        """Number of things heard of which the last step has told the engine."""
        known, shards = known_reports(connection, now_ms), self._loader.shards
        tell_others = self._wish_elsewhere
        self.listener: Final = Listener(self.switchboard, shards, self._apply_heard, known, tell_others=tell_others)
        self._queues: dict[int, frozenset[int]] = {}
        """Agents who serve each queue."""
        self._agents: set[int] = set()
        self._dids: dict[int, int | None] = {}
        """Campaign that answers each inbound number."""
        self._larger: frozenset[GatewayKey] = frozenset()
        """Gateways of which this engine may use more, once everything that was due before is done."""
        self._extent: Final = extent
        self._simulates_all: Final = simulates_all
        self._quarantine: Final = quarantine
        self.tally: Final = StepCounters()
        self._guard: Final = Guard()
        self.journal: Final = JournalStore(
            next_cdr_id=state.last_cdr_id + 1,
            recordings=recordings,
            observers=(self._guard, self.tally),
            shards=coordinator.shards,
        )
        self.journal.begin(connection)
        self._saved = state
        self._is_stored = False
        """True if nothing has happened since the time was stored last."""
        self._collection: Final = Collection(clock_waits=isinstance(clock, VirtualClock))
        self.engine: Final = Engine(seed=seed, first_call_id=state.last_callrequest_id + 1)
        self.kernel: Final = new_kernel(self.engine, self._router, self.journal, now_ms)
        self._unreadable: frozenset[tuple[str, int]] = frozenset()
        self.taken_up = {"campaigns": 0}
        """Number of records restored at the start, by kind."""

    def build(self, connection: Connection) -> None:
        """Read all rows, and restore the attempts in progress. After a failure, discard the engine."""
        world = self._read(connection, EVERYTHING)
        self.taken_up = {"campaigns": len(world.campaigns)}
        self._apply(world, EVERYTHING, restore=connection)

    @property
    def has_more_to_collect(self) -> bool:
        """True if contacts of some campaigns are not collected yet."""
        return not self._collection.is_done

    def refresh(self, connection: Connection, touched: Touched) -> None:
        """Update the engine about touched rows, and collect another portion of contacts."""
        touched |= Touched(campaigns=self._collection.begin(connection, self.kernel.now_ms))
        if touched != NOTHING:
            self._extent.changed()
            self._is_stored = False
            self.journal.begin(connection)
            scope = self._scope(touched)
            self._apply(self._read(connection, scope), scope)

    def step(
        self,
        connection: Connection,
        until_ms: int,
        reports: Sequence[LineReport] = (),
        lines: Mapping[GatewayKey, str] = NO_LINES,
        allowance: Allowance = EVERYTHING_AT_ONCE,
        *,
        is_ahead: bool = False,
    ) -> bool:
        """Handle and write what is due, and return whether all of it was done.

        After that, the engine is told what lines have heard. `lines` says why the line of each gateway does not work.
        `allowance` limits both while the cause of a failure is looked for. `is_ahead` adds events of the near future.
        """
        self.journal.begin(connection)
        self.listener.begin_step(allowance.resting)
        reports, events_max = reports[: allowance.reports], allowance.events or EVENTS_PER_STEP
        if not isinstance(self._clock, VirtualClock):  # The clock may have been set back meanwhile.
            until_ms = min(until_ms, self._clock.now_ms())
        until_ms = max(self.kernel.now_ms, until_ms)
        if isinstance(self._clock, RealClock) and self.late_ms(until_ms) > LAG_MS_MAX:
            self.kernel.now_ms = until_ms
        self._follow_lines(lines)
        is_due = self.kernel.next_due_ms is not None and self.late_ms(until_ms) >= 0
        self._is_stored = self._is_stored and not is_due
        is_done = self._use_more(connection, until_ms, events_max)
        self.reports_given = 0
        if is_done and (reports or self.switchboard.settings or self._may_have_texts):
            self._may_have_texts = False
            self._tell(connection, reports, allowance)
            is_done = self.kernel.run(until_ms, events_max)
        acts_alone = self._coordinator.is_alone and not self.switchboard.settings and self._collection.is_done
        if is_ahead and is_due and is_done and acts_alone and allowance == EVERYTHING_AT_ONCE:
            self._extent.look_ahead(self.kernel, until_ms)
        self.switchboard.write(connection, self.kernel.now_ms)
        self.journal.close_step(self.engine.engine_state)
        self._save(connection)
        return is_done

    def _use_more(self, connection: Connection, until_ms: int, events_max: int) -> bool:
        """Handle what is due with the slices as they are, then read the larger ones. Return whether all is done.

        A larger slice holds from now on, and not from `until_ms`: others gave it back since then.
        """
        is_done = self._extent.run(self.kernel, until_ms, events_max)
        self._larger |= self._coordinator.take_lent()
        if is_done and self._larger:
            now_ms = max(until_ms, self._clock.now_ms())
            is_done = self.kernel.run(now_ms, events_max)
            if is_done:
                self._is_stored = False
                scope = Touched(gateways=self._larger & self.engine.engine_state.gateways.keys())
                self._larger = frozenset()
                self._apply(self._read(connection, scope, is_now=True), scope)
                is_done = self.kernel.run(now_ms, events_max)
        return is_done

    def _not_more(self, gateways: list[events.GatewayOpened]) -> list[events.GatewayOpened]:
        """Return gateways with slices that are not larger than before. Note those that are, for `_use_more`.

        The engine is told of them at the time of its last step, when others may have used what it has now.
        """
        limited = []
        for gateway in gateways:
            open_gateway, lent = self.engine.engine_state.gateways.get(gateway.plan.id), gateway.lent
            if lent is not None:
                less = (
                    NOTHING_LENT
                    if open_gateway is None
                    else Lent(min(open_gateway.channels, lent.channels), min(open_gateway.cps, lent.cps))
                )
                if less != lent:
                    self._larger |= {gateway.plan.id}
                    gateway = structs.replace(gateway, lent=less)  # noqa: PLW2901 - with another slice
            limited.append(gateway)
        return limited

    def _follow_lines(self, lines: Mapping[GatewayKey, str]) -> None:
        """Tell the engine which lines have stopped or begun to work, and what became of restored legs."""
        for gateway_id in self.switchboard.settings:
            why = lines.get(gateway_id, STARTING)
            if self._lines.get(gateway_id) != why:
                self._lines[gateway_id] = why
                self._apply_heard(events.LineLost(gateway_id, why) if why else events.LineFound(gateway_id))
        for event in self.switchboard.follow_up(self.kernel.now_ms):
            self._apply_heard(event)

    def _tell(self, connection: Connection, reports: Sequence[LineReport], allowance: Allowance) -> None:
        """Tell the engine what lines have heard, and what carriers have told the API."""
        for sound in reports:
            tell_sound(connection, self.listener, sound, self.kernel.now_ms)
        self.reports_given = len(reports)
        tell_stored(connection, self.listener, self.kernel.now_ms, allowance)
        self.listener.end()

    def _wish_elsewhere(self) -> None:
        self._wishes_elsewhere += 1

    def _apply_heard(self, event: events.Event) -> None:
        self._is_stored = False
        self.kernel.apply(event)

    def cps_max(self) -> dict[GatewayKey, int]:
        """Return the calls a second that this worker may place over each gateway with such a limit, at least one."""
        gateways = self.engine.engine_state.gateways
        return {key: max(1, gateway.cps) for key, gateway in gateways.items() if gateway.plan.max_cps}

    def lend_less(self, gateway_id: GatewayKey, lent: Lent) -> None:
        """Limit a gateway to a smaller part from now on. The calls in progress may still exceed it."""
        gateway = self.engine.engine_state.gateways[gateway_id]
        less = Lent(min(gateway.channels, lent.channels), min(gateway.cps, lent.cps))
        gateway.limit(gateway.plan, less)
        self._guard.lend(gateway_id, less)

    def late_ms(self, now_ms: int) -> int:
        """Return the milliseconds by which the next event is overdue; 0 or less if it is not due."""
        due_ms = self.kernel.next_due_ms
        return 0 if due_ms is None else now_ms - due_ms

    def _save(self, connection: Connection) -> None:
        """Store the time and the last ids. If only time has passed, storing it once a second is enough.

        After a restart, nothing due before the stored time is repeated, even if no row records it.
        """
        state = State(self.kernel.now_ms, self.engine.next_call_id - 1, self.journal.next_cdr_id - 1)
        is_soon = self._is_stored and state.now_ms - self._saved.now_ms < SAVE_AFTER_MS
        is_due = state != self._saved and (isinstance(self._clock, VirtualClock) or not is_soon)
        self._coordinator.save(
            connection,
            state if is_due else None,
            has_worked=not self._is_stored,
            wishes=Wishes(self.engine.engine_state.called_off.last, self._wishes_elsewhere),
        )
        if is_due:
            self._saved = state
        self._is_stored = True

    def _scope(self, touched: Touched) -> Touched:
        """Return the touched rows and their dependents, without accounts that the engine does not use."""
        if touched.everything:
            return touched
        serving = {queue_id for queue_id, agent_ids in self._queues.items() if agent_ids & touched.agents}
        answered = {did_id for did_id, campaign_id in self._dids.items() if campaign_id in touched.campaigns}
        return structs.replace(
            touched,
            accounts=touched.accounts & self.engine.engine_state.accounts.keys(),
            queues=touched.queues | serving,
            dids=touched.dids | answered,
        )

    def _read(self, connection: Connection, scope: Touched, *, is_now: bool = False) -> LoadedRows:
        """Read rows for the engine. With `is_now`, it has done everything that was due before, as a new one has."""
        now_ms = self.kernel.now_ms
        world = self._loader.world(connection, now_ms, scope, with_past=self._is_new)
        ids, looked_for = [opened.plan.id for opened in world.campaigns], None if scope.everything else scope.campaigns
        if self._collection.follow(connection, ids, looked_for, now_ms):
            world = self._loader.world(connection, now_ms, scope, with_past=self._is_new)
        gateways = self._coordinator.lent(connection, world.gateways)
        world = world._replace(gateways=gateways if is_now or self._is_new else self._not_more(gateways))
        self._is_new = False
        names = self.switchboard.leg_names
        if names.service_key is None and not all(gateway.plan.is_simulated for gateway in world.gateways):
            names.service_key = service_leg_key(connection)
        return world.without(self._quarantine.users)

    def _report_unreadable(self, unreadable: Unreadable, scope: Touched) -> None:
        """Log each row that cannot be read, once. Its record is left out, and everything else continues."""
        for (table, row_id), reason in unreadable.items():
            if (table, row_id) not in self._unreadable:
                _log.error("row_unreadable", table=table, id=row_id, reason=reason)
        looked_for = {("campaign", campaign_id) for campaign_id in scope.campaigns}
        elsewhere = frozenset() if scope.everything else self._unreadable - looked_for
        self._unreadable = elsewhere | unreadable.keys()

    def _apply(self, world: LoadedRows, scope: Touched, restore: Connection | None = None) -> None:
        """Apply the rows to the engine. With `restore`, also restore what was in progress before."""
        kernel = self.kernel
        self._report_unreadable(world.unreadable, scope)
        self._guard.take_rows(world, scope)
        for account in world.accounts:
            self._follow_events(account)
            kernel.apply(account)
        self._may_have_texts |= scope.everything or bool(scope.gateways)
        for gateway_id in _in_scope(self._parameters.keys(), scope, scope.gateways) - world.parameters.keys():
            self.switchboard.close_line(gateway_id)
        for gateway in world.gateways:
            self._open_gateway(gateway, world.parameters[gateway.plan.id])
        self._apply_floor(world, scope)
        if restore is not None:
            self._take_up(restore)
        closed = self._open_campaigns(scope) - {campaign.plan.id for campaign in world.campaigns}
        for campaign_id in sorted(closed | set(world.aborted)):
            kernel.apply(events.CampaignClosed(campaign_id))
        engine_events: list[events.Event] = [*world.campaigns, *map(events.CampaignRenewed, world.over)]
        for event in engine_events:
            kernel.apply(event)
        # Hang up calls last. Otherwise a campaign that is about to stop could take the capacity that they free.
        for campaign_id in world.aborted:
            kernel.apply(events.CampaignClosed(campaign_id, is_aborted=True))

    def _follow_events(self, account: events.AccountOpened) -> None:
        if account.keeps_events and self._account_events is None:
            self._account_events = AccountEventRows()
            self.journal.observe(self._account_events)
        if self._account_events is not None:
            self._account_events.follow(account.user_id, keeps_events=account.keeps_events)

    def _apply_floor(self, world: LoadedRows, scope: Touched) -> None:
        """Apply queues, agents and inbound numbers to the engine."""
        kernel = self.kernel
        queues = {queue.plan.id: frozenset(tier.agent_id for tier in queue.plan.tiers) for queue in world.queues}
        agents = {agent.plan.id for agent in world.agents}
        dids = {did.did_id: None if did.plan is None else did.plan.id for did in world.dids}
        gone_queues = _in_scope(self._queues.keys(), scope, scope.queues) - queues.keys()
        gone_agents = _in_scope(self._agents, scope, scope.agents) - agents
        gone_dids = _in_scope(self._dids.keys(), scope, scope.dids) - dids.keys()
        engine_events: list[events.Event] = [
            *map(events.QueueClosed, sorted(gone_queues)),
            *map(events.AgentClosed, sorted(gone_agents)),
            *map(events.DidClosed, sorted(gone_dids)),
            *world.agents,
            *world.queues,
            *world.dids,
        ]
        for event in engine_events:
            kernel.apply(event)
        for queue_id in gone_queues:
            del self._queues[queue_id]
        for did_id in gone_dids:
            del self._dids[did_id]
        self._queues |= queues
        self._agents -= gone_agents
        self._agents |= agents
        self._dids |= dids

    def _open_campaigns(self, scope: Touched) -> set[int]:
        """Return the open campaigns that an update looked for."""
        campaigns = self.engine.engine_state.campaigns
        looked_for = _in_scope(campaigns.keys(), scope, scope.campaigns)
        return {campaign_id for campaign_id in looked_for if campaigns[campaign_id].status in ACTIVE}

    def _take_up(self, connection: Connection) -> None:
        odd: Unreadable = {}
        attempts = recovery.attempts_in_progress(connection, self._loader, self._seed, odd)
        calls = [call for call in attempts if not self._quarantine.has(call)]
        waiting = recovery.waiting_texts(connection, self._loader, odd)
        shards = self._loader.shards
        legs = legs_of(connection, [call.id for call in calls], odd)
        self.switchboard.load(legs, leaving_legs(connection, shards, odd))
        self._report_unreadable(odd, NOTHING)
        over_lines = {leg.call_id for leg in legs}
        for call in calls:
            call.is_over_line = call.id in over_lines
            if call.plan.gateway_id not in self._parameters:
                # The call was placed over a gateway that was deleted since. It still needs a gateway to end.
                self._open_gateway(events.GatewayOpened(GatewayPlan(call.plan.gateway_id)), "{}")
            if call.parameters is not None and not call.is_over_line:
                settings = self._parameters[call.plan.gateway_id]
                call.parameters = settings._replace(parameters=call.parameters).simulated()
        self.taken_up |= recovery.take_up(
            connection,
            self.kernel,
            self.journal,
            calls,
            [message for message in waiting if not self._quarantine.has(message)],
            shards=shards,
            done_until_ms=self._coordinator.done_until_ms,
        )

    def _open_gateway(self, opened: events.GatewayOpened, parameters: str) -> None:
        gateway_id, settings = opened.plan.id, LineSettings(opened.plan.protocol, parameters)
        if self._parameters.get(gateway_id) != settings:
            self._parameters[gateway_id] = settings
            self._open_carrier(gateway_id, settings)
        self.kernel.apply(opened)
        if gateway_id not in self.switchboard.settings and self._lines.pop(gateway_id, ""):
            self.kernel.apply(events.LineFound(gateway_id))

    def _open_carrier(self, gateway_id: GatewayKey, settings: LineSettings) -> None:
        """Open the carrier of a gateway. With parameters that cannot be read, it has none, and dials nothing."""
        if not (settings.is_simulated or self._simulates_all):
            self.switchboard.open_line(gateway_id, settings)
            return
        try:
            self._router.open_gateway(gateway_id, settings.simulated())
        except UNREADABLE as error:
            _log.error("gateway_unreadable", **gateway_id.columns(), reason=str(error))
            self.switchboard.open_line(gateway_id, LineSettings(UNREADABLE_PROTOCOL, settings.parameters))


def _in_scope(open_ids: AbstractSet[Key], scope: Touched, looked_for: frozenset[Key]) -> AbstractSet[Key]:
    """Return the known records that the update looked for. Those of them without a row are gone."""
    return open_ids if scope.everything else open_ids & looked_for
