"""The check of a campaign: hours, retries, contacts and agents with which it would call nobody, or fewer than meant."""

from collections.abc import Iterator, Mapping
from datetime import time
from typing import Final

import msgspec

from dialer.domain.calling_times.calendars import END_OF_DAY, Calendar
from dialer.domain.rules.abandoned_law import above_the_law
from dialer.domain.rules.abandoned_limits import LEGAL_PERCENT
from dialer.domain.rules.common_hours import CallingSpan, PeopleOfZone, check_common_hours
from dialer.domain.rules.doubtful_entries import NO_DOUBT, DoubtfulEntries, stopping_nobody, without_country
from dialer.domain.rules.unknown_places import UnknownStates, in_unknown_areas, with_unknown_state
from dialer.domain.rules.unserved_skills import UnservedSkills, without_skill
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.sentences import FieldName, RecordName, Sentence, counting_sentence

RETRIES_TRIED_MAX: Final = 20
"""Number of retries whose times are computed."""
EXAMPLE_DIGITS: Final = 3
"""Digits of a number that a message shows."""
CALL_BACKS_MS: Final = 2 * 86_400_000
"""The length of a campaign below which an agent cannot promise a call on each of the next days."""
_SECOND_MS: Final = 1_000


class Retries(msgspec.Struct, frozen=True):
    """The retries of a campaign: the fields that set their number and interval, and both values."""

    count_field: str
    interval_field: str
    count: int
    interval_ms: int


class CampaignFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The settings and the contacts of a campaign, as far as the check needs them."""

    now_ms: int
    starting_ms: int
    expires_ms: int
    calendar: Calendar
    hours: Calendar | None
    """The calling hours of its gateway; None if calls are allowed at any hour."""
    service_zone: str
    retries: tuple[Retries, ...]
    is_used_up_by_carrier: bool = False
    """True if a real call that the carrier cannot place is a person's only one."""
    has_phonebook: bool
    has_people: bool
    """True if it has a contact or a subscriber."""
    lacks_callerid: bool
    without_consent: int = 0
    """People who have not given the consent that the campaign needs."""
    lacks_purpose: bool = False
    """True if the campaign does not say what it is for."""
    has_no_balance: bool = False
    """True if attempts have a price, and the owner has no free balance."""
    without_country: int
    """Numbers without a country code, up to `without_country_max`."""
    without_country_max: int
    without_country_example: str = ""
    """One of these numbers."""
    unknown_areas: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Area codes whose place is not known, each with its numbers."""
    unknown_states: UnknownStates | None = None
    """People whose column `state` is not understood; None without any."""
    forbidden: int = 0
    """Numbers that the account may not call, among the first ones."""
    forbidden_example: str = ""
    """One of these numbers."""
    forbidden_sections: tuple[int, ...] = ()
    """Sections that transfer calls to a number that the account may not call, by id."""
    queues_without_agents: tuple[tuple[int, RecordName], ...]
    """Sections that transfer calls to a queue which no agent serves, each with the queue, by id."""
    unserved_skills: tuple[UnservedSkills, ...] = ()
    """Skills that no agent of a queue has, by queue."""
    is_at_fixed_pace: bool = False
    """True if calls are placed at a fixed pace, whether agents are free or not."""
    has_agents: bool = False
    """True if the survey leads to queues, whose agents may promise call-backs."""
    ends_when_done: bool = True
    abandon_limit: float = LEGAL_PERCENT
    """The campaign's own limit on abandoned calls, in per cent."""
    countries: frozenset[str] = frozenset()
    """Countries with a known rule on abandoned calls, as far as numbers there are called."""
    lacks_list: bool = False
    """True if people may ask not to be called again, and the campaign names no do-not-call list."""
    doubtful_entries: DoubtfulEntries = NO_DOUBT
    """Numbers on its do-not-call lists that may stop no calls."""
    shows_secrets: bool = False
    """True if the gateway for messages sends its secrets in clear."""
    texts_people: bool = False
    """True if text messages go to people who may answer STOP."""
    records_silently: bool = False
    """True if calls are recorded, and callees are told nothing of it."""
    unrecorded_queue: bool = False
    """True if a queue records its calls, and the carrier keeps their sound to itself."""
    people_by_zone: tuple[PeopleOfZone, ...] = ()
    """The people whom it would call, by zone key."""
    counts_part: bool = False
    """True if there are more people than these."""


