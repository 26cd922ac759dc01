"""Callee profiles: the behaviour that a gateway's `parameters` describe, and the fixed test numbers."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, TypeGuard, TypeVar

import msgspec

from dialer.domain.enums import MessageStatus
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.sim.callee_parameters import CalleeParameters
from dialer.sim.chance import threshold

SECONDS_MAX: Final = 86_400
NUMBERS_MAX: Final = 10_000
"""Limit of scripted numbers in the parameters of one gateway."""
ATTEMPTS_MAX: Final = 100
PROMPTS_MAX: Final = 100
"""Limit of entries in one number's `keys`."""
KEYS_LENGTH_MAX: Final = 32
KEY_CHANCES_MAX: Final = 100
_NAME_SHOWN_MAX: Final = 40
"""Characters of an unknown key that an error message repeats."""
_Name = TypeVar("_Name", bound=str)
_KEYPAD: Final = frozenset("0123456789*#")


class BehaviourError(ValueError):
    """Raised for parameters that describe no valid behaviour. The message begins with the invalid key."""


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


class Span(msgspec.Struct, frozen=True, gc=False):
    """Distribution of a length of time in milliseconds.

    The length is uniform from `least_ms` to `most_ms`, both included, or exponential if `mean_ms` is not 0.
    """

    least_ms: int
    most_ms: int
    mean_ms: int = 0
    """Mean of the exponential distribution; 0 for a uniform length."""


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
    numbers: dict[str, Scripted]
    """Scripts by the digits of the number."""


class AgentBehaviour(msgspec.Struct, frozen=True):
    """Behaviour of an agent."""

    talk: Span | None
    """Length of a talk; None to use the gateway's `talk`."""
    answer: Span
    """Delay from the offer until the agent takes the call."""


_AGENT_ANSWER: Final = Span(1_000, 1_000)
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
    _refuse_unknown("", parameters, _DEFAULTS.keys())
    given = {**_DEFAULTS, **parameters}
    return Behaviour(
        outcomes=_cumulative(
            ", ".join(_OUTCOME_CHANCES), {name: _probability(name, given[name]) for name in _OUTCOME_CHANCES}
        ),
        machine=_chance("machine", given["machine"]),
        amd_error=_chance("amd_error", given["amd_error"]),
        post_dial_delay=_span("post_dial_delay", given["post_dial_delay"]),
        ring=_span("ring", given["ring"]),
        listen=_chance("listen", given["listen"]),
        keys=_key_chances(given["keys"]),
        key_delay=_span("key_delay", given["key_delay"]),
        talk=_talk(given["talk"]),
        patience=_span("patience", given["patience"]),
        call_back=_chance("call_back", given["call_back"]),
        call_back_after=_span("call_back_after", given["call_back_after"]),
        sms_delivered=_chance("sms_delivered", given["sms_delivered"]),
        sms_reply_stop=_chance("sms_reply_stop", given["sms_reply_stop"]),
        numbers=_numbers(given["numbers"]),
    )


@lru_cache(maxsize=4_096)
def read_agent(parameters: str) -> AgentBehaviour:
    """Return the behaviour that an agent's `parameters` describe, given as JSON text.

    Parameters that an older version accepted, and that are now invalid, are replaced by the defaults.
    """
    try:
        return parse_agent(msgspec.json.decode(parameters or "{}", type=dict[str, object]))
    except BehaviourError:
        return parse_agent({})


def parse_agent(parameters: Mapping[str, object]) -> AgentBehaviour:
    """Return the behaviour that an agent's `parameters` describe.

    Raises:
        BehaviourError: an unknown key, or a value out of bounds.
    """
    _refuse_unknown("", parameters, ("talk", "answer"))
    return AgentBehaviour(
        talk=_talk(parameters["talk"]) if "talk" in parameters else None,
        answer=_span("answer", parameters["answer"]) if "answer" in parameters else _AGENT_ANSWER,
    )


def scripted_for(behaviour: Behaviour, number: str, attempt: int) -> Scripted | None:
    """Return the script of a number (in any spelling) for its n-th attempt, from 1, or None if it has no script."""
    digits = number[1:] if number[:1] == "+" else number
    if not digits.isdigit():
        digits = "".join(filter(str.isdigit, number))
    scripted = behaviour.numbers.get(digits) or ALWAYS_THE_SAME.get(digits)
    if scripted is None or not scripted.attempts:
        return scripted
    return scripted.attempts[min(attempt, len(scripted.attempts)) - 1]


