"""Callee profiles: the behaviour that a gateway's `parameters` describe, and the fixed test numbers."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from dialer.domain.numbers.listed_forms import listed_forms
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.enums import MessageStatus
from dialer.sim.callee_parameters import CalleeParameters
from dialer.sim.program_talk import ProgramTalks, read_talks
from dialer.sim.spans import (
    BehaviourError,
    Span,
    cumulative,
    read_chance,
    read_milliseconds,
    read_probability,
    read_span,
    refuse_unknown,
    shown,
)

NUMBERS_MAX: Final = 10_000
"""Limit of scripted numbers in the parameters of one gateway."""
ATTEMPTS_MAX: Final = 100
PROMPTS_MAX: Final = 100
"""Limit of entries in one number's `keys`."""
KEYS_LENGTH_MAX: Final = 32
KEY_CHANCES_MAX: Final = 100
_KEYPAD: Final = frozenset("0123456789*#")


class CalleeOutcome(StrEnum):
    """Outcome of dialling a number."""

    ANSWER = "answer"
    MACHINE = "machine"
    BUSY = "busy"
    NO_ANSWER = "no_answer"
    REJECTED = "rejected"
    INVALID = "invalid"
    CONGESTION = "congestion"
    OUT_OF_ORDER = "out_of_order"
    FAILURE = "failure"
    CHANGED = "changed"


class Scripted(msgspec.Struct, frozen=True):
    """Scripted behaviour of one number. A field that is None follows the population."""

    outcome: CalleeOutcome | None = None
    post_dial_delay: Span | None = None
    ring: Span | None = None
    keys: tuple[str, ...] | None = None
    """Keys pressed after each prompt that asks for input, in order. After the last entry, none are pressed."""
    key_delay: Span | None = None
    hang_up_after_ms: int | None = None
    """Milliseconds from the answer."""
    listens: bool = False
    """True to hear every prompt to its end, regardless of the population's `listen`."""
    repeat_keys: bool = False
    """True to press the last of `keys` after every further prompt, too."""
    patience: Span | None = None
    call_back_after: Span | None = None
    """Delay from a missed call until the callee calls back."""
    talks: bool = False
    """True to stay on the line after the survey ends, until the call's limit."""
    attempts: tuple["Scripted", ...] = ()
    """Behaviour at each attempt, which replaces the fields above. The last entry repeats."""


class Behaviour(msgspec.Struct, frozen=True):
    """Behaviour of a population. Probabilities are thresholds of `dialer.sim.chance`; lists of them are cumulative."""

    outcomes: tuple[tuple[int, CalleeOutcome], ...]
    """Cumulative thresholds. The remaining probability means no answer."""
    machine: int
    amd_error: int
    post_dial_delay: Span
    ring: Span
    listen: int
    keys: tuple[tuple[int, str], ...]
    """Cumulative thresholds. The remaining probability means no input."""
    key_delay: Span
    talk: Span
    patience: Span
    call_back: int
    call_back_after: Span
    sms_delivered: int
    sms_reply_stop: int
    conversation: ProgramTalks
    numbers: dict[str, Scripted]
    """Scripts by the digits of the number."""
    has_national_numbers: bool = False
    """True if some of these are written without a `+`, so perhaps without a country."""


_POST_DIAL_DELAY: Final = Span(1_000, 1_000)
_RING: Final = Span(4_000, 4_000)
_KEY_DELAY: Final = Span(2_000, 2_000)


def _always(outcome: CalleeOutcome, keys: tuple[str, ...] = (), *, talks: bool = False) -> Scripted:
    return Scripted(
        outcome,
        post_dial_delay=_POST_DIAL_DELAY,
        ring=_RING,
        keys=keys,
        key_delay=_KEY_DELAY,
        listens=True,
        repeat_keys=True,
        talks=talks,
    )


_PERSON: Final = _always(CalleeOutcome.ANSWER)