def check_campaign(facts: CampaignFacts) -> Iterator[Finding]:
    """Yield the warnings about a campaign."""
    yield from _check_hours(facts)
    yield from check_common_hours(_span(facts), facts.people_by_zone, is_part=facts.counts_part)
    yield from _check_retries(facts)
    yield from _check_failures(facts)
    yield from _check_call_backs(facts)
    yield from _check_pace(facts)
    yield from _check_abandon_limit(facts)
    yield from _check_people(facts)
    if facts.has_no_balance:
        message = Sentence(
            "There is no free balance, so the campaign pauses before its first call. An admin can record a payment."
        )
        yield _warning(FindingCode.NO_BALANCE, "user", message)
    if facts.lacks_callerid:
        yield _warning(
            FindingCode.NO_CALLERID,
            "callerid",
            Sentence("Callees are shown no number. Set %(field)s.", field=FieldName("callerid")),
        )
    yield from _check_destinations(facts)
    if facts.records_silently:
        message = Sentence(
            "Calls are recorded, and callees are not told. In many places the law asks for a notice or for consent."
            " Set %(notice)s or %(script)s, or let the survey say it.",
            notice=FieldName("record_notice"),
            script=FieldName("record_notice_script"),
        )
        yield _warning(FindingCode.RECORDING_WITHOUT_NOTICE, "record", message)
    if facts.unrecorded_queue:
        message = Sentence("A queue records the calls that its agents take. Calls over this carrier cannot be.")
        yield _warning(FindingCode.NOT_RECORDABLE, "aleg_gateway", message)
    if facts.lacks_list:
        yield _without_list(texts_people=facts.texts_people)
    if facts.doubtful_entries.stopping_nobody:
        yield _warning(FindingCode.PROTECTS_NOBODY, "dnc", stopping_nobody(facts.doubtful_entries))
    if facts.doubtful_entries.without_country:
        yield _warning(FindingCode.LIST_WITHOUT_COUNTRY, "dnc", without_country(facts.doubtful_entries))
    if facts.shows_secrets:
        message = Sentence(
            "The password of the carrier for messages goes to an http:// address, which others on the way can read."
            " An admin can change the address to https://."
        )
        yield _warning(FindingCode.PLAIN_HTTP, "sms_gateway", message)
    for section_id, queue in facts.queues_without_agents:
        message = Sentence(
            "No agent serves queue %(queue)s, to which the section transfers calls. Assign an agent to it.", queue=queue
        )
        yield Finding(FindingLevel.WARNING, FindingCode.NO_AGENTS, section_id, message)
    yield from map(without_skill, facts.unserved_skills)
    yield from _check_purpose(facts)
    yield from _check_consents(facts)


def _check_purpose(facts: CampaignFacts) -> Iterator[Finding]:
    if facts.lacks_purpose:
        message = Sentence(
            "The campaign does not say what it is for, so rules for any purpose hold for it. Set %(field)s.",
            field=FieldName("purpose"),
        )
        yield _warning(FindingCode.NO_PURPOSE, "purpose", message)


def _check_consents(facts: CampaignFacts) -> Iterator[Finding]:
    if facts.without_consent:
        message = Sentence(
            "%(count)s people have not given the consent that the campaign needs (%(field)s), and are refused at their"
            " turn.",
            count=facts.without_consent,
            field=FieldName("requires_consent"),
        )
        yield _warning(FindingCode.NO_CONSENT, "requires_consent", message)


def _span(facts: CampaignFacts) -> CallingSpan:
    from_ms = max(facts.now_ms, facts.starting_ms)
    return CallingSpan(facts.calendar, facts.hours, from_ms, facts.expires_ms, facts.service_zone)


def _without_list(*, texts_people: bool) -> Finding:
    if texts_people:
        message = Sentence(
            "The campaign names no do-not-call list. People who answer STOP or ask not to be called again go on the"
            " account's own list, which holds for all its campaigns. To keep a further list, set %(field)s.",
            field=FieldName("dnc"),
        )
    else:
        message = Sentence(
            "The campaign names no do-not-call list. People who ask not to be called again go on the account's own"
            " list, which holds for all its campaigns; simulated people go on a list of their own. To keep a further"
            " list, set %(field)s.",
            field=FieldName("dnc"),
        )
    code = FindingCode.NO_LIST_FOR_STOP if texts_people else FindingCode.NO_LIST_FOR_WISHES
    return _warning(code, "dnc", message)


