"""Rows become what the engine is told: accounts, gateways, campaigns, and calls in progress."""

from datetime import time
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, func, select

from dialer.domain.callflow import CallFlow
from dialer.domain.enums import AmdBehavior, CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.domain.events import AccountOpened, CampaignOpened, GatewayOpened
from dialer.domain.money import Rate
from dialer.domain.plans import (
    Call,
    CallerIdChoice,
    CampaignPlan,
    GatewayPlan,
    Subscriber,
    amd_of,
)
from dialer.domain.survey import Prompt, decode_survey
from dialer.domain.windows import Calendar
from dialer.store.models import CallerId, CallRequest, Campaign, Gateway, SealedSurvey, User
from dialer.store.models import Subscriber as SubscriberRow
from dialer.store.sealing import audio_length_ms

ZONES_MAX: Final = 10_000
"""Zone keys of one campaign; there are a few hundred zones."""

_users = User.__table__
_gateways = Gateway.__table__
_campaigns = Campaign.__table__
_callerids = CallerId.__table__
_sealed = SealedSurvey.__table__
_subscribers = SubscriberRow.__table__
_requests = CallRequest.__table__
_LIVE: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class World(NamedTuple):
    """Everything the engine has to be told, in the order in which it has to be told."""

    accounts: list[AccountOpened]
    gateways: list[GatewayOpened]
    parameters: dict[int, str]
    """Of each gateway: JSON text."""
    campaigns: list[CampaignOpened]
    aborted: list[int]
    """Campaigns that were aborted and still have calls in progress."""


class Loader:
    """Reads the world; keeps the call flows it has built, as a sealed survey never changes."""

    def __init__(self, *, service_zone: str) -> None:
        self._service_zone: Final = service_zone
        self._flows: dict[int, CallFlow] = {}

    def world(self, connection: Connection, now_ms: int) -> World:
        """The world as it stands."""
        rows = connection.execute(
            select(_campaigns).where(_campaigns.c.status.in_(_LIVE)).order_by(_campaigns.c.id)
        ).mappings()
        campaigns = [self._campaign(connection, row) for row in rows]
        calling = _calling_campaigns(connection)
        self._flows = {
            campaign_id: flow
            for campaign_id, flow in self._flows.items()
            if campaign_id in calling or any(campaign_id == one.plan.id for one in campaigns)
        }
        gateways = list(connection.execute(select(_gateways).order_by(_gateways.c.id)).mappings())
        return World(
            accounts=_accounts(connection, {one.plan.user_id for one in campaigns} | set(calling.values())),
            gateways=[_gateway(connection, row, now_ms) for row in gateways],
            parameters={row["id"]: row["parameters"] for row in gateways},
            campaigns=campaigns,
            aborted=_aborted(connection, list(calling)),
        )

    def calls(self, connection: Connection) -> list[Call]:
        """The calls in progress, in the order in which they were placed."""
        rows = connection.execute(
            select(_requests, *_subscriber_columns())
            .join(_subscribers, _subscribers.c.id == _requests.c.subscriber_id)
            .where(_requests.c.status == CallRequestStatus.CALLING)
            .order_by(_requests.c.id)
        ).mappings()
        return [self._call(connection, row) for row in rows]

    def _campaign(self, connection: Connection, row: RowMapping) -> CampaignOpened:
        return CampaignOpened(
            plan=self._plan(connection, row),
            status=CampaignStatus(row["status"]),
            next_dial_us=row["next_dial_us"],
            zones=_zones(connection, row["id"]),
        )

    def _plan(self, connection: Connection, row: RowMapping) -> CampaignPlan:
        voicemail_id = row["voicemail_audiofile_id"]
        return CampaignPlan(
            id=row["id"],
            user_id=row["user_id"],
            gateway_id=row["aleg_gateway_id"],
            flow=self._flow(connection, row["id"]),
            starting_ms=row["startingdate"],
            expires_ms=row["expirationdate"],
            calendar=_calendar(row),
            service_zone=self._service_zone,
            frequency=row["frequency"],
            max_aleg=row["max_aleg"],
            ring_limit_ms=row["calltimeout"] * 1_000,
            callmaxduration_s=row["callmaxduration"],
            maxretry=row["maxretry"],
            intervalretry_ms=row["intervalretry"] * 1_000,
            completion_maxretry=row["completion_maxretry"],
            completion_intervalretry_ms=row["completion_intervalretry"] * 1_000,
            callerid=row["callerid"],
            callerids=_callerid_choices(connection, row["callerid_group_id"]),
            amd=amd_of(voicemail=row["voicemail"], amd_behavior=AmdBehavior(row["amd_behavior"])),
            voicemail_prompt=None if voicemail_id is None else Prompt(audio_length_ms(connection, voicemail_id)),
            dnc_id=row["dnc_id"],
        )

    def _flow(self, connection: Connection, campaign_id: int) -> CallFlow:
        flow = self._flows.get(campaign_id)
        if flow is None:
            document = connection.scalar(select(_sealed.c.document).where(_sealed.c.id == campaign_id))
            flow = self._flows[campaign_id] = CallFlow(decode_survey(document or '{"sections":[]}'))
        return flow

    def _call(self, connection: Connection, row: RowMapping) -> Call:
        campaign = connection.execute(select(_campaigns).where(_campaigns.c.id == row["campaign_id"])).mappings().one()
        plan = msgspec.structs.replace(self._plan(connection, campaign), gateway_id=row["gateway_id"])
        return Call(
            id=row["id"],
            callid=row["callid"],
            plan=plan,
            subscriber=_subscriber(row),
            attempt=row["attempt"],
            started_ms=row["started_ms"],
            ring_limit_ms=row["ring_limit_ms"],
            talk_limit_ms=row["talk_limit_ms"],
            hold=row["hold"],
            rate=Rate(row["call_rate"]),
            callerid=row["callerid"],
            amd=row["amd"],
            parameters=row["parameters"],
        )


