"""The facts that the dial rules look at, of campaigns and of people, read from the rows."""

import contextlib
from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import BindParameter, Connection, RowMapping, Select, and_, bindparam, case, func, select

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calling_times.calling_windows import Windows
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.calls.agent_events import AgentOpened
from dialer.domain.calls.consents import good_at
from dialer.domain.calls.contact_rules import HeldSpan
from dialer.domain.calls.plans import SIMULATED
from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.numbers.normal_form import is_possible
from dialer.domain.numbers.prefixes import Prefixes
from dialer.domain.pacing.inputs import FIRST_ANSWERS, PacingFigures
from dialer.domain.pacing.predictive import credit_of
from dialer.domain.queueing.plans import Preview
from dialer.domain.rules.awaited_skills import awaited_by, has_idle, lack_skills, needs_skills
from dialer.domain.rules.dial_rules import PersonFacts, PlaceFacts
from dialer.domain.rules.why_waiting import Circumstances, with_times
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.survey.survey import decode_survey
from dialer.domain.words.enums import CampaignStatus, DialMethod, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.queries.calls_in_progress import TAKES_CHANNEL
from dialer.store.queries.contact_rules import consents_over, contacts_with, held_spans, ruled_campaigns
from dialer.store.queries.destinations import destinations_of, is_forbidden_for
from dialer.store.queries.do_not_call import held_among, on_dnc
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.load_engine import calendar_of, figures_of
from dialer.store.queries.queues import agents_of
from dialer.store.queries.rates import cheapest_prices
from dialer.store.queries.readable_rows import UNREADABLE
from dialer.store.queries.skills_on_duty import skills_on_duty
from dialer.store.tables import (
    SMS,
    CallRequest,
    Campaign,
    Gateway,
    SealedSurvey,
    SmsMessage,
    Tier,
    Transfer,
    User,
)

FACTS_ARE_IN: Final = ("id", "campaign_id", "number", "zone", "due_ms", "additional_vars", "status_reason")
"""The columns of a subscriber that `people_facts` reads."""
_IDS: Final[BindParameter[list[int]]] = bindparam("ids", expanding=True)


def circumstances_of(
    connection: Connection,
    campaign_ids: Collection[int],
    now_ms: int,
    service_zone: str,
    hours: CallingHours = CallingHours(),  # noqa: B008 - it is immutable
) -> dict[int, Circumstances]:
    """Return the circumstances of campaigns by their ids. The number of queries does not grow with the campaigns.

    Campaigns with unreadable rows are left out.
    """
    rows = connection.execute(_CAMPAIGNS, {"ids": list(campaign_ids)}).mappings().all()
    at_work = {row["id"] for row in rows if row["status"] == CampaignStatus.START}
    in_progress, carried = _in_progress(connection, rows), _carried(connection, rows)
    queues = _queue_ids(connection, at_work) if at_work else {}
    agents = _agents_of_queues(connection, set().union(*queues.values()))
    skills = skills_on_duty(connection, agents, now_ms)
    looked_at = _campaigns_looked_at(agents)
    ruled = ruled_campaigns(connection, at_work, service_zone)
    cheapest = cheapest_prices(connection, {row["user_id"] for row in rows if at_work and row["rate_card_version"]})
    found: dict[int, Circumstances] = {}
    for row in rows:
        theirs = [skills[queue_id] for queue_id in queues.get(row["id"], ()) if queue_id in skills]
        for_agents = theirs if _dials_for_agents(row) else None
        lacks_agents = for_agents is not None and not any(map(has_idle, for_agents))
        place = PlaceFacts(
            now_ms=now_ms,
            agents_at_ms=NEVER_MS if lacks_agents else 0,
            lacks_skills=lacks_agents and lack_skills(theirs),
            max_aleg=row["max_aleg"],
            calls=in_progress.get(row["id"], 0),
            is_line_down=bool(row["line_down"]) and row["protocol"] != SIMULATED,
            rests_until_ms=row["rests_until_ms"] or 0,
            is_rest_asked_for=not row["rest_ms"],
            free_channels=_free_channels(row, carried),
            lacks_credit=_lacks_credit(row, cheapest),
            is_credit_held=row["held"] > 0 and not _lacks_credit(row, cheapest, held=0),
        )
        with contextlib.suppress(*UNREADABLE):
            found[row["id"]] = Circumstances(
                now_ms=now_ms,
                status=CampaignStatus(row["status"]),
                status_reason=row["status_reason"],
                starting_ms=row["startingdate"],
                expires_ms=row["expirationdate"],
                calendar=calendar_of(row),
                is_simulated=row["protocol"] == SIMULATED,
                hours=_hours_of(row, hours),
                service_zone=service_zone,
                place=place,
                destinations=destinations_of(row["allowed_countries"], allows_special=row["allows_special"]),
                user_id=row["user_id"],
                prefixes=Prefixes(row["addprefix"] or "", row["removeprefix"] or ""),
                is_unstaffed=bool(queues.get(row["id"])) and not theirs,
                is_held_back=_is_held_back(row),
                ruled=ruled.get(row["id"]),
                is_looked_at=row["id"] in looked_at,
                skills=tuple(for_agents) if for_agents and any(map(needs_skills, for_agents)) else (),
            )
    return found