ALWAYS_THE_SAME: Final[dict[str, Scripted]] = {
    "12025550100": _PERSON,
    **{f"1202555010{key}": _always(CalleeOutcome.ANSWER, (str(key),)) for key in range(1, 10)},
    "12025550110": _always(CalleeOutcome.MACHINE),
    "12025550111": _always(CalleeOutcome.BUSY),
    "12025550112": _always(CalleeOutcome.NO_ANSWER),
    "12025550113": _always(CalleeOutcome.REJECTED),
    "12025550114": _always(CalleeOutcome.INVALID),
    "12025550115": _always(CalleeOutcome.CONGESTION),
    "12025550116": _always(CalleeOutcome.OUT_OF_ORDER),
    "12025550117": _always(CalleeOutcome.FAILURE),
    "12025550118": msgspec.structs.replace(_PERSON, hang_up_after_ms=1_000),
    "12025550119": Scripted(attempts=(_always(CalleeOutcome.NO_ANSWER), _PERSON)),
    "12025550120": _always(CalleeOutcome.CHANGED),
    "12025550121": _always(CalleeOutcome.ANSWER, talks=True),
}
"""Test numbers that behave identically on every simulated gateway, by their digits."""

TEXTED_ALWAYS_THE_SAME: Final[dict[str, tuple[MessageStatus, str]]] = {
    "12025550130": (MessageStatus.FAILED, ""),
    "12025550131": (MessageStatus.NO_ROUTE, ""),
    "12025550132": (MessageStatus.DELIVERED, " Stop "),
}
"""Status of a message to each of these numbers, and the reply."""

_DEFAULTS: Final[dict[str, object]] = msgspec.structs.asdict(CalleeParameters())
_OUTCOME_CHANCES: Final = (
    CalleeOutcome.ANSWER,
    CalleeOutcome.BUSY,
    CalleeOutcome.REJECTED,
    CalleeOutcome.INVALID,
    CalleeOutcome.CONGESTION,
)
_ATTEMPT_KEYS: Final = frozenset(
    {"outcome", "ring", "keys", "key_delay", "hang_up_after", "patience", "call_back_after"}
)
_NUMBER_KEYS: Final = _ATTEMPT_KEYS | {"attempts"}


def parse_behaviour(parameters: Mapping[str, object]) -> Behaviour:
    """Return the behaviour that a gateway's `parameters` describe. Missing keys have their default.

    Raises:
        BehaviourError: an unknown key, a value out of bounds, or chances that sum to more than 1.
    """
    refuse_unknown("", parameters, _DEFAULTS.keys())
    given = {**_DEFAULTS, **parameters}
    return Behaviour(
        outcomes=cumulative(
            ", ".join(_OUTCOME_CHANCES), {name: read_probability(name, given[name]) for name in _OUTCOME_CHANCES}
        ),
        machine=read_chance("machine", given["machine"]),
        amd_error=read_chance("amd_error", given["amd_error"]),
        post_dial_delay=read_span("post_dial_delay", given["post_dial_delay"]),
        ring=read_span("ring", given["ring"]),
        listen=read_chance("listen", given["listen"]),
        keys=_key_chances(given["keys"]),
        key_delay=read_span("key_delay", given["key_delay"]),
        talk=read_span("talk", given["talk"]),
        patience=read_span("patience", given["patience"]),
        call_back=read_chance("call_back", given["call_back"]),
        call_back_after=read_span("call_back_after", given["call_back_after"]),
        sms_delivered=read_chance("sms_delivered", given["sms_delivered"]),
        sms_reply_stop=read_chance("sms_reply_stop", given["sms_reply_stop"]),
        conversation=read_talks(given["conversation"]),
        numbers=_numbers(given["numbers"]),
        has_national_numbers=_has_national(given["numbers"]),
    )


def scripted_for(behaviour: Behaviour, number: str, attempt: int) -> Scripted | None:
    """Return the script of a number (in any spelling) for its n-th attempt, from 1, or None if it has no script."""
    digits = number[1:] if number[:1] == "+" else number
    if not digits.isdigit():
        digits = "".join(filter(str.isdigit, number))
    scripted = behaviour.numbers.get(digits)
    if scripted is None and behaviour.has_national_numbers:
        scripted = _of_national(behaviour, number)
    scripted = scripted or ALWAYS_THE_SAME.get(digits)
    if scripted is None or not scripted.attempts:
        return scripted
    return scripted.attempts[min(attempt, len(scripted.attempts)) - 1]


def _of_national(behaviour: Behaviour, number: str) -> Scripted | None:
    """Return the script of a number that the parameters write without its country."""
    if number[:1] != "+":
        return None
    return next((behaviour.numbers[form] for form in listed_forms(number) if form in behaviour.numbers), None)