def _check_destinations(facts: CampaignFacts) -> Iterator[Finding]:
    remedy = Sentence(
        "An admin can allow the country (%(countries)s), or such numbers (%(special)s, or a rate card).",
        countries=FieldName("allowed_countries"),
        special=FieldName("allows_special"),
    )
    if facts.forbidden:
        message = counting_sentence(
            "A number (%(example)s) may not be called by the account. %(remedy)s",
            "%(count)s numbers (%(example)s) may not be called by the account. %(remedy)s",
            facts.forbidden,
            example=_masked(facts.forbidden_example),
            remedy=remedy,
        )
        yield _warning(FindingCode.DESTINATION, "phonebook", message)
    for section_id in facts.forbidden_sections:
        message = Sentence(
            "The account may not call the section's %(field)s. %(remedy)s",
            field=FieldName("phonenumber"),
            remedy=remedy,
        )
        yield Finding(FindingLevel.WARNING, FindingCode.DESTINATION, section_id, message)


def _check_hours(facts: CampaignFacts) -> Iterator[Finding]:
    calendar, hours = facts.calendar, facts.hours
    window = _hours(calendar, "%H:%M:%S")
    if not any(calendar.weekdays):
        message = Sentence("No weekday is set, so nobody is called. Switch one on.")
        yield _warning(FindingCode.NO_WEEKDAY, "monday", message)
    if calendar.stop < calendar.start:
        message = Sentence(
            "%(window)s spans midnight. For hours of one day, set %(stop)s after %(start)s.",
            window=window,
            stop=FieldName("daily_stop_time"),
            start=FieldName("daily_start_time"),
        )
        yield _warning(FindingCode.OVER_MIDNIGHT, "daily_stop_time", message)
    if hours is None:
        return
    allowed = _hours(hours, "%H:%M")
    spans = _spans(calendar)
    if not any(start < hours.stop and hours.start < stop for start, stop in spans):
        message = Sentence(
            "%(window)s is outside the calling hours, %(hours)s, so nobody is called. Set other times.",
            window=window,
            hours=allowed,
        )
        yield _warning(FindingCode.NEVER_OPEN, "daily_start_time", message)
    elif any(start < hours.start or hours.stop < stop for start, stop in spans):
        message = Sentence(
            "%(window)s is wider than the calling hours, %(hours)s. Calls are made only within both.",
            window=window,
            hours=allowed,
        )
        yield _warning(FindingCode.WIDER_THAN_CALLING_HOURS, "daily_start_time", message)


def _hours(calendar: Calendar, spelling: str) -> Sentence:
    start, stop = calendar.start.strftime(spelling), calendar.stop.strftime(spelling)
    return Sentence("%(start)s to %(stop)s", start=start, stop=stop)


def _spans(calendar: Calendar) -> list[tuple[time, time]]:
    """Return the parts of a day in which a window is open."""
    if calendar.start <= calendar.stop:
        return [(calendar.start, calendar.stop)]
    before_midnight, after_midnight = (calendar.start, END_OF_DAY), (time(0, 0), calendar.stop)
    return [before_midnight, after_midnight] if calendar.stop > time(0, 0) else [before_midnight]


def _check_retries(facts: CampaignFacts) -> Iterator[Finding]:
    first_ms = _span(facts).opens_ms("")
    if first_ms is None:
        return
    for retries in facts.retries:
        wanted = min(retries.count, RETRIES_TRIED_MAX)
        possible = _possible_retries(facts, first_ms, retries.interval_ms, wanted)
        if possible < wanted:
            message = Sentence(
                "Of %(retries)s retries after %(seconds)s s each, %(possible)s can fall into the window before"
                " %(end)s, even if the first call is made at once. Set a shorter interval or a later %(end)s.",
                end=FieldName("expirationdate"),
                retries=retries.count,
                seconds=retries.interval_ms // _SECOND_MS,
                possible=possible,
            )
            yield _warning(FindingCode.RETRIES_TOO_LATE, retries.interval_field, message)