def _hours_of(row: RowMapping, hours: CallingHours) -> Calendar | None:
    """Return the calling hours that hold for a campaign; None if it may call at any hour, as a test call may."""
    return None if row["trial_of_id"] is not None else hours.over(is_simulated=row["protocol"] == SIMULATED)


def people_facts(
    connection: Connection, people: Collection[RowMapping], campaigns: Mapping[int, Circumstances]
) -> dict[int, PersonFacts]:
    """Return the facts of PENDING subscribers by their ids, from their rows, but not those of unreadable campaigns.

    The rows have the columns `FACTS_ARE_IN`. Each zone's window is computed once. Blank text messages are found at the
    turn of a person only.
    """
    called_off, windows = on_dnc(connection, [row["id"] for row in people]), Windows()
    held = held_among(connection, called_off) if called_off else set()
    spans, covered = _held(connection, people, campaigns), _covered(connection, people, campaigns)
    found: dict[int, PersonFacts] = {}
    for row in people:
        campaign = campaigns.get(row["campaign_id"])
        if campaign is not None:
            person = PersonFacts(
                is_emergency=is_emergency(row["number"]),
                is_impossible=not campaign.is_simulated and not is_possible(row["number"]),
                is_forbidden=is_forbidden_for(
                    connection, campaign.user_id, campaign.destinations, row["number"], campaign.prefixes
                ),
                has_unknown_zone=not is_zone_key(row["zone"]),
                is_on_dnc=row["id"] in called_off,
                is_held=row["id"] in held,
                lacks_consent=covered.get(row["id"], True) is False,
                awaits_skills=awaited_by(campaign.skills, row["additional_vars"]) if campaign.skills else None,
            )
            is_timed = not person.has_unknown_zone
            due_ms, theirs = _due_ms(row, campaign), spans.get(row["id"], ())
            timed = (person, campaign, row["zone"], due_ms, windows, theirs)
            found[row["id"]] = with_times(*timed) if is_timed else person
    return found


def _due_ms(row: RowMapping, campaign: Circumstances) -> int:
    """Return when the retry of a person is due. The time until which a rule holds them back is none."""
    is_held = row["status_reason"] == SubscriberReason.FREQUENCY and campaign.ruled is not None
    due_ms: int = row["due_ms"]
    return min(due_ms, campaign.now_ms) if is_held else due_ms


def _held(
    connection: Connection, people: Collection[RowMapping], campaigns: Mapping[int, Circumstances]
) -> dict[int, tuple[HeldSpan, ...]]:
    """Return the times in which contact rules hold people back, by their ids. One query reads those of a campaign."""
    found: dict[int, tuple[HeldSpan, ...]] = {}
    for campaign_id, campaign in campaigns.items():
        if campaign.ruled is not None:
            theirs = [row for row in people if row["campaign_id"] == campaign_id]
            numbers = [row["number"] for row in theirs]
            made = contacts_with(connection, campaign.ruled, numbers, campaign.now_ms) if theirs else {}
            for row in theirs:
                who = (row["number"], row["zone"], row["additional_vars"])
                found[row["id"]] = held_spans(campaign.ruled, *who, made.get(row["number"], ()))
    return found


def _covered(
    connection: Connection, people: Collection[RowMapping], campaigns: Mapping[int, Circumstances]
) -> dict[int, bool]:
    """Return whether a consent is good now, by the ids of the people of campaigns that need one."""
    found: dict[int, bool] = {}
    for campaign_id, campaign in campaigns.items():
        if campaign.ruled is not None and campaign.ruled.consent is not None:
            theirs = [row for row in people if row["campaign_id"] == campaign_id]
            spans = consents_over(connection, campaign.ruled, {row["number"]: row["zone"] for row in theirs})
            found |= {row["id"]: bool(good_at(spans[row["number"]], campaign.now_ms)) for row in theirs}
    return found


def _free_channels(row: RowMapping, carried: Mapping[int, int]) -> int:
    """Return for how many calls a gateway has room; 1 if it has no limit."""
    return row["max_channels"] - carried.get(row["aleg_gateway_id"], 0) if row["max_channels"] else 1


def _query() -> Select[Any]:
    is_sms = Campaign.medium == SMS
    gateway_id = case((is_sms, Campaign.sms_gateway_id), else_=Campaign.aleg_gateway_id)
    names = ("rests_until_ms", "rest_ms", "line_down", "protocol", "max_channels", "addprefix", "removeprefix")
    return (
        select(
            Campaign.__table__,
            *[Gateway.__table__.c[name] for name in names],
            User.balance,
            User.held,
            User.call_rate,
            User.sms_rate,
            User.rate_card_version,
            User.allowed_countries,
            User.allows_special,
        )
        .join(User, User.id == Campaign.user_id)
        .outerjoin(Gateway, and_(Gateway.medium == Campaign.medium, Gateway.id == gateway_id))
        .where(Campaign.id.in_(_IDS))
    )


