"""Dial rules: whether a person may be called now, only later, or never.

Each rule is a function from facts to a verdict. Dialling obeys the rules, and explanations name the first one that
speaks against a call, so both always agree. A new rule is a row in a table here, and a field of the facts it looks at.

Dialling gathers the facts at every call. Facts with their default values speak against nothing, so it consults the
table for other facts only.
"""

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

import msgspec

from dialer.domain.rules.awaited_skills import AwaitedSkills
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import SubscriberReason, WaitsFor


class Allowed(msgspec.Struct, frozen=True, gc=False):
    """The verdict that nothing speaks against a call."""


class Never(msgspec.Struct, frozen=True, gc=False):
    """The verdict that a person must not be called at all."""

    reason: SubscriberReason


class Later(msgspec.Struct, frozen=True, gc=False):
    """The verdict that a call has to wait."""

    at_ms: int
    """The earliest time at which the rule may allow the call; `NEVER_MS` if an event must come first."""
    reason: WaitsFor


Verdict: TypeAlias = Allowed | Never | Later
ALLOWED: Final = Allowed()


class PersonFacts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The state of one person at one moment, as far as the rules look at it. Times are in milliseconds."""

    is_emergency: bool = False
    """True if the number is an emergency number, or becomes one with the prefixes of the gateway."""
    is_impossible: bool = False
    """True if the number is impossible in its country, and people are called over the gateway."""
    is_forbidden: bool = False
    """True if the account may not call the number."""
    has_unknown_zone: bool = False
    is_on_dnc: bool = False
    """True if the number is on a do-not-call list of the campaign."""
    is_held: bool = False
    """True if the only such list is that of the numbers which the account holds."""
    lacks_consent: bool = False
    """True if the campaign needs a consent of the person, and none is good now."""
    awaits_skills: AwaitedSkills | None = None
    """The lack of an agent with the skills that the call needs; None if somebody has them, or it needs none."""
    is_without_text: bool = False
    """True if the campaign sends text messages, and that for the person is blank."""
    held_until_ms: int = 0
    """The time until which contact rules hold the person back; 0 or a time that is past if none does."""
    now_ms: int = 0
    starting_ms: int = 0
    """The begin of the campaign."""
    closed_until_ms: int = 0
    """The end of the time in which the calling window is closed; 0 if it is open."""
    due_ms: int = 0
    """The time at which the next attempt is due."""
    ready_ms: int = 0
    """The first time at which these three times are past; `NEVER_MS` if it is not known, or the campaign is over then.
    """


ORDINARY: Final = PersonFacts()
"""The facts of a person who may be called now."""


class PlaceFacts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The room for one more call at one moment, as far as the rules look at it. Times are in milliseconds."""

    now_ms: int = 0
    agents_at_ms: int = 0
    """The time at which the agents of the campaign allow a call; `NEVER_MS` if it is not known."""
    lacks_skills: bool = False
    """True if agents are on duty, and none of them has the skills that a queue of the campaign needs."""
    max_aleg: int = 0
    """Maximum number of calls in progress of the campaign; 0: no limit."""
    calls: int = 0
    """Number of calls in progress of the campaign."""
    is_line_down: bool = False
    """True if the connection to the carrier does not work."""
    rests_until_ms: int = 0
    """The end of the gateway's rest, possibly past."""
    is_rest_asked_for: bool = False
    """True if the carrier asked for the rest, which did not follow failures in a row."""
    free_channels: int = 1
    """Number of calls for which the gateway has room; 0 or less if it is full."""
    lacks_credit: bool = False
    """True if the free balance of the account pays for no call."""
    is_credit_held: bool = False
    """True if calls in progress of the account hold a part of its balance, which they release."""


def emergency_number(person: PersonFacts) -> Verdict:
    """Refuse emergency numbers."""
    return Never(SubscriberReason.EMERGENCY) if person.is_emergency else ALLOWED


def impossible_number(person: PersonFacts) -> Verdict:
    """Refuse numbers that do not exist."""
    return Never(SubscriberReason.INVALID_NUMBER) if person.is_impossible else ALLOWED


def forbidden_destination(person: PersonFacts) -> Verdict:
    """Refuse numbers that the account may not call."""
    return Never(SubscriberReason.DESTINATION) if person.is_forbidden else ALLOWED


def unknown_zone(person: PersonFacts) -> Verdict:
    """Refuse a person for whom no time is certain to be legal."""
    return Never(SubscriberReason.TZ_UNKNOWN) if person.has_unknown_zone else ALLOWED


def do_not_call(person: PersonFacts) -> Verdict:
    """Refuse numbers on do-not-call lists, and those that are held until somebody has looked."""
    if not person.is_on_dnc:
        return ALLOWED
    return Never(SubscriberReason.HELD if person.is_held else SubscriberReason.DNC)


def consent(person: PersonFacts) -> Verdict:
    """Refuse a person of whom there is no consent that the campaign needs."""
    return Never(SubscriberReason.NO_CONSENT) if person.lacks_consent else ALLOWED


