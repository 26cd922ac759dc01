"""Contact rules: how often a person may be contacted, and how long nobody may contact them after something happened.

A rule is judged against the contacts that were made with a number. It gives the spans of time in which it holds the
next contact back. Spans do not depend on the present, so they stay true until another contact is made.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

import msgspec

from dialer.domain.calling_times.states import state_of
from dialer.domain.calling_times.zones import countries_of_law, countries_of_number
from dialer.domain.calls.consents import NeededConsent
from dialer.domain.places.area_code_states import states_of_area
from dialer.domain.words.contact_words import CALL, NUMBER, ContactKind, PeriodUnit, RestAfter, RuleScope
from dialer.domain.words.moments import NEVER_MS

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 86_400_000


class FrequencyRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of an account. It holds back a contact if `limit` earlier ones count in the period before it.

    With `after` it is a rest: it then counts contacts since the newest call of that kind, whose end begins the period.
    """

    id: int
    """Negative for a row of law."""
    name: str
    row: str = ""
    """The id of a row of law; empty for a rule of an account."""
    limit: int
    period: int
    unit: PeriodUnit
    counts: ContactKind = ContactKind.ATTEMPTS
    after: RestAfter | None = None
    seconds: int = 1
    """Least length of a conversation."""
    scope: RuleScope = RuleScope.ACCOUNT
    per: str = NUMBER
    media: frozenset[str] = frozenset({CALL})
    purposes: frozenset[str] = frozenset()
    """The purposes of the campaigns that it binds; empty for all."""
    country: str = ""
    state: str = ""
    from_date: date | None = None
    """The first day of the callee on which it holds."""
    until_date: date | None = None
    """The last such day."""
    spares_call_backs: bool = False
    """True for a rest that ends with the call-back to which the person agreed in the call that begins it."""

    def binds(self, medium: str, purpose: str) -> bool:
        """Return whether the rule is one for campaigns of a medium and a purpose, which may be not said."""
        return medium in self.media and (not self.purposes or not purpose or purpose in self.purposes)

    def is_for(self, number: str, state: str) -> bool:
        """Return whether the rule is one for a number, or for the state that its contact names, if it names one.

        A number that may be in the country counts as one that is; for a row of law one of a territory, too, where the
        law of the country holds. If its area code is in another state than the contact names, it counts as one of
        both; if neither tells the state, as one of any, but a territory is in no state of the country.
        """
        if not self.country:
            return True
        is_there = self.country in countries_of_number(number)
        if not is_there and not (self.row and self.country in countries_of_law(number)):
            return False
        if not self.state:
            return True
        places = states_of_area(number)
        named = state_of(state, number) if state else None
        if named is not None:
            places |= {(named.country, named.code)}
        return (is_there and not places) or (self.country, self.state) in places


class RuledCampaign(NamedTuple):
    """A campaign as rules see it."""

    id: int
    user_id: int
    seller: str
    rules: tuple[FrequencyRule, ...]
    """The rules that bind it. There may be none, if it needs a consent."""
    service_zone: str
    """The time zone of people whose own zone is not known."""
    consent: NeededConsent | None = None
    """The consent that it needs; None if it needs none."""
    is_real: bool = False
    """True if it calls people: what was rehearsed with simulated ones then counts for no rule."""
    countries: frozenset[str] | None = None
    """The countries for which its rules are; None if one is for everywhere."""

    def may_hold(self, number: str) -> bool:
        """Return whether a rule may hold a number back: nobody is read anew, or looked up, for whom none can."""
        if not self.rules:
            return False
        return self.countries is None or not self.countries.isdisjoint(countries_of_law(number))


class MadeContact(msgspec.Struct, frozen=True, kw_only=True):
    """A call or a text message that was made, or a call that came in. Times are in milliseconds."""

    at_ms: int
    ended_ms: int | None
    """The end of a call; None while it is in progress, as nobody knows what becomes of it."""
    medium: str
    callid: str
    campaign_id: int | None = None
    """None if the campaign was deleted, like the next two."""
    purpose: str | None = None
    seller: str | None = None
    billsec: int = 0
    is_person: bool = False
    is_abandoned: bool = False
    is_refusal: bool = False
    call_back_ms: int | None = None
    """The time for which the person agreed to be called back; None for none."""
    is_machine: bool = False
    """True if it was taken for a machine, and hung up."""
    is_inbound: bool = False
    is_simulated: bool = False
    """True if no person was contacted. Of a deleted campaign, its gateway tells, unless it is gone or was changed."""

    def is_counted(self, counts: str, seconds: int) -> bool | None:
        """Return whether it is of a kind; None if that is not known before its end."""
        if counts == ContactKind.ATTEMPTS:
            return not self.is_inbound
        if self.medium != CALL:
            return False
        if self.ended_ms is None:
            return None
        is_talk = self.is_person and self.billsec > 0
        kinds: dict[str, bool] = {
            ContactKind.ANSWERS: is_talk and not self.is_inbound,
            ContactKind.CONVERSATIONS: is_talk and self.billsec >= seconds,
            RestAfter.CONVERSATION: is_talk and self.billsec >= seconds,
            ContactKind.ABANDONED: self.is_abandoned,
            RestAfter.REFUSAL: self.is_refusal,
            RestAfter.MACHINE: self.is_machine,
        }
        return kinds[counts]


