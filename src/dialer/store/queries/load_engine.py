"""Loading: it reads accounts, gateways, campaigns, queues, agents and DIDs for the engine."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import time
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, Select, bindparam, func, or_, select, true

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calls.agent_access import NO_ACCESS
from dialer.domain.calls.agent_events import AgentOpened, QueueOpened
from dialer.domain.calls.call_events import DidOpened, OutcomeSaid, RecordingOrdered
from dialer.domain.calls.call_recording import RecordingPlan, recording_plan
from dialer.domain.calls.campaign_events import AccountOpened, CampaignOpened, GatewayOpened
from dialer.domain.calls.contact_rules import RuledCampaign
from dialer.domain.calls.plan_parts import CallerIdChoice
from dialer.domain.calls.plan_settings import settings_by_name
from dialer.domain.calls.plans import CampaignPlan, GatewayKey, amd_of
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.pacing.inputs import FIRST_ANSWERS, PacingFigures
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.sections.table import converses
from dialer.domain.survey.survey import Prompt, decode_survey
from dialer.domain.words.enums import AmdBehavior, CampaignStatus, SubscriberStatus
from dialer.domain.words.voices import AS_SET, ChosenVoice
from dialer.store.database.touched import EVERYTHING, Touched
from dialer.store.queries.agent_access import agent_access
from dialer.store.queries.calls_in_progress import busy_campaigns, gateway_of, gateways_of, sms_gateway_of
from dialer.store.queries.contact_rules import IS_RULED, ruled_campaigns
from dialer.store.queries.destinations import destinations_of
from dialer.store.queries.do_not_call import lists_of, names_of
from dialer.store.queries.hold_sounds import hold_sounds
from dialer.store.queries.ordered_recordings import ordered_recordings, recorded_queues
from dialer.store.queries.queues import agents_of, queues_of
from dialer.store.queries.rates import RateCards
from dialer.store.queries.readable_rows import UNREADABLE, Unreadable, check_types, readable
from dialer.store.queries.regions import OWN_OR_SERVICES, of_account
from dialer.store.queries.said_call_backs import said_call_backs
from dialer.store.queries.sealed_surveys import recording
from dialer.store.queries.selection import OwnedRows, Selection, Shards
from dialer.store.queries.shown_numbers import shown_form
from dialer.store.tables import SMS, CallerId, Campaign, Did, SealedSurvey, Subscriber, User

ZONES_MAX: Final = 10_000
"""Maximum number of zone keys of a campaign; there are a few hundred zones."""
FLOWS_KEPT_MAX: Final = 10_000
"""Maximum number of call flows in memory, including those of campaigns that ended since the last full read."""

_LIVE: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
# Statements are built once, as building one takes longer than running it.
_LIVE_CAMPAIGNS: Final = Selection(
    select(Campaign.__table__, IS_RULED).where(Campaign.status.in_(_LIVE)).order_by(Campaign.id),
    Campaign.id,
    Campaign.user_id,
)
_CAMPAIGNS: Final = Selection(select(Campaign.__table__).order_by(Campaign.id), Campaign.id)
_SURVEY: Final = select(SealedSurvey.document).where(SealedSurvey.id == bindparam("campaign"))
_DIDS: Final = (
    select(Did.__table__, of_account(Did.user_id).label("region")).where(Did.is_assigned == true()).order_by(Did.id)
)
_ALL_DIDS: Final = OwnedRows(_DIDS, Did.user_id)
_SOME_DIDS: Final = OwnedRows(
    _DIDS.where(
        or_(
            Did.id.in_(bindparam("dids", expanding=True)),
            Did.campaign_id.in_(bindparam("campaigns", expanding=True)),
        )
    ),
    Did.user_id,
)
_SEALED_CAMPAIGNS: Final = (
    select(Campaign.__table__)
    .join(SealedSurvey, SealedSurvey.id == Campaign.id)
    .where(Campaign.status != CampaignStatus.ABORT)
)
_ALL_PLAYABLE: Final = OwnedRows(_SEALED_CAMPAIGNS.where(Campaign.id.in_(select(Did.campaign_id))), Campaign.user_id)
_PLAYABLE: Final = Selection(_SEALED_CAMPAIGNS, Campaign.id)
_ACCOUNTS: Final = (
    select(
        User.id,
        User.balance,
        User.held,
        User.call_rate,
        User.sms_rate,
        User.rate_card_version,
        User.allowed_countries,
        User.allows_special,
        User.keeps_events,
        OWN_OR_SERVICES.label("region"),
    )
    .where(User.id.in_(bindparam("users", expanding=True)))
    .order_by(User.id)
)
_ABORTED: Final = (
    select(Campaign.id)
    .where(Campaign.id.in_(bindparam("campaigns", expanding=True)), Campaign.status == CampaignStatus.ABORT)
    .order_by(Campaign.id)
)
_CHOICES: Final = (
    select(CallerId.areacode, CallerId.callerid_num)
    .where(CallerId.callerid_group_id == bindparam("callerid_group"))
    .order_by(CallerId.id)
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _pending_zones() -> Select[Any]:
    """Return a query of the zone keys of a campaign's PENDING subscribers, which skips through the index."""
    first = select(func.min(Subscriber.zone).label("zone")).where(
        Subscriber.campaign_id == bindparam("campaign"), Subscriber.status == SubscriberStatus.PENDING
    )
    found = first.cte("found", recursive=True)
    following = first.where(Subscriber.zone > found.c.zone).correlate(found).scalar_subquery()
    found = found.union_all(select(following).where(found.c.zone.is_not(None)))
    return select(found.c.zone).where(found.c.zone.is_not(None)).limit(bindparam("most"))


