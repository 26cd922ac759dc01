"""The stage of a forecast: everything that the runs of a campaign's copy share, read from its rows once."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, func, select

from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.call_events import CallArrived
from dialer.domain.calls.contact_rules import MadeContact, RuledCampaign
from dialer.domain.calls.identity import leg_uuid
from dialer.domain.calls.plans import Call
from dialer.domain.calls.plans import Subscriber as Callee
from dialer.domain.queueing.plans import QueuePlan
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.states import OPEN_SUBSCRIBERS
from dialer.forecast.parameters import Order
from dialer.runtime.steps.recovery import attempts_in_progress, waiting_texts
from dialer.sim.memory_store import CampaignPeople
from dialer.store.database.service_state import open_state
from dialer.store.queries.do_not_call import is_hashed
from dialer.store.queries.load_engine import ZONES_MAX, LoadedRows, Loader, pending_zones
from dialer.store.queries.queues import call_backs_of
from dialer.store.rows.joining.contact_collection import collect_campaign, has_uncollected
from dialer.store.tables import Campaign, DncContact, ServiceState, Subscriber

_PERSON: Final = {
    "id": Subscriber.id,
    "number": Subscriber.number,
    "zone": Subscriber.zone,
    "contact_id": Subscriber.contact_id,
    "attempts": Subscriber.count_attempt,
    "failures": Subscriber.failure_count,
    "completions": Subscriber.completion_count,
    "skips": Subscriber.skip_count,
    "due_ms": Subscriber.due_ms,
    "full_name": Subscriber.full_name,
    "additional_vars": Subscriber.additional_vars,
    "phonebook_id": Subscriber.phonebook_id,
    "promised_agent_id": Subscriber.promised_agent_id,
    "promised_until_ms": Subscriber.promised_until_ms,
    "abandoned": Subscriber.abandoned_count,
}
"""The fields of a subscriber that a run needs, with their columns."""


History = Mapping[str, Sequence[MadeContact]]
"""The contacts that were made with numbers before a forecast."""
NO_HISTORY: Final[History] = MappingProxyType({})


class Opening(NamedTuple):
    """The campaign as the engine reads it after a portion of its contacts is collected."""

    last_id: int
    """The id of the last subscriber who exists by then."""
    zones: tuple[str, ...]


class ForecastStage(NamedTuple):
    """A campaign as it is when its forecast begins, the same for all seeds."""

    campaign_id: int
    now_ms: int
    expires_ms: int
    subscribers: int
    """The number of subscribers, as the campaign shows it."""
    done_until_ms: int
    """The moment up to which the events of calls in progress are on record."""
    first_call_id: int
    world: LoadedRows
    openings: tuple[Opening, ...]
    people: CampaignPeople
    listed: frozenset[str]
    """The numbers on the do-not-call lists of the campaign, plain and hashed."""
    number_key: bytes | None
    """The key of the hashes; None if none of the numbers is hashed."""
    attempts: tuple[Call, ...]
    """Calls and messages in progress, with the `callid`s of transfers as under any seed (`attempts_of_seed`)."""
    waiting: tuple[Call, ...]
    """Text messages that wait for room on their gateway."""
    call_backs: tuple[tuple[int, CallArrived], ...]
    service_seed: int | None = None
    """The seed under which the calls in progress were placed; None: that of each run."""
    history: History = NO_HISTORY
    """The contacts that were made with the people, as far as rules may count them."""

    @property
    def ruled(self) -> RuledCampaign | None:
        """The contact rules that bind the campaign in the runs; None without any."""
        plans = (opened.plan for opened in self.world.campaigns if opened.plan.id == self.campaign_id)
        ruled = next((plan.ruled for plan in plans), None)
        return ruled if ruled is not None and ruled.rules else None

    @property
    def obeys_hours(self) -> bool:
        """True if the calling hours hold for the campaign: its gateway is real, or they are to be obeyed anyway."""
        gateways = {campaign.plan.gateway_id for campaign in self.world.campaigns}
        return any(opened.plan.id in gateways and opened.plan.hours is not None for opened in self.world.gateways)

    @property
    def queues(self) -> list[QueuePlan]:
        """The queues that the campaign's calls can reach. Others, also those of other accounts, do not concern it."""
        plans = (*(campaign.plan for campaign in self.world.campaigns), *self.world.over)
        ids = frozenset().union(*(plan.flow.queue_ids for plan in plans))
        return [opened.plan for opened in self.world.queues if opened.plan.id in ids]

    def past_seed(self, seed: int) -> int:
        """Return the seed of the calls in progress in a run under `seed`: no seed of the future changes their past."""
        return seed if self.service_seed is None else self.service_seed

    def attempts_of_seed(self, seed: int) -> list[Call]:
        """Return the calls and messages in progress as a run may change them."""
        return [_of_seed(call, self.past_seed(seed)) for call in self.attempts]


