"""The live engine: an engine with its kernel, carriers and journal, built from the rows and told what changes in them.

It is told only of what was touched since it was told last, so that a change costs the same however much else is open.
What it tells the engine leaves alone whatever was not touched, such as the hoppers of other campaigns.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

import structlog
from msgspec import structs
from sqlalchemy import Connection

from dialer.carriers.port import Line
from dialer.domain import events
from dialer.domain.board import ACTIVE
from dialer.domain.engine import Engine
from dialer.domain.plans import GatewayPlan
from dialer.runtime import recovery
from dialer.runtime.clock import Clock, RealClock, VirtualClock
from dialer.runtime.guard import Guard
from dialer.runtime.kernel import CampaignStore, Kernel
from dialer.runtime.quarantine import Aside
from dialer.runtime.tally import StepTally
from dialer.store.collecting import collect_campaign, has_uncollected
from dialer.store.journal.journal import JournalStore, Recordings
from dialer.store.queries.loading import LoadedRows, Loader
from dialer.store.service_state import State, open_state, save_state
from dialer.store.touched import EVERYTHING, NOTHING, Touched

EVENTS_PER_STEP: Final = 4_000
"""Events that one commit covers: some tens of milliseconds, for which other writers wait."""
SAVE_AFTER_MS: Final = 1_000
"""How far the stored clock may lag behind a clock that goes by itself."""
LAG_MS_MAX: Final = 1_000
"""A worker on the real clock that comes later than this goes on from now: it does not catch up what it missed."""

_log = structlog.get_logger(__name__)

NewLine = Callable[[int], Line]
"""Makes the carriers behind the gateways, from the service's seed."""
NewKernel = Callable[[Engine, Line, CampaignStore, int], Kernel]
"""Makes the kernel that drives an engine: it stands at a moment in milliseconds since the epoch."""