_ZONES: Final = _pending_zones()


class LoadedRows(NamedTuple):
    """The records that were read, in the order in which the engine takes them."""

    accounts: list[AccountOpened]
    gateways: list[GatewayOpened]
    parameters: dict[GatewayKey, str]
    """Parameters of each gateway as JSON text, by its id."""
    campaigns: list[CampaignOpened]
    queues: list[QueueOpened]
    agents: list[AgentOpened]
    dids: list[DidOpened]
    call_backs: list[OutcomeSaid]
    """The outcomes of calls in progress, as their agents have said them."""
    recordings: list[RecordingOrdered]
    """The orders about the recordings of calls in progress."""
    over: list[CampaignPlan]
    """Campaigns that are neither running nor paused, and still have calls or messages in progress."""
    aborted: list[int]
    """Ids of campaigns that were aborted and still have calls or messages in progress."""
    unreadable: Unreadable
    """Reasons why records cannot be read, by table and id. They are left out; the others run."""
    over_figures: Mapping[int, PacingFigures] = {}
    """The measured figures of the campaigns in `over`, by id."""

    def without(self, user_ids: AbstractSet[int]) -> "LoadedRows":
        """Return the rows without the campaigns and inbound numbers of some users."""
        if not user_ids:
            return self
        return self._replace(
            campaigns=[campaign for campaign in self.campaigns if campaign.plan.user_id not in user_ids],
            dids=[did for did in self.dids if did.user_id not in user_ids],
        )


class _Scope:
    """Ids of the records to read; None stands for all."""

    def __init__(self, touched: Touched) -> None:
        is_all = touched.everything
        self.campaigns: Final = None if is_all else touched.campaigns
        self.gateways: Final = None if is_all else touched.gateways
        self.queues: Final = None if is_all else touched.queues
        self.agents: Final = None if is_all else touched.agents
        self.calls: Final = None if is_all else touched.calls


