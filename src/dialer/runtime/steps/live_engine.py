"""Live engine: an engine with its kernel, carriers and journal, built from the rows and kept up to date.

The engine is updated only about rows that were touched since the last update. So the cost of a change does not depend
on other open campaigns. An update leaves the state of everything else alone, such as the hoppers of other campaigns.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import structlog
from sqlalchemy import Connection

from dialer.domain.calls import campaign_events, events
from dialer.domain.calls.plans import GatewayKey, Lent
from dialer.domain.engine.engine import Engine
from dialer.domain.engine.state import ACTIVE
from dialer.runtime.lines.call_router import CallRouter
from dialer.runtime.lines.incoming_texts import tell_sound, tell_stored
from dialer.runtime.lines.line_reports import LineReport
from dialer.runtime.lines.listener import Listener
from dialer.runtime.lines.suspect_reports import EVERYTHING_AT_ONCE, Allowance
from dialer.runtime.lines.switchboard import Switchboard
from dialer.runtime.steps import recovery
from dialer.runtime.steps.clock import RealClock, VirtualClock
from dialer.runtime.steps.contact_collection import Collection
from dialer.runtime.steps.coordinator import Wishes
from dialer.runtime.steps.dial_counters import StepCounters
from dialer.runtime.steps.engine_parts import EngineParts
from dialer.runtime.steps.engine_rows import EngineRows, in_scope
from dialer.runtime.steps.guard import Guard
from dialer.runtime.steps.larger_slices import LargerSlices
from dialer.runtime.steps.open_floor import OpenFloor
from dialer.runtime.steps.open_gateways import OpenGateways
from dialer.runtime.steps.step_extent import EVENTS_PER_STEP
from dialer.store.database.service_state import State
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched
from dialer.store.journal.account_events import AccountEventRows
from dialer.store.journal.journal import JournalStore
from dialer.store.queries.load_engine import LoadedRows
from dialer.store.queries.readable_rows import Unreadable
from dialer.store.rows.live_legs import leaving_legs, legs_of
from dialer.store.rows.set_aside_reports import known_reports

SAVE_AFTER_MS: Final = 1_000
"""Maximum lag of the stored time behind a clock that runs by itself."""
NO_LINES: Final[Mapping[GatewayKey, str]] = MappingProxyType({})
LAG_MS_MAX: Final = 1_000
"""Maximum lag behind the real clock. A worker that lags more skips to the present instead of catching up."""

_log = structlog.get_logger(__name__)


class LiveEngine:
    """An engine with its kernel, carrier, journal and guard. It is discarded when a commit fails."""

    _account_events: AccountEventRows | None = None
    """None until an account keeps events: the events of others cost nothing."""
    _wishes_elsewhere = 0
    _may_have_texts = True
    """True after a change of gateways: a text message may wait although no gateway needs a line any more."""

    def __init__(self, connection: Connection, parts: EngineParts) -> None:
        clock, coordinator = parts.clock, parts.coordinator
        state = coordinator.open_state(connection, clock.now_ms())
        now_ms = max(state.now_ms, clock.now_ms())
        self._clock: Final = clock
        self._seed: Final = parts.seed
        self._coordinator: Final = coordinator
        self._extent: Final = parts.extent
        self._quarantine: Final = parts.quarantine
        self.switchboard: Final = Switchboard(parts.turns_given)
        router = CallRouter(parts.new_carrier(parts.seed), self.switchboard)
        self.tally: Final = StepCounters()
        self._guard: Final = Guard()
        self.journal: Final = JournalStore(
            next_cdr_id=state.last_cdr_id + 1,
            recordings=parts.recordings,
            observers=(self._guard, self.tally),
            shards=coordinator.shards,
            now_ms=lambda: self.kernel.now_ms,
        )
        self.journal.begin(connection)
        self.engine: Final = Engine(seed=parts.seed, first_call_id=state.last_callrequest_id + 1)
        self.kernel: Final = parts.new_kernel(self.engine, router, self.journal, now_ms)
        self._gateways: Final = OpenGateways(self.kernel, router, self.switchboard, simulates_all=parts.simulates_all)
        self._floor: Final = OpenFloor(self.kernel)
        self._larger: Final = LargerSlices(self.engine.engine_state.gateways)
        self._collection: Final = Collection(
            self.engine.engine_state.campaigns, self.journal.spent, clock_waits=isinstance(clock, VirtualClock)
        )
        self._rows: Final = EngineRows(parts, self.kernel, self._collection, self._larger, self.switchboard.leg_names)
        self.listener: Final = Listener(
            self.switchboard,
            self._rows.loader.shards,
            self._apply_heard,
            known_reports(connection, now_ms),
            tell_others=self._wish_elsewhere,
        )
        self.reports_given = 0
        """Number of things heard of which the last step has told the engine."""
        self._saved = state
        self._is_stored = False
        """True if nothing has happened since the time was stored last."""
        self.taken_up = {"campaigns": 0}
        """Number of records restored at the start, by kind."""

    def build(self, connection: Connection) -> None:
        """Read all rows, and restore the attempts in progress. After a failure, discard the engine."""
        world = self._rows.read(connection, EVERYTHING)
        self.taken_up = {"campaigns": len(world.campaigns)}
        self._apply(world, EVERYTHING, restore=connection)

    @property
    def collects_in_s(self) -> float | None:
        """Seconds until a running clock collects more contacts; None if all are subscribers."""
        return self._collection.rest_s

    def refresh(self, connection: Connection, touched: Touched) -> None:
        """Update the engine about touched rows, and collect another portion of contacts."""
        grown = self._collection.begin(connection, self.kernel.now_ms)
        self._is_stored = self._is_stored and self.collects_in_s is None
        if touched != NOTHING:
            self._extent.changed()
        touched |= Touched(campaigns=grown)
        if touched != NOTHING:
            self._is_stored = False
            self.journal.begin(connection)
            scope = self._floor.scope(touched, self.engine.engine_state.accounts.keys())
            self._apply(self._rows.read(connection, scope), scope)

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
        elif self.collects_in_s is not None:  # Time would pass for people who are not collected yet.
            until_ms = self.kernel.now_ms
        until_ms = max(self.kernel.now_ms, until_ms)
        if isinstance(self._clock, RealClock) and self.late_ms(until_ms) > LAG_MS_MAX:
            self.kernel.now_ms = until_ms
        self._gateways.follow_lines(lines, self._apply_heard)
        for event in self.switchboard.follow_up(self.kernel.now_ms):
            self._apply_heard(event)
        is_due = self.kernel.next_due_ms is not None and self.late_ms(until_ms) >= 0
        self._is_stored = self._is_stored and not is_due
        is_done = self._use_more(connection, until_ms, events_max)
        self.reports_given = 0
        if is_done and (reports or self.switchboard.settings or self._may_have_texts):
            self._may_have_texts = False
            self._tell(connection, reports, allowance)
            is_done = self.kernel.run(until_ms, events_max)
        acts_alone = self._coordinator.is_alone and not self.switchboard.settings
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
        self._larger.keys |= self._coordinator.take_lent()
        if is_done and self._larger.keys:
            now_ms = max(until_ms, self._clock.now_ms())
            is_done = self.kernel.run(now_ms, events_max)
            if is_done:
                self._is_stored = False
                scope = Touched(gateways=self._larger.take())
                self._apply(self._rows.read(connection, scope, is_now=True), scope)
                is_done = self.kernel.run(now_ms, events_max)
        return is_done

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

    def _apply(self, world: LoadedRows, scope: Touched, restore: Connection | None = None) -> None:
        """Apply the rows to the engine. With `restore`, also restore what was in progress before."""
        kernel = self.kernel
        self._rows.report_unreadable(world.unreadable, scope)
        self._guard.take_rows(world, scope)
        for account in world.accounts:
            self._follow_events(account)
            kernel.apply(account)
        self._may_have_texts |= scope.everything or bool(scope.gateways)
        self._gateways.apply(world, scope)
        self._floor.apply(world, scope)
        if restore is not None:
            self._take_up(restore)
        closed = self._open_campaigns(scope) - {campaign.plan.id for campaign in world.campaigns}
        for campaign_id in sorted(closed | set(world.aborted)):
            self.journal.contacts.forget(campaign_id)
            kernel.apply(campaign_events.CampaignClosed(campaign_id))
        renewed = [campaign_events.CampaignRenewed(plan, world.over_figures.get(plan.id)) for plan in world.over]
        for opened in world.campaigns:
            self.journal.contacts.follow(opened.plan)
        engine_events: list[events.Event] = [*world.call_backs, *world.recordings, *world.campaigns, *renewed]
        for event in engine_events:
            kernel.apply(event)
        # Hang up calls last. Otherwise a campaign that is about to stop could take the capacity that they free.
        for campaign_id in world.aborted:
            kernel.apply(campaign_events.CampaignClosed(campaign_id, is_aborted=True))

    def _follow_events(self, account: campaign_events.AccountOpened) -> None:
        if account.keeps_events and self._account_events is None:
            self._account_events = AccountEventRows()
            self.journal.observe(self._account_events)
        if self._account_events is not None:
            self._account_events.follow(account.user_id, keeps_events=account.keeps_events)

    def _open_campaigns(self, scope: Touched) -> set[int]:
        """Return the open campaigns that an update looked for."""
        campaigns = self.engine.engine_state.campaigns
        looked_for = in_scope(campaigns.keys(), scope, scope.campaigns)
        return {campaign_id for campaign_id in looked_for if campaigns[campaign_id].status in ACTIVE}

    def _take_up(self, connection: Connection) -> None:
        odd: Unreadable = {}
        attempts = recovery.attempts_in_progress(connection, self._rows.loader, self._seed, odd)
        calls = [call for call in attempts if not self._quarantine.has(call)]
        waiting = recovery.waiting_texts(connection, self._rows.loader, odd)
        shards = self._rows.loader.shards
        legs = legs_of(connection, [call.id for call in calls], odd)
        self.switchboard.load(legs, leaving_legs(connection, shards, odd))
        self._rows.report_unreadable(odd, NOTHING)
        over_lines = {leg.call_id for leg in legs}
        for call in calls:
            call.is_over_line = call.id in over_lines
            self._gateways.open_unknown(call.plan.gateway_id)
            if call.parameters is not None and not call.is_over_line:
                settings = self._gateways.settings[call.plan.gateway_id]
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