def _in_progress(connection: Connection, campaigns: Collection[RowMapping]) -> dict[int, int]:
    """Return the number of outgoing attempts in progress of started campaigns. One query runs for each medium."""
    at_work = [row for row in campaigns if row["status"] == CampaignStatus.START]
    texts = [row["id"] for row in at_work if row["medium"] == SMS]
    calls = [row["id"] for row in at_work if row["medium"] != SMS]
    return {
        campaign_id: count
        for query, ids in ((_MESSAGES, texts), (_CALLS, calls))
        if ids
        for campaign_id, count in connection.execute(query, {"ids": ids})
    }


def _carried(connection: Connection, campaigns: Collection[RowMapping]) -> dict[int, int]:
    """Return the number of legs that each gateway for calls carries; none if no started campaign has to know."""
    if not any(row["status"] == CampaignStatus.START and row["max_channels"] for row in campaigns):
        return {}
    found: dict[int, int] = {}
    for gateway_id, count in (*connection.execute(_CALLS_CARRIED), *connection.execute(_LEGS_CARRIED)):
        found[gateway_id] = found.get(gateway_id, 0) + count
    return found


def _agents_of_queues(connection: Connection, queue_ids: Collection[int]) -> list[AgentOpened]:
    if not queue_ids:
        return []
    serving = select(Tier.agent_id).where(Tier.queue_id.in_(queue_ids)).distinct()
    return agents_of(connection, connection.scalars(serving).all())


def _campaigns_looked_at(agents: Collection[AgentOpened]) -> set[int]:
    """Return the campaigns at whose people agents look."""
    found: set[int] = set()
    for agent in agents:
        if agent.plan.preview:
            with contextlib.suppress(*UNREADABLE):
                found.add(msgspec.json.decode(agent.plan.preview, type=Preview).campaign_id)
    return found


def _queue_ids(connection: Connection, campaign_ids: Collection[int]) -> dict[int, frozenset[int]]:
    """Return the ids of the queues in the surveys of campaigns; none for one whose survey is unreadable."""
    query = select(SealedSurvey.id, SealedSurvey.document).where(SealedSurvey.id.in_(campaign_ids))
    found: dict[int, frozenset[int]] = {}
    for campaign_id, document in connection.execute(query):
        with contextlib.suppress(*UNREADABLE):
            found[campaign_id] = frozenset(queue_ids_of(decode_survey(document)))
    return found


def _dials_for_agents(row: RowMapping) -> bool:
    return bool(row["status"] == CampaignStatus.START and row["dial_method"] != DialMethod.FIXED_RATE)


def _is_held_back(row: RowMapping) -> bool:
    """Return whether a campaign that dials ahead may abandon no further call, so that it only calls for free agents."""
    is_ahead = row["dial_method"] == DialMethod.PROGRESSIVE and row["agent_dial_rate"] > MONEY_SCALE
    if not is_ahead and row["dial_method"] != DialMethod.PREDICTIVE:
        return False
    figures = figures_of(row["pacing_figures"])
    if not figures.periods:
        figures = PacingFigures(answered=row["live_answered"], abandoned=row["abandoned"])
    first_answers = FIRST_ANSWERS if row["abandon_allowance"] or row["protocol"] == SIMULATED else 0
    is_spent = credit_of(row["abandon_rate_max"] / (100 * MONEY_SCALE), figures, first_answers) < 1
    return is_spent and any(one.abandoned for one in figures.periods or (figures,))


def _lacks_credit(row: RowMapping, cheapest: Mapping[int, int], held: int | None = None) -> bool:
    """Return whether the free balance pays for no attempt, not even for the cheapest prefix of the rate card.

    The balance is free of what is held for calls in progress, or of `held`.
    """
    free = row["balance"] - (row["held"] if held is None else held)
    if row["medium"] == SMS:
        return bool(row["sms_rate"] > free)
    price = Rate(row["call_rate"]).price(1)
    return bool(min(price, cheapest.get(row["user_id"], price)) > free)


# Statements are built once, as building one takes longer than running it.
_CAMPAIGNS: Final = _query()
_CALLS: Final = (
    select(CallRequest.campaign_id, func.count())
    .where(IS_CALLING, CallRequest.attempt > 0)
    .where(CallRequest.campaign_id.in_(_IDS))
    .group_by(CallRequest.campaign_id)
)
_MESSAGES: Final = (
    select(SmsMessage.campaign_id, func.count())
    .where(SmsMessage.ended_ms.is_(None), SmsMessage.callrequest_id.is_(None))
    .where(SmsMessage.campaign_id.in_(_IDS))
    .group_by(SmsMessage.campaign_id)
)
_CALLS_CARRIED: Final = (
    select(CallRequest.gateway_id, func.count()).where(IS_CALLING, TAKES_CHANNEL).group_by(CallRequest.gateway_id)
)
_LEGS_CARRIED: Final = (
    select(Transfer.gateway_id, func.count())
    .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
    .where(IS_CALLING)
    .where(Transfer.gateway_id > 0, Transfer.status != TransferStatus.OVER)
    .group_by(Transfer.gateway_id)
)