class Loader:
    """A reader of the rows that an engine needs. It keeps call flows, because a sealed survey never changes."""

    def __init__(self, service_zone: str, hours: CallingHours, shards: Shards = None) -> None:
        self.shards: Final = shards
        self._service_zone: Final = service_zone
        self._hours: Final = hours
        self._flows: dict[int, CallFlow] = {}
        self._cards: Final = RateCards()
        self._odd_users: AbstractSet[int] = frozenset()
        """Users whose account cannot be read. Their campaigns are left out."""

    def world(
        self, connection: Connection, now_ms: int, touched: Touched = EVERYTHING, *, with_past: bool = False
    ) -> LoadedRows:
        """Return the touched records as stored now, with the accounts that they concern.

        `with_past` also reads the callers who left queues early, which a new engine needs.
        """
        of = _Scope(touched)
        unreadable: Unreadable = {}
        campaigns = readable(
            _LIVE_CAMPAIGNS.rows(connection, of.campaigns, self.shards),
            Campaign.__table__,
            partial(self._campaign, connection),
            unreadable,
        )
        dids = self._dids(connection, touched, unreadable)
        open_ids = {one.plan.id for one in campaigns}
        touched_ids = None if of.campaigns is None else of.campaigns - open_ids
        busy = busy_campaigns(connection, touched_ids, self.shards)
        playable = [one.plan for one in dids if one.plan is not None]
        users = {one.plan.user_id for one in campaigns} | {plan.user_id for plan in playable} | set(busy.values())
        users |= {one.user_id for one in dids}  # Calls that nobody answers are events of the account, too.
        accounts = self._accounts(connection, users | touched.accounts, unreadable)
        if touched.everything:
            kept = open_ids | set(busy) | {plan.id for plan in playable}
            self._flows = {campaign_id: flow for campaign_id, flow in self._flows.items() if campaign_id in kept}
        over = self.plans_of(connection, set(busy) - open_ids)
        gateways = gateways_of(connection, now_ms, self._hours, of.gateways, unreadable)
        return LoadedRows(
            accounts=accounts,
            gateways=[one.opened for one in gateways],
            parameters={one.opened.plan.id: one.parameters for one in gateways},
            campaigns=[one for one in campaigns if one.plan.user_id not in self._odd_users],
            queues=queues_of(
                connection, now_ms, among=of.queues, with_past=with_past, shards=self.shards, unreadable=unreadable
            ),
            agents=agents_of(connection, of.agents, self.shards, unreadable),
            dids=[one for one in dids if one.user_id not in self._odd_users],
            call_backs=said_call_backs(connection, of.calls, self.shards, unreadable),
            recordings=ordered_recordings(connection, of.calls, self.shards, unreadable),
            over=over,
            aborted=_aborted(connection, list(busy)),
            unreadable=unreadable,
            over_figures=_figures_by_id(connection, [plan.id for plan in over]),
        )

    def _dids(self, connection: Connection, touched: Touched, unreadable: Unreadable) -> list[DidOpened]:
        """Return the touched DIDs, each with the campaign that answers it.

        A campaign that was never started has no survey to play. It answers no calls, and neither does an aborted one.
        """
        if touched.everything:
            dids = _ALL_DIDS.run(connection, self.shards).mappings().all()
            rows = _ALL_PLAYABLE.run(connection, self.shards).mappings().all() if dids else ()
        elif touched.dids or touched.campaigns:
            ids = {"dids": list(touched.dids), "campaigns": list(touched.campaigns)}
            dids = _SOME_DIDS.run(connection, self.shards, **ids).mappings().all()
            rows = _PLAYABLE.rows(connection, {did["campaign_id"] for did in dids} - {None})
        else:
            return []
        plans = {row["id"]: self._plan_or_none(connection, row) for row in rows}
        return readable(
            dids,
            Did.__table__,
            lambda did: _did(did, plans.get(did["campaign_id"])),
            unreadable,
        )

    def _accounts(
        self, connection: Connection, user_ids: AbstractSet[int], unreadable: Unreadable
    ) -> list[AccountOpened]:
        if not user_ids:
            return []
        rows = connection.execute(_ACCOUNTS, {"users": sorted(user_ids)}).mappings()
        found = readable(rows, User.__table__, partial(self._account, connection), unreadable)
        self._odd_users = (self._odd_users | user_ids) - {one.user_id for one in found}
        return found

    def _account(self, connection: Connection, row: RowMapping) -> AccountOpened:
        card = self._cards.card(connection, row["id"], row["rate_card_version"])
        destinations = destinations_of(row["allowed_countries"], allows_special=row["allows_special"])
        call_rate = Rate(row["call_rate"])
        money = row["balance"], row["held"], call_rate, row["sms_rate"]
        further = {"keeps_events": row["keeps_events"], "region": row["region"]}
        return AccountOpened(row["id"], *money, card, destinations, **further)

    def plans_of(self, connection: Connection, campaign_ids: AbstractSet[int]) -> list[CampaignPlan]:
        """Return the plans of campaigns in id order, without those that have unreadable rows."""
        plans = [self._plan_or_none(connection, row) for row in _CAMPAIGNS.rows(connection, campaign_ids)]
        return [plan for plan in plans if plan is not None and plan.user_id not in self._odd_users]

    def _plan_or_none(self, connection: Connection, row: RowMapping) -> CampaignPlan | None:
        try:
            return self._plan(connection, row)
        except UNREADABLE:
            return None

    def _campaign(self, connection: Connection, row: RowMapping) -> CampaignOpened:
        return CampaignOpened(
            plan=self._plan(connection, row),
            status=CampaignStatus(row["status"]),
            next_dial_us=row["next_dial_us"],
            zones=pending_zones(connection, row["id"], ZONES_MAX),
            figures=figures_of(row["pacing_figures"]),
            callerid_turns=msgspec.json.decode(row["callerid_turns"] or "{}", type=dict[str, int]),
        )

    def _plan(self, connection: Connection, row: RowMapping) -> CampaignPlan:
        check_types(row, Campaign.__table__)
        if row["frequency"] < 1:
            raise ValueError(f"frequency is {row['frequency']}, and should be at least 1")
        gateway_id = gateway_of(row)
        if gateway_id is None:
            raise ValueError("there is no gateway")
        voicemail_id = row["voicemail_audiofile_id"]
        lists = lists_of(connection, {row["id"]: row["dnc_id"]})[row["id"]]
        flow = self._flow(connection, row["id"])
        special: dict[str, Any] = {
            "gateway_id": gateway_id,
            "flow": flow,
            "hold_sounds": hold_sounds(connection, row["user_id"]) if flow.queue_ids else (),
            "starting_ms": row["startingdate"],
            "expires_ms": row["expirationdate"],
            "calendar": calendar_of(row),
            "service_zone": self._service_zone,
            "callerid": shown_form(connection, row, row["callerid"]),
            "callerids": _callerid_choices(connection, row),
            "amd": amd_of(voicemail=row["voicemail"], amd_behavior=AmdBehavior(row["amd_behavior"])),
            "voicemail_prompt": None if voicemail_id is None else recording(connection, voicemail_id),
            "recording": _recording_plan(connection, row, flow),
            "agents": agent_access(connection, row["id"]) if converses(flow.survey) else NO_ACCESS,
            "dnc_id": lists.first,
            "dnc_ids": names_of(connection, lists.ids),
            "is_simulated": lists.is_simulated,
            "text_message": row["text_message"] if row["medium"] == SMS else None,
            "sms_gateway_id": sms_gateway_of(row),
            "agent_dial_rate": row["agent_dial_rate"] / MONEY_SCALE,
            "abandon_rate_max": row["abandon_rate_max"] / (100 * MONEY_SCALE),
            "first_answers": FIRST_ANSWERS if row["abandon_allowance"] or lists.is_simulated else 0,
            "ruled": self._ruled(connection, row),
        }
        return CampaignPlan(**{**settings_by_name(CampaignPlan, row), **special})

    def _ruled(self, connection: Connection, row: RowMapping) -> RuledCampaign | None:
        """Return the rules that bind a campaign, and the consent that it needs. A trial calls its own user without."""
        if not row.get("is_ruled") or row["trial_of_id"] is not None:
            return None
        return ruled_campaigns(connection, [row["id"]], self._service_zone).get(row["id"])

    def _flow(self, connection: Connection, campaign_id: int) -> CallFlow:
        flow = self._flows.get(campaign_id)
        if flow is None:
            while len(self._flows) >= FLOWS_KEPT_MAX:
                del self._flows[next(iter(self._flows))]
            document = connection.scalar(_SURVEY, {"campaign": campaign_id})
            flow = self._flows[campaign_id] = CallFlow(decode_survey(document or '{"sections":[]}'))
        return flow