def read_stage(connection: Connection, order: Order, history: History) -> ForecastStage:
    """Return the stage of the only campaign in a database, which is running. Its contacts become subscribers.

    `history` has the contacts that were made with its people, of which the database has no rows.
    """
    state = open_state(connection, order.now_ms)
    now_ms = max(state.now_ms, order.now_ms)
    loader = _loader(order, order.obey_calling_hours)
    is_readable = bool(loader.world(connection, now_ms, with_past=True).campaigns)
    openings = _collect(connection, order.campaign_id, now_ms) if is_readable else ()
    listed = frozenset(connection.scalars(select(DncContact.number)))
    has_hashes = connection.scalar(select(DncContact.id).where(is_hashed(DncContact.number)).limit(1)) is not None
    row = connection.execute(select(Campaign.expirationdate, Campaign.totalcontact)).one()
    world = loader.world(connection, now_ms, with_past=True)
    return ForecastStage(
        campaign_id=order.campaign_id,
        now_ms=now_ms,
        expires_ms=row.expirationdate,
        subscribers=row.totalcontact,
        done_until_ms=state.now_ms,
        first_call_id=state.last_callrequest_id + 1,
        world=world,
        openings=openings,
        people=_people(connection, order.campaign_id),
        listed=listed,
        number_key=connection.scalar(select(ServiceState.number_key)) if has_hashes else None,
        attempts=tuple(attempts_in_progress(connection, loader, 0, {})),
        waiting=tuple(waiting_texts(connection, loader, {})),
        call_backs=tuple(call_backs_of(connection, None)),
        service_seed=order.service_seed,
        history=history,
    )


def read_stage_again(
    connection: Connection, order: Order, stage: ForecastStage, *, obey_calling_hours: bool | None = None
) -> ForecastStage:
    """Return the stage after settings were changed in its database. The people, and the calls so far, are the same.

    `obey_calling_hours` says whether the calling hours hold for simulated gateways; None: as the order says.
    """
    loader = _loader(order, order.obey_calling_hours if obey_calling_hours is None else obey_calling_hours)
    return stage._replace(
        expires_ms=connection.execute(select(Campaign.expirationdate)).scalar_one(),
        world=loader.world(connection, stage.now_ms, with_past=True),
        attempts=tuple(attempts_in_progress(connection, loader, 0, {})),
        waiting=tuple(waiting_texts(connection, loader, {})),
        call_backs=tuple(call_backs_of(connection, None)),
    )


def _loader(order: Order, for_simulated: bool | None) -> Loader:  # noqa: FBT001 - three cases
    hours = read_calling_hours(order.calling_hours)
    if for_simulated is not None:
        hours = msgspec.structs.replace(hours, for_simulated=for_simulated)
    return Loader(order.service_zone, hours)


def _collect(connection: Connection, campaign_id: int, now_ms: int) -> tuple[Opening, ...]:
    """Turn all contacts into subscribers. The engine opens the campaign again after each portion."""
    openings = []
    has_more = True
    while has_more:
        has_more = has_uncollected(connection, campaign_id) and not collect_campaign(connection, campaign_id, now_ms)
        last_id = connection.scalar(select(func.max(Subscriber.id)).where(Subscriber.campaign_id == campaign_id))
        openings.append(Opening(last_id or 0, pending_zones(connection, campaign_id, ZONES_MAX)))
    return tuple(openings)


def _people(connection: Connection, campaign_id: int) -> CampaignPeople:
    fresh: dict[str, list[Callee]] = {}
    retries: list[Callee] = []
    pending: list[int] = []
    halted: list[int] = []
    size = still_open = 0
    of_campaign = (
        select(Subscriber.status, Subscriber.halt_reason, *_PERSON.values())
        .where(Subscriber.campaign_id == campaign_id)
        .order_by(Subscriber.id)
    )
    for status, halt_reason, *fields in connection.execute(of_campaign):
        size += 1
        still_open += status in OPEN_SUBSCRIBERS
        if status == SubscriberStatus.PENDING:
            person = Callee(**dict(zip(_PERSON, fields, strict=True)))
            pending.append(person.id)
            if person.due_ms:
                retries.append(person)
            else:
                fresh.setdefault(person.zone, []).append(person)
        elif halt_reason:
            halted.append(fields[0])
    return CampaignPeople(size, still_open, fresh, retries, frozenset(pending), frozenset(halted))


def _of_seed(call: Call, seed: int) -> Call:
    transfers = tuple(
        msgspec.structs.replace(
            each,
            callid=leg_uuid(seed, call.plan.id, call.subscriber.id, call.attempt, call.id, each.place + 1),
            offers=dict(each.offers),
        )
        for each in call.transfers
    )
    return msgspec.structs.replace(call, subscriber=msgspec.structs.replace(call.subscriber), transfers=transfers)