def _key_chances(value: object) -> tuple[tuple[int, str], ...]:
    """Return cumulative thresholds in the order of the keys, "" last, so equal documents give equal calls."""
    if not isinstance(value, Mapping) or len(value) > KEY_CHANCES_MAX:
        raise BehaviourError(f"keys: Must be an object of at most {KEY_CHANCES_MAX} chances by keys.")
    chances = {_entry("keys", key): read_probability("keys", chance) for key, chance in value.items()}
    return cumulative("keys", {key: chances[key] for key in sorted(chances, key=lambda key: (not key, key))})


def _entry(place: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > KEYS_LENGTH_MAX or not _KEYPAD.issuperset(value):
        raise BehaviourError(f"{place}: Must be at most {KEYS_LENGTH_MAX} of the keys 0-9, * and #.")
    return value


def _numbers(value: object) -> dict[str, Scripted]:
    if not isinstance(value, Mapping) or len(value) > NUMBERS_MAX:
        raise BehaviourError(f"numbers: Must be an object of at most {NUMBERS_MAX} numbers.")
    numbers: dict[str, Scripted] = {}
    for number, behaviour in value.items():
        digits = _digits(number)
        if digits in numbers:
            raise BehaviourError(f"numbers.{number}: A number is given twice.")
        numbers[digits] = _scripted(f"numbers.{number}: ", behaviour)
    return numbers


def _has_national(value: object) -> bool:
    return isinstance(value, Mapping) and any(str(number).strip()[:1] != "+" for number in value)


def _digits(number: object) -> str:
    try:
        return normalise(str(number), None).removeprefix("+")
    except NumberError as error:
        raise BehaviourError(f"numbers.{shown(number)}: {error}") from None


def _scripted(place: str, value: object) -> Scripted:
    """Return the script of a number. Each attempt inherits the fields of the number that it does not set."""
    fields = _fields(place, value, _NUMBER_KEYS)
    attempts = fields.pop("attempts", [])
    if not isinstance(attempts, (list, tuple)) or len(attempts) > ATTEMPTS_MAX:
        raise BehaviourError(f"{place}attempts: Must be a list of at most {ATTEMPTS_MAX} behaviours.")
    each = ({**fields, **_fields(f"{place}attempts: ", attempt, _ATTEMPT_KEYS)} for attempt in attempts)
    return msgspec.structs.replace(
        _scripted_once(place, fields),
        attempts=tuple(_scripted_once(f"{place}attempts: ", attempt) for attempt in each),
    )


def _fields(place: str, value: object, known: frozenset[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise BehaviourError(f"{place.removesuffix(': ')}: Must be an object.")
    refuse_unknown(place, value, known)
    return dict(value)


def _scripted_once(place: str, fields: dict[str, Any]) -> Scripted:
    """Return a script without `attempts`.

    A number with `keys` or `hang_up_after` hears every prompt, so that it does not hang up before its script ends.
    """
    return Scripted(
        outcome=_outcome(f"{place}outcome", fields["outcome"]) if "outcome" in fields else None,
        ring=read_span(f"{place}ring", fields["ring"]) if "ring" in fields else None,
        keys=_entries(f"{place}keys", fields["keys"]) if "keys" in fields else None,
        key_delay=read_span(f"{place}key_delay", fields["key_delay"]) if "key_delay" in fields else None,
        hang_up_after_ms=(
            read_milliseconds(f"{place}hang_up_after", fields["hang_up_after"]) if "hang_up_after" in fields else None
        ),
        patience=read_span(f"{place}patience", fields["patience"]) if "patience" in fields else None,
        call_back_after=(
            read_span(f"{place}call_back_after", fields["call_back_after"]) if "call_back_after" in fields else None
        ),
        listens="keys" in fields or "hang_up_after" in fields,
    )


def _outcome(place: str, value: object) -> CalleeOutcome:
    if not isinstance(value, str) or value not in CalleeOutcome.__members__.values():
        raise BehaviourError(f"{place}: Must be one of {', '.join(CalleeOutcome)}.")
    return CalleeOutcome(value)


def _entries(place: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or len(value) > PROMPTS_MAX:
        raise BehaviourError(f"{place}: Must be a list of at most {PROMPTS_MAX} entries.")
    return tuple(_entry(place, entry) for entry in value)