def _recording_plan(connection: Connection, row: RowMapping, flow: CallFlow) -> RecordingPlan:
    """Return which calls of a campaign are recorded. A trial speaks a name that no erasure could find, so none is."""
    has_agents = bool(flow.queue_ids) and row["trial_of_id"] is None
    queue_ids = recorded_queues(connection, row["user_id"]) if has_agents else frozenset()
    sections = flow.survey.sections
    notice = _notice(connection, row, sections[0].prompt.voice if sections else AS_SET)
    return recording_plan(row["record"], row["record_days"], notice, row["record_refuse_key"], queue_ids)


def _notice(connection: Connection, row: RowMapping, voice: ChosenVoice) -> Prompt | None:
    """Return what callees of a campaign hear before their calls are recorded."""
    if row["record_notice_id"] is not None:
        return recording(connection, row["record_notice_id"])
    script = row["record_notice_script"]
    return Prompt(script=script, voice=voice) if script.strip() else None


def _did(row: RowMapping, plan: CampaignPlan | None) -> DidOpened:
    written = row["did_number"]
    return DidOpened(row["id"], row["user_id"], normalise(written, row["region"]), plan, written)


def figures_of(document: str) -> PacingFigures:
    """Return the measured figures of a campaign from its column `pacing_figures`."""
    return msgspec.json.decode(document, type=PacingFigures) if document else PacingFigures()