def blank_text(person: PersonFacts) -> Verdict:
    """Refuse a text message without any text."""
    return Never(SubscriberReason.NO_TEXT) if person.is_without_text else ALLOWED


def begin_of_campaign(person: PersonFacts) -> Verdict:
    """Put a call off until the campaign begins."""
    return Later(person.ready_ms, WaitsFor.STARTING) if person.starting_ms > person.now_ms else ALLOWED


def frequency(person: PersonFacts) -> Verdict:
    """Put an attempt off until the contact rules of the account allow it. One that is due later waits for that."""
    is_held = person.held_until_ms > person.now_ms >= person.due_ms
    return Later(person.ready_ms, WaitsFor.FREQUENCY) if is_held else ALLOWED


def calling_window(person: PersonFacts) -> Verdict:
    """Put a call off until the window opens. An attempt that is due later waits for its due time instead."""
    is_closed = person.closed_until_ms > person.now_ms and person.due_ms <= person.closed_until_ms
    return Later(person.ready_ms, WaitsFor.WINDOW) if is_closed else ALLOWED


def due_time(person: PersonFacts) -> Verdict:
    """Put an attempt off until it is due."""
    return Later(person.ready_ms, WaitsFor.RETRY) if person.due_ms > person.now_ms else ALLOWED


def skills(person: PersonFacts) -> Verdict:
    """Put a call off until an agent is free who has the skills that it needs."""
    return Later(NEVER_MS, person.awaits_skills) if person.awaits_skills is not None else ALLOWED


def agents(place: PlaceFacts) -> Verdict:
    """Put a call off until the agents of the campaign can take one more."""
    if place.agents_at_ms <= place.now_ms:
        return ALLOWED
    return Later(place.agents_at_ms, WaitsFor.NO_SKILL if place.lacks_skills else WaitsFor.NO_AGENT)


def calls_of_campaign(place: PlaceFacts) -> Verdict:
    """Put a call off while as many are in progress as `max_aleg` allows."""
    return Later(NEVER_MS, WaitsFor.MAX_ALEG) if 0 < place.max_aleg <= place.calls else ALLOWED


def line(place: PlaceFacts) -> Verdict:
    """Put a call off while the line of the gateway does not work."""
    return Later(NEVER_MS, WaitsFor.LINE_DOWN) if place.is_line_down else ALLOWED


def rest_of_gateway(place: PlaceFacts) -> Verdict:
    """Put a call off while the gateway rests."""
    if place.rests_until_ms <= place.now_ms:
        return ALLOWED
    return Later(place.rests_until_ms, WaitsFor.ASKED_TO_REST if place.is_rest_asked_for else WaitsFor.RESTING)


def channels(place: PlaceFacts) -> Verdict:
    """Put a call off while the gateway is full."""
    return Later(NEVER_MS, WaitsFor.GATEWAY_FULL) if place.free_channels <= 0 else ALLOWED


def credit(place: PlaceFacts) -> Verdict:
    """Put a call off while the account cannot pay for it; what calls in progress hold may pay for it later."""
    if not place.lacks_credit:
        return ALLOWED
    return Later(NEVER_MS, WaitsFor.CREDIT_HELD if place.is_credit_held else WaitsFor.NO_CREDIT)


PersonRule: TypeAlias = Callable[[PersonFacts], Verdict]
PlaceRule: TypeAlias = Callable[[PlaceFacts], Verdict]
PERSON_RULES: Final[tuple[PersonRule, ...]] = (
    emergency_number,
    impossible_number,
    forbidden_destination,
    unknown_zone,
    do_not_call,
    consent,
    blank_text,
    begin_of_campaign,
    frequency,
    calling_window,
    due_time,
    skills,
)
"""The rules about a person, in their order."""
CAMPAIGN_RULES: Final[tuple[PlaceRule, ...]] = (agents, calls_of_campaign)
"""The rules about the room that a campaign has."""
GATEWAY_RULES: Final[tuple[PlaceRule, ...]] = (line, rest_of_gateway, channels)
"""The rules about the room that a gateway has."""
PLACE_RULES: Final[tuple[PlaceRule, ...]] = (*CAMPAIGN_RULES, *GATEWAY_RULES, credit)
"""The rules about the room for a call to a person whose time has come, in their order."""

_Facts = TypeVar("_Facts", PersonFacts, PlaceFacts)


def verdict_on(facts: _Facts, rules: tuple[Callable[[_Facts], Verdict], ...]) -> Verdict:
    """Return the verdict of the first rule that does not allow a call, else that it is allowed."""
    for rule in rules:
        verdict = rule(facts)
        if verdict is not ALLOWED:
            return verdict
    return ALLOWED


def room_at_ms(place: PlaceFacts, rules: tuple[PlaceRule, ...]) -> int:
    """Return the earliest time at which all of these rules may allow a call; `NEVER_MS` if an event must come first."""
    verdicts = [rule(place) for rule in rules]
    return max([place.now_ms, *(verdict.at_ms for verdict in verdicts if isinstance(verdict, Later))])