class HeldSpan(NamedTuple):
    """A time in which a rule holds contacts back: from `from_ms`, and before `until_ms`.

    `until_ms` is `NEVER_MS` if only the end of a call in progress ends it.
    """

    from_ms: int
    until_ms: int
    is_awaited: bool = False
    """True if a call in progress decides, whose end may end it earlier."""
    rule_id: int = 0
    """The rule; negative for a row of law."""


class RuleHold(NamedTuple):
    """A time in which a rule holds back the next contact, and the contacts for which it does."""

    span: HeldSpan
    counted: tuple[MadeContact, ...]
    spared_until_ms: int = 0
    """The time until which it would last, had the person not agreed to the call-back that ends the span; 0 for none."""


def countries_of(rules: Collection[FrequencyRule]) -> frozenset[str] | None:
    """Return the countries for which rules are; None if one is for everywhere."""
    return frozenset(rule.country for rule in rules) if all(rule.country for rule in rules) else None


def judge(
    rule: FrequencyRule, campaign: RuledCampaign, made: Iterable[MadeContact], zones: Sequence[tzinfo]
) -> tuple[RuleHold, ...]:
    """Return when a rule holds back the next contact of a campaign with a number, given those that were made.

    `zones` are the zones in which the person may be.
    """
    theirs = sorted((one for one in made if _is_within(rule, campaign, one)), key=lambda one: one.at_ms)
    holds = _rest(rule, campaign, theirs, zones) if rule.after is not None else _cap(rule, theirs, zones)
    return tuple(_between_days(rule, holds, zones))


def first_free_ms(spans: Iterable[HeldSpan], now_ms: int) -> int:
    """Return the first moment from `now_ms` on that is in no span; `NEVER_MS` if a call in progress decides."""
    for span in sorted(spans):
        if span.from_ms <= now_ms < span.until_ms:
            now_ms = NEVER_MS if span.is_awaited else span.until_ms
    return now_ms


def deciding_rules(spans: Iterable[HeldSpan], now_ms: int) -> dict[int, int]:
    """Return the rules that hold the next contact back at a moment, each with the first moment that it allows."""
    of_rules: dict[int, list[HeldSpan]] = {}
    for span in spans:
        of_rules.setdefault(span.rule_id, []).append(span)
    free_ms = {rule_id: first_free_ms(theirs, now_ms) for rule_id, theirs in of_rules.items()}
    return {rule_id: at_ms for rule_id, at_ms in sorted(free_ms.items()) if at_ms > now_ms}


def _between_days(rule: FrequencyRule, holds: Iterable[RuleHold], zones: Sequence[tzinfo]) -> Iterator[RuleHold]:
    """Yield what is left of holds on the days on which a rule holds."""
    first_ms, over_ms = 0, NEVER_MS
    if rule.from_date is not None:
        first_ms = min((_midnight_ms(rule.from_date, zone) for zone in zones), default=0)
    if rule.until_date is not None:
        over_ms = max(_midnight_ms(rule.until_date + timedelta(days=1), zone) for zone in zones)
    for (from_ms, until_ms, is_awaited, _), counted, spared_ms in holds:
        span = HeldSpan(max(from_ms, first_ms), min(until_ms, over_ms), is_awaited, rule.id)
        if span.from_ms < span.until_ms:
            yield RuleHold(span, counted, min(spared_ms, over_ms))


def _is_within(rule: FrequencyRule, campaign: RuledCampaign, contact: MadeContact) -> bool:
    """Return whether a contact is of a campaign at which a rule looks. Of a deleted campaign, anything may be true."""
    if contact.is_simulated and campaign.is_real:
        return False
    if rule.purposes and contact.purpose and contact.purpose not in rule.purposes:
        return False
    if rule.scope is RuleScope.CAMPAIGN:
        return contact.campaign_id == campaign.id
    return rule.scope is not RuleScope.SELLER or contact.seller in {None, campaign.seller}


