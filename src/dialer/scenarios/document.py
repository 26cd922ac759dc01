"""The document of `dialer test`: records, scenarios with people, and expectations."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from dialer.domain.billing.money import MoneyError, parse_money
from dialer.domain.numbers.entries import entries_in
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.sentences import message_of
from dialer.files.applying import wanted_of
from dialer.files.kinds import Wanted, did_you_mean
from dialer.files.nodes import FileError, FilePlace, Node
from dialer.files.reading import read_file
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.limits import SEED_MAX
from dialer.sim.spans import BehaviourError

SCENARIOS_MAX: Final = 1_000
PEOPLE_MAX: Final = 1_000
APPLIED_MAX: Final = 100
DAYS_MAX: Final = 60
MONDAY: Final = "2026-03-02T15:00:00Z"
"""The start of a scenario that names none: a Monday, at ten o'clock in Washington and three in London."""
APPLY: Final = "apply"
SCENARIOS: Final = "scenarios"
PERSON_STATUSES: Final = ("not on the list", *(one.name.lower() for one in SubscriberStatus))
CAMPAIGN_STATUSES: Final = {one: "abort" if one is CampaignStatus.ABORT else one.name.lower() for one in CampaignStatus}
"""The words for the statuses of campaigns."""
_BESIDE: Final = frozenset({APPLY, SCENARIOS})
_PATH: Final = re.compile(r"\.([A-Za-z0-9_]+)|\[(\d+)\]")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`")
_LENGTH: Final = re.compile(r"(\d{1,7}) ?(s|m|h|d)\Z", re.ASCII)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}

_WILLING: Final = {"answer": 1, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0, "listen": 1, "keys": {}}
"""The behaviour of people of whom a scenario says nothing: they answer, listen, and press nothing."""

_Text = Annotated[str, Meta(max_length=16_000)]
_Count = Annotated[int, Meta(ge=0)]
_Amount = int | float | str
_Ids = Annotated[list[int | str], Meta(max_length=PEOPLE_MAX)]
_Shape = TypeVar("_Shape")
_Number = TypeVar("_Number")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the document. Unknown fields are errors, so that typing errors are found."""


class PersonExpected(_Part, frozen=True):
    """The expectations of one person; those that are not given are not checked."""

    path: _Ids | UnsetType = UNSET
    """The sections of the last call that was answered, in their order: each by its id, or by its question."""
    answers: dict[str, _Text | None] | UnsetType = UNSET
    """Answers, by the question or the id of the section; null for none."""
    calls: list[str] | UnsetType = UNSET
    """The outcome of each call: `answered`, `machine`, or a reason such as `busy`."""
    attempts: _Count | UnsetType = UNSET
    """The number of calls, or of text messages in a campaign of texts."""
    called_at: list[str] | UnsetType = UNSET
    """The time of each attempt in UTC, as exact as it is given: `15:30`, or `2026-03-02T15:30:05Z`."""
    texts: list[_Text] | UnsetType = UNSET
    """The text messages that were sent."""
    status: str | UnsetType = UNSET
    """The state at the end, such as `completed`."""
    reason: str | UnsetType = UNSET
    """The reason for it; empty for none."""
    not_called: str | UnsetType = UNSET
    """Nobody called, for this reason."""
    agent: str | UnsetType | None = UNSET
    """The agent who took the last transfer; null for nobody."""
    on_dnc: bool | UnsetType = UNSET
    """True if a do-not-call list of the campaign has the number at the end."""
    cost: _Amount | UnsetType = UNSET
    """The price of all calls, transfers and texts."""


class CampaignExpected(_Part, frozen=True):
    """The expectations of the campaign; those that are not given are not checked."""

    status: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    calls: _Count | UnsetType = UNSET
    answered: _Count | UnsetType = UNSET
    completed: _Count | UnsetType = UNSET
    abandoned: _Count | UnsetType = UNSET
    texts: _Count | UnsetType = UNSET
    cost: _Amount | UnsetType = UNSET
    events: dict[str, _Count] | UnsetType = UNSET
    """The number of events of each of these types."""


class ScenarioPerson(_Part, frozen=True):
    """Somebody on the list of the campaign."""

    contact: str | int
    full_name: _Text = ""
    additional_vars: dict[str, Any] = {}
    does: dict[str, Any] | list[dict[str, Any]] | UnsetType = UNSET
    """The behaviour in each call, or in one call after the other. Default: to answer, to listen, and to press nothing;
    numbers that always do the same do that."""
    expect: PersonExpected = PersonExpected()


class CampaignScenario(_Part, frozen=True):
    """One scenario of a file: a campaign, its people, and the expected outcomes."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    campaign: str
    people: Annotated[list[ScenarioPerson], Meta(min_length=1, max_length=PEOPLE_MAX)]
    start: str = MONDAY
    lasts: int | str = "1d"
    """Seconds, or a number with `s`, `m`, `h` or `d`."""
    seed: Annotated[int, Meta(ge=0, le=SEED_MAX)] = 0
    balance: _Amount = 1_000
    call_rate: _Amount = 0
    sms_rate: _Amount = 0
    on_dnc: Annotated[list[str | int], Meta(max_length=PEOPLE_MAX)] = []
    """Numbers on the first do-not-call list of the campaign, or on the account's own, read kindly as on any list."""
    gateway: dict[str, Any] = {}
    """Further parameters of the simulated gateways."""
    agents: dict[str, str] = {}
    """The status of agents who are not available."""
    expect: CampaignExpected = CampaignExpected()

    @property
    def seconds(self) -> int:
        """Return the longest duration, in seconds; 0 if it is none."""
        if isinstance(self.lasts, int):
            return self.lasts
        match = _LENGTH.match(self.lasts)
        return int(match[1]) * _SECONDS[match[2]] if match else 0

    def behaviour(self) -> dict[str, Any]:
        """Return the parameters of the simulated gateways: everybody does as the scenario says."""
        numbers = {str(person.contact): done for person in self.people if (done := _script(person)) is not None}
        return {**_WILLING, **self.gateway, "numbers": numbers}


class PlacedScenario(NamedTuple):
    """A scenario with its node in its file, by which errors find lines."""

    scenario: CampaignScenario
    node: Node
    records: list[Wanted]


def read_scenarios(path: Path) -> list[PlacedScenario]:
    """Return the scenarios of a file, with the records of the file and of the files that it applies.

    Raises:
        FileError: the file is wrong, or one that it applies.
    """
    document = read_file(path)
    members = document.members()
    if SCENARIOS not in members:
        raise FileError.at(document.place, f"has no {SCENARIOS}. A file of records is for dialer apply")
    applied = [_applied(path, one) for one in members[APPLY].items(APPLIED_MAX)] if APPLY in members else []
    records = wanted_of([*applied, document], _BESIDE)
    found: list[PlacedScenario] = []
    errors: list[str] = []
    agents = {one.name for one in records if one.kind.key == "agents"}
    for node in members[SCENARIOS].items(SCENARIOS_MAX):
        try:
            scenario = _checked(node)
            _check_agents(scenario, node, agents)
            found.append(PlacedScenario(scenario, node, records))
        except FileError as error:
            errors += error.messages
    if errors:
        raise FileError(errors)
    return found


def _applied(path: Path, node: Node) -> Node:
    """Return a file that is named beside the one that names it, without scenarios of its own."""
    applied = read_file(path.parent / node.text())
    members = applied.members()
    return Node({name: one for name, one in members.items() if name not in _BESIDE}, applied.place)


def _checked(node: Node) -> CampaignScenario:
    scenario = converted(node, CampaignScenario)
    if not 0 < scenario.seconds <= DAYS_MAX * _SECONDS["d"]:
        raise FileError.at(_place_of(node, "lasts"), f"give seconds, or such as 90m, 8h or 2d; at most {DAYS_MAX}d")
    for name in ("balance", "call_rate", "sms_rate"):
        try:
            parse_money(getattr(scenario, name))
        except MoneyError as error:
            raise FileError.at(_place_of(node, name), str(error)) from None
    _check_numbers(node)
    _check_behaviour(scenario, node)
    _check_statuses(scenario, node)
    return scenario


def _check_behaviour(scenario: CampaignScenario, node: Node) -> None:
    people = node.members()["people"].items(PEOPLE_MAX)
    for person, place in zip(scenario.people, people, strict=True):
        try:
            parse_behaviour({"numbers": {str(person.contact): _script(person) or {}}})
        except BehaviourError as error:
            reason = str(error).removeprefix(f"numbers.{person.contact}: ")
            raise FileError.at(_place_of(place, "does"), reason) from None
    try:
        parse_behaviour(scenario.behaviour())
    except BehaviourError as error:
        raise FileError.at(_place_of(node, "gateway"), str(error)) from None


def _check_statuses(scenario: CampaignScenario, node: Node) -> None:
    """Raise FileError if a status is expected that does not exist, such as `ended` for `end`."""
    people = node.members()["people"].items(PEOPLE_MAX)
    parts: list[tuple[PersonExpected | CampaignExpected, Node, tuple[str, ...]]] = [
        (person.expect, place, PERSON_STATUSES) for person, place in zip(scenario.people, people, strict=True)
    ]
    for expected, place, known in (*parts, (scenario.expect, node, tuple(CAMPAIGN_STATUSES.values()))):
        if expected.status is not UNSET and expected.status not in known:
            wrong = place.members()["expect"].members()["status"]
            raise FileError.at(wrong.place, f"there is no status {expected.status!r}; there are: {', '.join(known)}")


def _check_agents(scenario: CampaignScenario, node: Node, known: set[str]) -> None:
    for name in scenario.agents:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            raise FileError.at(
                _place_of(node, "agents"), f"there is no agent {name!r} in these files; there are: {there}"
            )


def _check_numbers(node: Node) -> None:
    """Raise FileError if a number is none, or two people have the same."""
    members = node.members()
    people = [person.members()["contact"] for person in members["people"].items(PEOPLE_MAX)]
    off = members["on_dnc"].items(PEOPLE_MAX) if "on_dnc" in members else []
    seen: set[str] = set()
    for one in people:
        number = _read(normalise, one)
        if number in seen:
            raise FileError.at(one.place, f"two people have the number {number}")
        seen.add(number)
    for one in off:
        _read(entries_in, one)


def _read(read: Callable[[str, None], _Number], one: Node) -> _Number:
    try:
        return read(str(one.value), None)
    except NumberError as error:
        raise FileError.at(one.place, str(message_of(error))) from None


def _script(person: ScenarioPerson) -> Any:  # noqa: ANN401 - JSON
    """Return the behaviour of a number; None for one that always does the same."""
    if isinstance(person.does, list):
        return {"attempts": [_answering(behaviour) for behaviour in person.does]}
    return None if person.does is UNSET else _answering(person.does)


def _answering(does: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": "answer", "keys": [], **does}


def converted(node: Node, shape: type[_Shape]) -> _Shape:
    """Return the value of a node in a shape.

    Raises:
        FileError: it has another one; the message has the place.
    """
    try:
        return msgspec.convert(node.plain(), shape)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        where, found = node, _PATH.findall(path)
        for name, index in found:
            inner = where.value.get(name) if name and isinstance(where.value, dict) else None
            if index and isinstance(where.value, list):
                inner = where.value[int(index)]
            if not isinstance(inner, Node):
                break
            where = inner
        unknown = _UNKNOWN.match(message)
        if unknown and isinstance(where.value, dict) and unknown[1] in where.value:
            known = _fields_at(shape, [name for name, _ in found if name])
            message = did_you_mean(unknown[1], known, "it")
            where = where.value[unknown[1]]
        raise FileError.at(where.place, message) from None


def _fields_at(shape: type[Any], names: list[str]) -> tuple[str, ...]:
    """Return the fields of the part of the document that a path leads to."""
    parts: dict[tuple[str, ...], type[msgspec.Struct]] = {
        (): shape,
        ("people",): ScenarioPerson,
        ("people", "expect"): PersonExpected,
        ("expect",): CampaignExpected,
    }
    found = parts.get(tuple(names))
    return () if found is None else found.__struct_fields__


def _place_of(node: Node, name: str) -> FilePlace:
    return node.members()[name].place if name in node.members() else node.place