def _subscriber_columns() -> list[Any]:
    names = ("number", "zone", "contact_id", "count_attempt", "failure_count", "completion_count", "due_ms")
    return [_subscribers.c[name] for name in (*names, "full_name", "additional_vars")]


def _subscriber(row: RowMapping) -> Subscriber:
    return Subscriber(
        id=row["subscriber_id"],
        number=row["number"],
        zone=row["zone"],
        contact_id=row["contact_id"],
        attempts=row["count_attempt"],
        failures=row["failure_count"],
        completions=row["completion_count"],
        due_ms=row["due_ms"],
        full_name=row["full_name"],
        additional_vars=row["additional_vars"],
    )


def _accounts(connection: Connection, user_ids: set[int]) -> list[AccountOpened]:
    rows = connection.execute(
        select(_users.c.id, _users.c.balance, _users.c.held, _users.c.call_rate)
        .where(_users.c.id.in_(user_ids))
        .order_by(_users.c.id)
    )
    return [AccountOpened(user_id, balance, held, Rate(call_rate)) for user_id, balance, held, call_rate in rows]


def _gateway(connection: Connection, row: RowMapping, now_ms: int) -> GatewayOpened:
    plan = GatewayPlan(id=row["id"], max_channels=row["max_channels"], max_cps=row["max_cps"])
    if not plan.max_cps:
        return GatewayOpened(plan)
    recent = connection.scalars(
        select(_requests.c.started_ms)
        .where(_requests.c.gateway_id == plan.id, _requests.c.started_ms > now_ms - 1_000)
        .order_by(_requests.c.started_ms.desc())
        .limit(plan.max_cps)
    ).all()
    return GatewayOpened(plan, tuple(reversed(recent)))


def _calling_campaigns(connection: Connection) -> dict[int, int]:
    """The campaigns that have calls in progress, and whose they are."""
    rows = connection.execute(
        select(_requests.c.campaign_id, func.min(_requests.c.user_id))
        .where(_requests.c.status == CallRequestStatus.CALLING)
        .group_by(_requests.c.campaign_id)
    )
    return {row[0]: row[1] for row in rows}


def _aborted(connection: Connection, campaign_ids: list[int]) -> list[int]:
    return list(
        connection.scalars(
            select(_campaigns.c.id)
            .where(_campaigns.c.id.in_(campaign_ids), _campaigns.c.status == CampaignStatus.ABORD)
            .order_by(_campaigns.c.id)
        )
    )


def _zones(connection: Connection, campaign_id: int) -> tuple[str, ...]:
    """The zone keys of a campaign's PENDING subscribers, by skipping through the index instead of scanning it."""
    found: list[str] = []
    last: str | None = None
    for _ in range(ZONES_MAX):
        following = select(func.min(_subscribers.c.zone)).where(
            _subscribers.c.campaign_id == campaign_id, _subscribers.c.status == SubscriberStatus.PENDING
        )
        last = connection.scalar(following if last is None else following.where(_subscribers.c.zone > last))
        if last is None:
            break
        found.append(last)
    return tuple(found)


def _callerid_choices(connection: Connection, group_id: int | None) -> tuple[CallerIdChoice, ...]:
    if group_id is None:
        return ()
    rows = connection.execute(
        select(_callerids.c.areacode, _callerids.c.callerid_num)
        .where(_callerids.c.callerid_group_id == group_id)
        .order_by(_callerids.c.id)
    )
    return tuple(CallerIdChoice(areacode, callerid_num) for areacode, callerid_num in rows)


def _calendar(row: RowMapping) -> Calendar:
    monday, tuesday, wednesday, thursday, friday, saturday, sunday = (bool(row[day]) for day in _WEEKDAYS)
    return Calendar(
        weekdays=(monday, tuesday, wednesday, thursday, friday, saturday, sunday),
        start=time.fromisoformat(row["daily_start_time"]),
        stop=time.fromisoformat(row["daily_stop_time"]),
    )