def _cap(rule: FrequencyRule, made: Sequence[MadeContact], zones: Sequence[tzinfo]) -> Iterator[RuleHold]:
    """Yield the holds by a limit of contacts: first by those that count, then by calls in progress that may count."""
    kinds = [(one, one.is_counted(rule.counts, rule.seconds)) for one in made if one.medium in rule.media]
    counted = [one for one, kind in kinds if kind]
    open_calls = [one for one, kind in kinds if kind is None]
    until_ms = 0
    if len(counted) >= rule.limit:
        newest = counted[-rule.limit :]
        until_ms = _end_ms(rule, newest[0].at_ms, zones)
        yield RuleHold(HeldSpan(0, until_ms), tuple(newest))
    lacking = max(rule.limit - len(open_calls), 0)
    if open_calls and lacking <= len(counted):
        # Of those that are needed besides, the first one counts until then; without any, all depends on the calls.
        besides = counted[len(counted) - lacking :]
        end_ms = _end_ms(rule, besides[0].at_ms, zones) if besides else NEVER_MS
        yield RuleHold(HeldSpan(until_ms, end_ms, is_awaited=True), (*besides, *open_calls))


def _rest(
    rule: FrequencyRule, campaign: RuledCampaign, made: Sequence[MadeContact], zones: Sequence[tzinfo]
) -> Iterator[RuleHold]:
    """Yield the hold of a rest: by the newest call that begins it, with the contacts since.

    A call begins a rest of texts, too: only the contacts since are those of the rule's media.
    """
    kinds = [(one, one.is_counted(rule.after or "", rule.seconds)) for one in made]
    open_calls = tuple(one for one, kind in kinds if kind is None and not one.is_inbound)
    ended = [(one.ended_ms, one) for one, kind in kinds if kind and one.ended_ms is not None]
    newest_ms, newest = max(ended, key=lambda pair: pair[0], default=(0, None))
    if open_calls and not rule.limit:
        yield RuleHold(HeldSpan(0, NEVER_MS, is_awaited=True), open_calls)
    elif newest is not None:
        theirs = [one for one in made if one.medium in rule.media and one.at_ms >= newest_ms]
        since = [one for one in theirs if one.is_counted(rule.counts, rule.seconds) is not False]
        if len(since) >= rule.limit:
            yield _resting((newest, *since), _end_ms(rule, newest_ms, zones), _agreed_ms(rule, campaign, ended))


def _resting(counted: tuple[MadeContact, ...], end_ms: int, agreed_ms: int | None) -> RuleHold:
    if agreed_ms is None or agreed_ms >= end_ms:
        return RuleHold(HeldSpan(0, end_ms), counted)
    return RuleHold(HeldSpan(0, agreed_ms), counted, spared_until_ms=end_ms)


def _agreed_ms(rule: FrequencyRule, campaign: RuledCampaign, ended: Iterable[tuple[int, MadeContact]]) -> int | None:
    """Return the time of the call-back of a campaign to which a person has agreed; None for none that is to come.

    The newest talk counts. One that came in, and ended before that time, changes nothing, unless they refuse in it. A
    time that passes before the end of the talk, or of one since, is no consent: the rest begins with that end.
    """
    if not rule.spares_call_backs:
        return None
    newest_first = sorted(ended, key=lambda pair: pair[0], reverse=True)
    for _, one in newest_first:
        agreed_ms = one.call_back_ms if one.campaign_id == campaign.id else None
        if agreed_ms is not None:
            newest_ms, _ = newest_first[0]
            return agreed_ms if agreed_ms > newest_ms else None
        if not one.is_inbound or one.is_refusal:
            return None
    return None


def _end_ms(rule: FrequencyRule, at_ms: int, zones: Sequence[tzinfo]) -> int:
    """Return the moment from which something that happened at `at_ms` counts no more."""
    if rule.unit is PeriodUnit.HOURS:
        return at_ms + rule.period * HOUR_MS
    if rule.unit is PeriodUnit.DAYS:
        return at_ms + rule.period * DAY_MS
    moment = datetime.fromtimestamp(at_ms / 1_000, UTC)
    days = timedelta(days=rule.period)
    return max(_midnight_ms(moment.astimezone(zone).date() + days, zone) for zone in zones)


def _midnight_ms(day: date, zone: tzinfo) -> int:
    """Return the first moment of a day in a zone."""
    return int(datetime.combine(day, time(), zone).timestamp() * 1_000)