def _refuse_unknown(place: str, given: Mapping[str, object], known: Iterable[str]) -> None:
    for key in given:
        if key not in known:
            raise BehaviourError(f"{place}{_shown(key)}: Unknown key.")


def _shown(key: object) -> str:
    """Return a client's key, shortened and escaped, for an error message."""
    return ascii(str(key)[:_NAME_SHOWN_MAX])[1:-1]


def _number_within(value: object, most: int) -> TypeGuard[int | float]:
    """Return True for a number from 0 to `most`. NaN and booleans are not accepted."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most


def _chance(place: str, value: object) -> int:
    return threshold(_probability(place, value))


def _probability(place: str, value: object) -> float:
    if not _number_within(value, 1):
        raise BehaviourError(f"{place}: Must be a number from 0 to 1.")
    return float(value)


def _cumulative(place: str, chances: Mapping[_Name, float]) -> tuple[tuple[int, _Name], ...]:
    """Return cumulative thresholds. Decimal sums make ten chances of 0.1 exactly 1."""
    total = Decimal(0)
    steps = []
    for name, probability in chances.items():
        total += Decimal(str(probability))
        steps.append((threshold(float(total)), name))
    if total > 1:
        raise BehaviourError(f"{place}: The chances sum to more than 1.")
    return tuple(steps)


def _key_chances(value: object) -> tuple[tuple[int, str], ...]:
    """Return cumulative thresholds in the order of the keys, "" last, so equal documents give equal calls."""
    if not isinstance(value, Mapping) or len(value) > KEY_CHANCES_MAX:
        raise BehaviourError(f"keys: Must be an object of at most {KEY_CHANCES_MAX} chances by keys.")
    chances = {_entry("keys", key): _probability("keys", chance) for key, chance in value.items()}
    return _cumulative("keys", {key: chances[key] for key in sorted(chances, key=lambda key: (not key, key))})


def _entry(place: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > KEYS_LENGTH_MAX or not _KEYPAD.issuperset(value):
        raise BehaviourError(f"{place}: Must be at most {KEYS_LENGTH_MAX} of the keys 0-9, * and #.")
    return value


def _milliseconds(place: str, value: object) -> int:
    if not _number_within(value, SECONDS_MAX):
        raise BehaviourError(f"{place}: Must be a number of seconds from 0 to {SECONDS_MAX}.")
    return round(value * 1_000)


def _span(place: str, value: object) -> Span:
    if not isinstance(value, (list, tuple)):
        exactly_ms = _milliseconds(place, value)
        return Span(exactly_ms, exactly_ms)
    if len(value) != 2:  # noqa: PLR2004 - the minimum and the maximum
        raise BehaviourError(f"{place}: Must be a number of seconds, or a list of the minimum and the maximum.")
    least_ms, most_ms = (_milliseconds(place, end) for end in value)
    if least_ms > most_ms:
        raise BehaviourError(f"{place}: The minimum must not exceed the maximum.")
    return Span(least_ms, most_ms)


def _talk(value: object) -> Span:
    """Return a span in seconds, or an exponential one for `{"mean": seconds}`, as queueing theory assumes."""
    if not isinstance(value, Mapping):
        return _span("talk", value)
    _refuse_unknown("talk.", value, ("mean",))
    return Span(0, 0, mean_ms=max(1, _milliseconds("talk.mean", value.get("mean"))))


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


def _digits(number: object) -> str:
    try:
        return normalise(str(number)).removeprefix("+")
    except NumberError as error:
        raise BehaviourError(f"numbers.{_shown(number)}: {error}") from None


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
    _refuse_unknown(place, value, known)
    return dict(value)


def _scripted_once(place: str, fields: dict[str, Any]) -> Scripted:
    """Return a script without `attempts`.

    A number with `keys` or `hang_up_after` hears every prompt, so that it does not hang up before its script ends.
    """
    return Scripted(
        outcome=_outcome(f"{place}outcome", fields["outcome"]) if "outcome" in fields else None,
        ring=_span(f"{place}ring", fields["ring"]) if "ring" in fields else None,
        keys=_entries(f"{place}keys", fields["keys"]) if "keys" in fields else None,
        key_delay=_span(f"{place}key_delay", fields["key_delay"]) if "key_delay" in fields else None,
        hang_up_after_ms=(
            _milliseconds(f"{place}hang_up_after", fields["hang_up_after"]) if "hang_up_after" in fields else None
        ),
        patience=_span(f"{place}patience", fields["patience"]) if "patience" in fields else None,
        call_back_after=(
            _span(f"{place}call_back_after", fields["call_back_after"]) if "call_back_after" in fields else None
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