def _check_failures(facts: CampaignFacts) -> Iterator[Finding]:
    if facts.is_used_up_by_carrier:
        message = Sentence(
            "If the carrier cannot place a call, the person counts as not reached and is not called again, although no"
            " telephone rang. Set %(field)s, such as 5.",
            field=FieldName("carrier_maxretry"),
        )
        yield _warning(FindingCode.USED_UP_BY_CARRIER, "carrier_maxretry", message)


def _check_call_backs(facts: CampaignFacts) -> Iterator[Finding]:
    length_ms = facts.expires_ms - max(facts.now_ms, facts.starting_ms)
    if not facts.has_agents or not 0 < length_ms < CALL_BACKS_MS:
        return
    remedy = Sentence("Set a later %(field)s.", field=FieldName("expirationdate"))
    if facts.ends_when_done:
        remedy = Sentence(
            "%(remedy)s To keep it open when nobody is left to call, switch off %(field)s.",
            remedy=remedy,
            field=FieldName("end_when_done"),
        )
    message = Sentence(
        "The campaign ends within two days, so agents cannot promise call-backs for later. %(remedy)s", remedy=remedy
    )
    yield _warning(FindingCode.SHORT_FOR_CALL_BACKS, "expirationdate", message)


def _check_pace(facts: CampaignFacts) -> Iterator[Finding]:
    if not facts.has_agents or not facts.is_at_fixed_pace:
        return
    message = Sentence(
        "Calls are placed at a fixed pace (%(frequency)s), whether an agent is free or not. People who answer while no"
        " agent is free are abandoned calls. Set %(field)s to dial ahead of free agents, or only for free ones.",
        frequency=FieldName("frequency"),
        field=FieldName("dial_method"),
    )
    yield _warning(FindingCode.FIXED_PACE, "dial_method", message)


def _check_abandon_limit(facts: CampaignFacts) -> Iterator[Finding]:
    message = above_the_law(facts.countries, facts.abandon_limit) if facts.has_agents else None
    if message is not None:
        yield _warning(FindingCode.ABANDON_LIMIT, "abandon_rate_max", message)


def _possible_retries(facts: CampaignFacts, first_ms: int, interval_ms: int, wanted: int) -> int:
    at_ms = first_ms
    for made in range(wanted):
        next_ms = _span(facts).opens_ms("", at_ms + interval_ms)
        if next_ms is None:
            return made
        at_ms = next_ms
    return wanted


def _check_people(facts: CampaignFacts) -> Iterator[Finding]:
    if not facts.has_people and facts.has_phonebook:
        message = Sentence("Nobody is called. The phonebooks have no contacts. Add some.")
        yield _warning(FindingCode.NO_CONTACTS, "phonebook", message)
    elif not facts.has_people:
        yield _warning(FindingCode.NO_PHONEBOOK, "phonebook", Sentence("Nobody is called. Set a phonebook."))
    if facts.without_country:
        yield _warning(FindingCode.NO_COUNTRY, "phonebook", _without_country(facts))
    if facts.unknown_areas:
        yield _warning(FindingCode.UNKNOWN_AREA, "phonebook", in_unknown_areas(facts.unknown_areas))
    if facts.unknown_states is not None:
        yield with_unknown_state(facts.unknown_states)


def _without_country(facts: CampaignFacts) -> Sentence:
    remedy = Sentence(
        "Do-not-call lists and time zones may miss them. Import them again and choose their country there (in the API:"
        " region), or write them with a +."
    )
    example = _masked(facts.without_country_example)
    if facts.without_country >= facts.without_country_max:
        return Sentence(
            "At least %(count)s numbers have no country code (such as %(example)s). %(remedy)s",
            count=facts.without_country,
            example=example,
            remedy=remedy,
        )
    return counting_sentence(
        "A number has no country code (%(example)s). %(remedy)s",
        "%(count)s numbers have no country code (such as %(example)s). %(remedy)s",
        facts.without_country,
        example=example,
        remedy=remedy,
    )


def _masked(number: str) -> str:
    """Return the first digits of a number, by which its users recognise their own."""
    return f"{number[:EXAMPLE_DIGITS]}…"


def _warning(code: FindingCode, field: str, message: str) -> Finding:
    return Finding(FindingLevel.WARNING, code, None, message, field=field)
