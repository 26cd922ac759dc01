"""The rules that bind campaigns, and the contacts that were made with their people, read from the rows."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    RowMapping,
    SQLColumnExpression,
    bindparam,
    false,
    func,
    literal_column,
    null,
    select,
    true,
    union_all,
)

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calling_times.zones import fixed_offset_minutes, is_zone_key, zones_of_key
from dialer.domain.calls.consents import ConsentSpan, good_at, good_spans
from dialer.domain.calls.contact_rules import (
    DAY_MS,
    FrequencyRule,
    HeldSpan,
    MadeContact,
    RuledCampaign,
    RuleHold,
    countries_of,
    judge,
)
from dialer.domain.calls.plans import SIMULATED, SMS, VOICE
from dialer.domain.words.consent_words import NO_CONSENT
from dialer.domain.words.contact_words import CALL, TEXT, ContactKind, PeriodUnit, RestAfter, RuleScope
from dialer.domain.words.enums import AgentDisposition, AmdBehavior, AmdStatus, LegType
from dialer.store.backends.expressions import without_index
from dialer.store.queries.consents import consents_of, needed_consent
from dialer.store.queries.contact_law import is_sure, law_for
from dialer.store.queries.law_switch import HAS_LAW, IS_REAL, SWITCHED
from dialer.store.tables import (
    CallDisposition,
    CallInProgress,
    CallRequest,
    Campaign,
    Cdr,
    Gateway,
    SmsMessage,
)
from dialer.store.tables import ContactRule as RuleRow

LONGEST_CALL_MS: Final = DAY_MS
"""The longest call, at whose end a rest begins."""
_NUMBERS: Final[BindParameter[list[str]]] = bindparam("numbers", expanding=True)
_RULES: Final = (
    select(RuleRow.__table__)
    .where(RuleRow.user_id == bindparam("user"), RuleRow.enabled == true())
    .order_by(RuleRow.id)
)
_HAS_OWN: Final = select(RuleRow.id).where(RuleRow.user_id == Campaign.user_id, RuleRow.enabled == true()).exists()
_IS_RULED: Final = _HAS_OWN | HAS_LAW | (Campaign.requires_consent != NO_CONSENT)
IS_RULED: Final = _IS_RULED.label("is_ruled")
"""True if the account of a campaign has a rule, if rows of law hold for it, or if the campaign needs a consent."""
_CAMPAIGNS: Final = select(
    Campaign.id,
    Campaign.medium,
    Campaign.purpose,
    Campaign.seller,
    Campaign.user_id,
    Campaign.requires_consent,
    Campaign.dial_method,
    Campaign.agent_dial_rate,
    _HAS_OWN.label("has_own"),
    HAS_LAW.label("has_law"),
    IS_REAL.label("is_real"),
    SWITCHED.label("switched"),
).where(Campaign.id.in_(bindparam("ids", expanding=True)), Campaign.trial_of_id.is_(None), _IS_RULED)


def rule_of(row: RowMapping) -> FrequencyRule:
    """Return a rule from its row; raises ValueError for a row that cannot be read."""
    return FrequencyRule(
        id=row["id"],
        name=row["name"],
        limit=row["most"],
        period=row["period"],
        unit=PeriodUnit(row["unit"]),
        counts=ContactKind(row["counts"]),
        after=RestAfter(row["after"]) if row["after"] else None,
        seconds=row["seconds"],
        scope=RuleScope(row["scope"]),
        per=row["per"],
        media=frozenset(row["media"].split()),
        purposes=frozenset(row["purposes"].split()),
        country=row["country"],
        state=row["state"],
        from_date=None if row["from_date"] is None else date.fromisoformat(row["from_date"]),
        until_date=None if row["until_date"] is None else date.fromisoformat(row["until_date"]),
    )


def rules_for(connection: Connection, user_id: int, medium: str, purpose: str) -> tuple[FrequencyRule, ...]:
    """Return the enabled rules of an account that bind its campaigns of a medium and a purpose."""
    rows = connection.execute(_RULES, {"user": user_id}).mappings()
    named = TEXT if medium == SMS else CALL
    return tuple(rule for rule in map(rule_of, rows) if rule.binds(named, purpose))


def ruled_campaigns(
    connection: Connection, campaign_ids: Collection[int], service_zone: str, *, by_any_method: bool = False
) -> dict[int, RuledCampaign]:
    """Return those of some campaigns that rules bind, or that need a consent, by their ids.

    Where there are none, one query runs. `by_any_method` has the rules for all methods of dialling, not its own alone.
    """
    found = {}
    for row in connection.execute(_CAMPAIGNS, {"ids": list(campaign_ids)}).all() if campaign_ids else ():
        rules = rules_for(connection, row.user_id, row.medium, row.purpose) if row.has_own else ()
        if row.has_law:
            sure = not by_any_method and is_sure(row.dial_method, row.agent_dial_rate / MONEY_SCALE)
            medium = TEXT if row.medium == SMS else CALL
            rules += law_for(medium, row.purpose, has_sure_agents=sure, switched=row.switched)
        consent = needed_consent(row.requires_consent, row.purpose, row.seller)
        if rules or consent is not None:
            seen = (row.id, row.user_id, row.seller, rules, service_zone, consent, bool(row.is_real))
            found[row.id] = RuledCampaign(*seen, countries_of(rules))
    return found


def contacts_with(
    connection: Connection, campaign: RuledCampaign, numbers: Collection[str], now_ms: int
) -> Mapping[str, Sequence[MadeContact]]:
    """Return the contacts that were made with numbers, as far as a rule of a campaign may count them.

    One query reads them, by the index of numbers; none without a rule, or if all rules are for other countries.
    """
    numbers = [number for number in numbers if campaign.may_hold(number)]
    if not numbers:
        return {}
    since_ms = now_ms - max(_longest_ms(rule) for rule in campaign.rules)
    asked = {"numbers": list(set(numbers)), "user": campaign.user_id, "since": since_ms}
    found: defaultdict[str, list[MadeContact]] = defaultdict(list)
    for row in connection.execute(_made(*_needed(campaign.rules)), asked):
        found[row.number].append(_contact(row))
    return found


def consents_over(
    connection: Connection, campaign: RuledCampaign, people: Mapping[str, str]
) -> dict[str, tuple[ConsentSpan, ...]]:
    """Return when consents cover a campaign that needs one, by number. `people` are numbers with their zone keys."""
    if campaign.consent is None:
        return dict.fromkeys(people, ())
    given = consents_of(connection, campaign.user_id, people.keys())
    return {
        number: good_spans(given.get(number, ()), campaign.consent, number, zones_of(zone_key, campaign.service_zone))
        for number, zone_key in people.items()
    }


def covered_now(connection: Connection, campaign_id: int, people: Mapping[str, str], now_ms: int) -> set[str]:
    """Return those of some numbers, given with their zone keys, with a consent that covers a campaign now.

    All of them, if the campaign needs none.
    """
    return covered_in(connection, {campaign_id: people}, now_ms)[campaign_id] if people else set()


def covered_in(connection: Connection, people: Mapping[int, Mapping[str, str]], now_ms: int) -> dict[int, set[str]]:
    """Return what `covered_now` does for each of several campaigns, given the people of each by its id."""
    ruled = ruled_campaigns(connection, people.keys(), "UTC")
    return {
        campaign_id: _covered(connection, ruled.get(campaign_id), theirs, now_ms)
        for campaign_id, theirs in people.items()
    }


def _covered(
    connection: Connection, campaign: RuledCampaign | None, people: Mapping[str, str], now_ms: int
) -> set[str]:
    if campaign is None or campaign.consent is None:
        return set(people)
    spans = consents_over(connection, campaign, people)
    return {number for number, found in spans.items() if good_at(found, now_ms)}


def zones_of(zone_key: str, service_zone: str) -> Sequence[tzinfo]:
    """Return the zones of a zone key; that of the service for an empty one, or one that is not known."""
    if not zone_key or not is_zone_key(zone_key):
        return [ZoneInfo(service_zone)]
    return [_zone(name) for name in zones_of_key(zone_key)]


def _zone(name: str) -> tzinfo:
    minutes = fixed_offset_minutes(name)
    return ZoneInfo(name) if minutes is None else timezone(timedelta(minutes=minutes))


def held_spans(
    campaign: RuledCampaign, number: str, zone_key: str, variables: str, made: Sequence[MadeContact]
) -> tuple[HeldSpan, ...]:
    """Return the times in which rules hold a person back, given the contacts that were made with them."""
    if not made:
        return ()
    judged = judged_rules(campaign, number, zone_key, variables, made)
    return tuple(hold.span for _, holds in judged for hold in holds)


def judged_rules(
    campaign: RuledCampaign, number: str, zone_key: str, variables: str, made: Sequence[MadeContact]
) -> list[tuple[FrequencyRule, tuple[RuleHold, ...]]]:
    """Return the rules of a campaign that are for a person, each with its holds of the next contact."""
    zones, state = zones_of(zone_key, campaign.service_zone), state_in(variables)
    return [(rule, judge(rule, campaign, made, zones)) for rule in campaign.rules if rule.is_for(number, state)]


def state_in(variables: str) -> str:
    """Return the state that the columns of a person name; empty if they name none."""
    if '"state"' not in variables.casefold():
        return ""
    try:
        found = msgspec.json.decode(variables)
    except msgspec.DecodeError:
        return ""
    named = [value for name, value in found.items() if name.casefold() == "state"] if isinstance(found, dict) else []
    return str(named[0]) if named else ""


def _longest_ms(rule: FrequencyRule) -> int:
    """Return the time before now from which on a contact may count for a rule."""
    days = rule.period + 2 if rule.unit is not PeriodUnit.HOURS else rule.period // 24 + 2
    return days * DAY_MS + (LONGEST_CALL_MS if rule.after is not None else 0)


def _needed(rules: Collection[FrequencyRule]) -> tuple[bool, bool]:
    """Return whether rules count text messages, and calls that came in."""
    talks = {ContactKind.CONVERSATIONS, RestAfter.CONVERSATION}
    has_texts = any(TEXT in rule.media for rule in rules)
    return has_texts, any(rule.counts in talks or rule.after in talks for rule in rules)


def _contact(row: Row[Any]) -> MadeContact:
    is_call, is_over = row.medium == CALL, row.duration is not None
    ended_ms = row.at_ms + 1_000 * row.duration if is_over else None if is_call else row.at_ms
    return MadeContact(
        at_ms=row.at_ms,
        ended_ms=ended_ms,
        medium=row.medium,
        callid=row.callid,
        campaign_id=row.campaign_id,
        purpose=row.purpose,
        seller=row.seller,
        billsec=row.billsec or 0,
        is_person=row.amd_status != AmdStatus.MACHINE,
        is_abandoned=bool(row.is_abandoned),
        is_refusal=row.disposition == AgentDisposition.NOT_INTERESTED,
        call_back_ms=row.call_back_ms,
        is_machine=row.amd_status == AmdStatus.MACHINE and row.amd in {None, int(AmdBehavior.HUMAN_ONLY)},
        is_inbound=row.attempt < 0,
        is_simulated=bool(row.is_simulated),
    )


def _is_of_user(column: SQLColumnExpression[int]) -> ColumnElement[bool]:
    """Return the condition that a contact is of the account. It is looked for by its number, of which few have one."""
    return without_index(column) == bindparam("user")


@lru_cache(maxsize=4)
def _made(has_texts: bool, has_inbound: bool) -> CompoundSelect[Any]:  # noqa: FBT001 - private
    """Return a query of the contacts with some numbers, of an account and since a moment."""
    since = without_index(Cdr.starting_date) > bindparam("since")
    over = (_is_of_user(Cdr.user_id), since, Cdr.leg_type == LegType.A_LEG)
    parts = [_calls_over(Cdr.__table__.c.phone_number, *over, Cdr.attempt > literal_column("0")), _calls_in_progress()]
    if has_inbound:
        parts.append(_calls_over(Cdr.__table__.c.callerid, *over, Cdr.attempt < literal_column("0")))
    if has_texts:
        parts.append(_texts())
    return union_all(*parts)


def _calls_over(number: ColumnElement[str], *conditions: ColumnElement[bool]) -> Any:  # noqa: ANN401 - a query
    return (
        select(
            number.label("number"),
            Cdr.starting_date.label("at_ms"),
            Cdr.duration.label("duration"),
            literal_column(f"'{CALL}'").label("medium"),
            Cdr.callid.label("callid"),
            Cdr.campaign_id.label("campaign_id"),
            Campaign.purpose.label("purpose"),
            Campaign.seller.label("seller"),
            Cdr.billsec.label("billsec"),
            Cdr.amd_status.label("amd_status"),
            Cdr.is_abandoned.label("is_abandoned"),
            CallDisposition.disposition.label("disposition"),
            CallDisposition.call_back_ms.label("call_back_ms"),
            CallRequest.amd.label("amd"),
            Cdr.attempt.label("attempt"),
            func.coalesce(CallRequest.is_simulated, _gateway_is_simulated()).label("is_simulated"),
        )
        .outerjoin(Campaign, Campaign.id == Cdr.campaign_id)
        .outerjoin(CallRequest, CallRequest.id == Cdr.callrequest_id)
        .outerjoin(CallDisposition, CallDisposition.callrequest_id == Cdr.callrequest_id)
        .where(number.in_(_NUMBERS), *conditions)
    )


def _gateway_is_simulated() -> ColumnElement[bool]:
    """Return whether the gateway of a call is simulated: what is left to tell it by once its campaign was deleted.

    One that was changed since may have been another then, so its calls count as real ones.
    """
    is_simulated = (Gateway.protocol == SIMULATED) & (Gateway.updated_date <= Cdr.starting_date)
    theirs = (Gateway.id == Cdr.gateway_id) & (Gateway.medium == VOICE)
    return select(is_simulated).where(theirs).correlate(Cdr).scalar_subquery()


def _plain(contact: type[CallRequest | SmsMessage], at_ms: Any, medium: str, callid: Any) -> list[Any]:  # noqa: ANN401 - columns
    """Return the columns of a contact of which nothing more is known."""
    return [
        contact.phone_number.label("number"),
        at_ms.label("at_ms"),
        null().label("duration"),
        literal_column(f"'{medium}'").label("medium"),
        callid.label("callid"),
        contact.campaign_id.label("campaign_id"),
        Campaign.purpose.label("purpose"),
        Campaign.seller.label("seller"),
        literal_column("0").label("billsec"),
        literal_column("0").label("amd_status"),
        false().label("is_abandoned"),
        literal_column("''").label("disposition"),
        null().label("call_back_ms"),
        literal_column("0").label("amd"),
        literal_column("1").label("attempt"),
        contact.is_simulated.label("is_simulated"),
    ]


def _calls_in_progress() -> Any:  # noqa: ANN401 - a query
    return (
        select(*_plain(CallRequest, CallRequest.started_ms, CALL, CallRequest.callid))
        .join(CallInProgress, CallInProgress.id == CallRequest.id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .where(CallRequest.phone_number.in_(_NUMBERS), _is_of_user(CallRequest.user_id))
        .where(CallRequest.attempt > literal_column("0"))
    )


def _texts() -> Any:  # noqa: ANN401 - a query
    return (
        select(*_plain(SmsMessage, SmsMessage.send_date, TEXT, SmsMessage.message_id))
        .join(Campaign, Campaign.id == SmsMessage.campaign_id)
        .where(SmsMessage.phone_number.in_(_NUMBERS), _is_of_user(SmsMessage.user_id))
        .where(without_index(SmsMessage.send_date) > bindparam("since"))
    )