class LiveEngine:
    """An engine with all that it needs, thrown away when a commit fails."""

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        *,
        seed: int,
        service_zone: str,
        new_line: NewLine,
        recordings: Recordings | None,
        new_kernel: NewKernel,
        aside: Aside,
    ) -> None:
        state = open_state(connection, clock.now_ms())
        now_ms = max(state.now_ms, clock.now_ms())
        self._clock: Final = clock
        self._seed: Final = seed
        self._loader: Final = Loader(service_zone=service_zone)
        self._carrier: Final = new_line(seed)
        self._parameters: dict[int, str] = {}
        self._queues: dict[int, frozenset[int]] = {}
        """The agents who serve each queue."""
        self._agents: set[int] = set()
        self._dids: dict[int, int | None] = {}
        """The campaign that answers each number that others call."""
        self._is_new = True
        self._aside: Final = aside
        self.tally: Final = StepTally()
        self._guard: Final = Guard()
        self.journal: Final = JournalStore(
            next_cdr_id=state.last_cdr_id + 1, recordings=recordings, observers=(self._guard, self.tally)
        )
        self.journal.begin(connection)
        self._saved = state
        self._is_stored = False
        """Whether nothing has happened since the clock's position was stored last."""
        self._uncollected: frozenset[int] = frozenset()
        """Campaigns whose phonebooks are not collected to their end."""
        self.engine: Final = Engine(seed=seed, first_call_id=state.last_callrequest_id + 1)
        self.kernel: Final = new_kernel(self.engine, self._carrier, self.journal, now_ms)
        self._unreadable: frozenset[int] = frozenset()
        world = self._read(connection, EVERYTHING)
        self.taken_up = {"campaigns": len(world.campaigns)}
        """How much of each the rows had."""
        self._apply(world, EVERYTHING, restore=connection)

    @property
    def has_more_to_collect(self) -> bool:
        """Whether there are phonebooks that are not collected to their end."""
        return bool(self._uncollected)

    def refresh(self, connection: Connection, touched: Touched) -> None:
        """Tell the engine how what was touched stands now, and collect more where there is more to collect."""
        touched |= Touched(campaigns=self._uncollected)
        if touched != NOTHING:
            self._is_stored = False
            self.journal.begin(connection)
            scope = self._scope(touched)
            self._apply(self._read(connection, scope), scope)

    def step(self, connection: Connection, until_ms: int) -> bool:
        """Let happen what is due, write it, and say whether all of it was done."""
        self.journal.begin(connection)
        if not isinstance(self._clock, VirtualClock):  # It may have been put back meanwhile.
            until_ms = min(until_ms, self._clock.now_ms())
        until_ms = max(self.kernel.now_ms, until_ms)
        if isinstance(self._clock, RealClock) and self._lag_ms(until_ms) > LAG_MS_MAX:
            self.kernel.now_ms = until_ms
        due_ms = self.kernel.next_due_ms
        self._is_stored = self._is_stored and (due_ms is None or due_ms > until_ms)
        is_done = self.kernel.run(until_ms, EVENTS_PER_STEP)
        self.journal.close_step(self.engine.board)
        self._save(connection)
        return is_done

    def _lag_ms(self, now_ms: int) -> int:
        """How late what is due next is already; not above zero if it is not."""
        due_ms = self.kernel.next_due_ms
        return 0 if due_ms is None else now_ms - due_ms

    def _save(self, connection: Connection) -> None:
        """Remember how far it has come; where only time has passed by itself, once a second is enough.

        After a restart nothing happens again that had happened by then, even if no row tells of it.
        """
        state = State(self.kernel.now_ms, self.engine.next_call_id - 1, self.journal.next_cdr_id - 1)
        is_soon = self._is_stored and state.now_ms - self._saved.now_ms < SAVE_AFTER_MS
        if state != self._saved and (isinstance(self._clock, VirtualClock) or not is_soon):
            save_state(connection, state)
            self._saved = state
        self._is_stored = True

    def _scope(self, touched: Touched) -> Touched:
        """Add what depends on what was touched, and leave out the accounts that the engine has no use for."""
        if touched.everything:
            return touched
        serving = {queue_id for queue_id, agent_ids in self._queues.items() if agent_ids & touched.agents}
        answered = {did_id for did_id, campaign_id in self._dids.items() if campaign_id in touched.campaigns}
        return structs.replace(
            touched,
            accounts=touched.accounts & self.engine.board.accounts.keys(),
            queues=touched.queues | serving,
            dids=touched.dids | answered,
        )

    def _read(self, connection: Connection, scope: Touched) -> LoadedRows:
        world = self._loader.world(connection, self.kernel.now_ms, scope, with_past=self._is_new)
        uncollected = [one.plan.id for one in world.campaigns if has_uncollected(connection, one.plan.id)]
        now_ms = self.kernel.now_ms
        more = {one for one in uncollected if not collect_campaign(connection, one, now_ms)}
        if uncollected:
            world = self._loader.world(connection, now_ms, scope, with_past=self._is_new)
        elsewhere = frozenset() if scope.everything else self._uncollected - scope.campaigns
        self._uncollected = elsewhere | more
        self._is_new = False
        return _without(world, self._aside.users)

    def _report_unreadable(self, world: LoadedRows, scope: Touched) -> None:
        """A campaign nobody can make sense of stands still, loudly; it does not hold up the others."""
        for campaign_id, reason in world.unreadable.items():
            if campaign_id not in self._unreadable:
                _log.error("campaign_unreadable", campaign_id=campaign_id, reason=reason)
        elsewhere = frozenset() if scope.everything else self._unreadable - scope.campaigns
        self._unreadable = elsewhere | world.unreadable.keys()

    def _apply(self, world: LoadedRows, scope: Touched, restore: Connection | None = None) -> None:
        """Tell the engine what was read; with `restore`, also what was in progress before it was made."""
        kernel = self.kernel
        self._report_unreadable(world, scope)
        self._guard.told(self._with_untouched(world, scope))
        for account in world.accounts:
            kernel.apply(account)
        for gateway in world.gateways:
            self._open_gateway(gateway, world.parameters[gateway.plan.id])
        self._apply_floor(world, scope)
        if restore is not None:
            self._take_up(restore)
        closed = _in_scope(self._open_campaigns(), scope, scope.campaigns) - {one.plan.id for one in world.campaigns}
        for campaign_id in sorted(closed | set(world.aborted)):
            kernel.apply(events.CampaignClosed(campaign_id))
        told: list[events.Event] = [*world.campaigns, *map(events.CampaignRenewed, world.over)]
        for one in told:
            kernel.apply(one)
        # Calls are hung up last: what comes free must not be taken by a campaign that has not been told to stop.
        for campaign_id in world.aborted:
            kernel.apply(events.CampaignClosed(campaign_id, is_aborted=True))

    def _apply_floor(self, world: LoadedRows, scope: Touched) -> None:
        """Tell the engine of queues, agents and the numbers that others call."""
        kernel = self.kernel
        queues = {one.plan.id: frozenset(tier.agent_id for tier in one.plan.tiers) for one in world.queues}
        agents = {one.plan.id for one in world.agents}
        dids = {one.did_id: None if one.plan is None else one.plan.id for one in world.dids}
        gone_queues = _in_scope(self._queues.keys(), scope, scope.queues) - queues.keys()
        gone_agents = _in_scope(self._agents, scope, scope.agents) - agents
        gone_dids = _in_scope(self._dids.keys(), scope, scope.dids) - dids.keys()
        told: list[events.Event] = [
            *map(events.QueueClosed, sorted(gone_queues)),
            *map(events.AgentClosed, sorted(gone_agents)),
            *map(events.DidClosed, sorted(gone_dids)),
            *world.agents,
            *world.queues,
            *world.dids,
        ]
        for one in told:
            kernel.apply(one)
        self._queues = {one: served for one, served in self._queues.items() if one not in gone_queues} | queues
        self._agents = self._agents - gone_agents | agents
        self._dids = {one: played for one, played in self._dids.items() if one not in gone_dids} | dids

    def _open_campaigns(self) -> set[int]:
        return {one for one, campaign in self.engine.board.campaigns.items() if campaign.status in ACTIVE}

    def _with_untouched(self, world: LoadedRows, scope: Touched) -> LoadedRows:
        """Add the open campaigns that were not read, as the engine knows them: the guard is told of all."""
        if scope.everything:
            return world
        known = self.engine.board.campaigns
        untouched = [
            events.CampaignOpened(known[one].plan, known[one].status, known[one].next_dial_us, ())
            for one in self._open_campaigns() - scope.campaigns
        ]
        return world._replace(campaigns=[*world.campaigns, *untouched])

    def _take_up(self, connection: Connection) -> None:
        found = recovery.attempts_in_progress(connection, self._loader, self._seed)
        calls = [call for call in found if not self._aside.has(call)]
        for call in calls:
            if call.plan.gateway_id not in self._parameters:
                # The campaign has moved to another gateway, and this one was deleted: the call still has to end.
                self._open_gateway(events.GatewayOpened(GatewayPlan(call.plan.gateway_id)), "{}")
        self.taken_up |= recovery.take_up(connection, self.kernel, self.journal, calls, self._saved.now_ms)

    def _open_gateway(self, opened: events.GatewayOpened, parameters: str) -> None:
        if self._parameters.get(opened.plan.id) != parameters:
            self._carrier.open_gateway(opened.plan.id, parameters)
            self._parameters[opened.plan.id] = parameters
        self.kernel.apply(opened)


def _in_scope(known: AbstractSet[int], scope: Touched, looked_for: frozenset[int]) -> AbstractSet[int]:
    """Return those of the known records that were looked for: gone are those of them that were not found."""
    return known if scope.everything else known & looked_for


def _without(world: LoadedRows, user_ids: set[int]) -> LoadedRows:
    """Return the world as if some users had no campaigns."""
    if not user_ids:
        return world
    return world._replace(
        campaigns=[one for one in world.campaigns if one.plan.user_id not in user_ids],
        dids=[one for one in world.dids if one.user_id not in user_ids],
    )