def _figures_by_id(connection: Connection, campaign_ids: list[int]) -> dict[int, PacingFigures]:
    """Return the measured figures of campaigns; those that cannot be read are left out, and stay as they are."""
    found: dict[int, PacingFigures] = {}
    for row in _CAMPAIGNS.rows(connection, campaign_ids):
        with suppress(*UNREADABLE):
            found[row["id"]] = figures_of(row["pacing_figures"])
    return found


def _aborted(connection: Connection, campaign_ids: list[int]) -> list[int]:
    return list(connection.scalars(_ABORTED, {"campaigns": campaign_ids})) if campaign_ids else []


def pending_zones(connection: Connection, campaign_id: int, zones_max: int) -> tuple[str, ...]:
    """Return the zone keys of a campaign's PENDING subscribers, in order, at most `zones_max`."""
    return tuple(connection.scalars(_ZONES, {"campaign": campaign_id, "most": zones_max}))


def _callerid_choices(connection: Connection, campaign: RowMapping) -> tuple[CallerIdChoice, ...]:
    if campaign["callerid_group_id"] is None:
        return ()
    rows = connection.execute(_CHOICES, {"callerid_group": campaign["callerid_group_id"]}).all()
    return tuple(CallerIdChoice(areacode, shown_form(connection, campaign, shown)) for areacode, shown in rows)


def calendar_of(row: RowMapping | Mapping[str, Any]) -> Calendar:
    """Return the calling calendar of a campaign from its row."""
    monday, tuesday, wednesday, thursday, friday, saturday, sunday = (bool(row[day]) for day in _WEEKDAYS)
    return Calendar(
        weekdays=(monday, tuesday, wednesday, thursday, friday, saturday, sunday),
        start=time.fromisoformat(row["daily_start_time"]),
        stop=time.fromisoformat(row["daily_stop_time"]),
    )
