"""Settings that are tried on a copy of a campaign: what may be changed, and what is checked before a run."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar.openapi.spec import Reference, Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.api.actions.forecast import BUSY_RETRY_AFTER_S, OBEY_CALLING_HOURS, order_of
from dialer.api.service import ApiRequest
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.forecast.campaign_copy import people_of
from dialer.forecast.parameters import (
    AGENTS_MAX,
    COMPARED_SEEDS_MAX,
    FIRST_SEED_MAX,
    SETTINGS_MAX,
    TriedSetting,
)
from dialer.forecast.what_if import Comparison, NamedSetting
from dialer.forecast.what_if_queue import QueueFullError, WhatIfQueue, WhatIfRun
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Amount, Conventions, FieldError, Integer, Json, Kind
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Field, Given, Parsed, fields_of, parse_given, request_shape
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.events import account_of
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import AnsweredError, Errors, InvalidError
from dialer.resources.words.ignored import unknown_errors
from dialer.settings import Settings
from dialer.store.timeline.reading import WEEKDAYS

SEEDS: Final = 10
"""Seeds of a comparison if the request does not say how many."""
WORK_MAX: Final = 2_500_000
"""The largest product of people, seeds and settings, the present one included; the command line has no such limit."""
TEXT_MAX: Final = 40
"""Characters of a value to try."""
UNKNOWN: Final = "This is no setting that can be tried."
_TRIED: Final = (
    *("frequency", "max_aleg", "max_xfer", "dial_method", "agent_dial_rate", "abandon_rate_max"),
    *("daily_start_time", "daily_stop_time", *WEEKDAYS, "startingdate", "expirationdate"),
    *("maxretry", "intervalretry", "completion_maxretry", "completion_intervalretry"),
    *("carrier_maxretry", "abandoned_maxretry", "abandoned_intervalretry"),
    *("calltimeout", "callmaxduration"),
)
"""Fields of campaigns that can be tried, as far as a campaign of its medium has them."""
_OF_CALLS: Final = frozenset({"channels", "agents"})
_AROUND: Final[Mapping[str, Field]] = {
    "channels": writable(
        Integer(), "The most calls at the same time over the campaign's gateway. 0: no limit.", default=None, example=40
    ),
    "calls_a_second": writable(
        Integer(), "The most calls, or messages, a second over that gateway. 0: no limit.", default=None, example=5
    ),
    "agents": writable(
        Integer(0, AGENTS_MAX),
        "Agents who are available in the queues of the survey. Further ones are as the first of them.",
        default=None,
        example=12,
    ),
    "obey_calling_hours": OBEY_CALLING_HOURS,
    "rate": writable(
        Amount(minimum=0),
        "The price of a minute, or of a part of a message, to all numbers, in place of the account's rates.",
        default=None,
        example="0.03",
    ),
}
"""The surroundings of a campaign that can be tried, and are set elsewhere."""


def _fields_to_try(resource: Resource) -> dict[str, Field]:
    own = {field.name: field for field in fields_of(resource.shapes.change or resource.read)}
    around = {name: field for name, field in _AROUND.items() if resource is CAMPAIGNS or name not in _OF_CALLS}
    return {name: own[name] for name in _TRIED if name in own} | around


FIELDS_TO_TRY: Final[Mapping[str, Mapping[str, Field]]] = {
    resource.path: _fields_to_try(resource) for resource in (CAMPAIGNS, SMS_CAMPAIGNS)
}
"""The fields of a setting by the path of the campaign's resource."""


class SettingsToTry(Kind, frozen=True):
    """A list of settings, each an object of fields with their values."""

    path: str

    def parse(self, value: Json, conventions: Conventions) -> tuple[dict[str, Any], ...]:  # noqa: ARG002 - checked later
        """Return the objects. Their members are checked with the campaign at hand (`read_setting`)."""
        if not isinstance(value, list) or not all(isinstance(each, dict) and each for each in value):
            raise FieldError('Give a list of objects, such as [{"frequency": 40}].')
        if not 1 <= len(value) <= SETTINGS_MAX:
            raise FieldError(
                Sentence("Give 1 to %(most)s settings, not %(count)s.", most=SETTINGS_MAX, count=len(value))
            )
        return tuple(value)

    def schema(self) -> Schema:
        """Return the schema of an array of objects, none of whose members is required."""
        members: dict[str, Reference | Schema] = {
            name: field.kind.schema() for name, field in FIELDS_TO_TRY[self.path].items()
        }
        one = Schema(type=OpenAPIType.OBJECT, properties=members, min_properties=1)
        return Schema(type=OpenAPIType.ARRAY, items=one, min_items=1, max_items=SETTINGS_MAX)


def what_if_shape(name: str, resource: Resource) -> Any:  # noqa: ANN401 - a shape
    """Return the shape of a request to compare settings."""
    fields = {
        "settings": writable(
            SettingsToTry(resource.path),
            "The settings to compare with the present one: fields of the campaign, and what surrounds it.",
            example=[{"frequency": 40}, {"daily_start_time": "10:00:00"}],
        ),
        "seeds": writable(
            Integer(1, COMPARED_SEEDS_MAX), "The number of runs of each setting, with equal seeds.", default=SEEDS
        ),
        "first_seed": writable(Integer(0, FIRST_SEED_MAX), "The seed of the first run.", default=0, example=1),
    }
    return request_shape(name, fields, "The settings to compare, and the number of seeds.")


def read_setting(unit: Unit, resource: Resource, identity: int, members: Mapping[str, Any]) -> NamedSetting:
    """Return a setting to try, checked by the rules of a change of the campaign.

    Raises:
        InvalidError: fields are wrong, or cannot be tried.
        RecordNotFoundError: the campaign does not exist, or the caller may not see it.
    """
    fields = FIELDS_TO_TRY[resource.path]
    own, around = _parts(resource, members, unit.conventions)
    unknown = tuple(name for name in members if name not in fields)
    errors: Errors = {**around.errors, **unknown_errors(unknown, UNKNOWN, fields)}
    long = [name for name, value in members.items() if name in fields and len(_text(value)) > TEXT_MAX]
    errors |= {name: [Sentence("Ensure this value has at most %(most)s characters.", most=TEXT_MAX)] for name in long}
    try:
        change = records.planned_change(unit, resource, identity, own)
    except InvalidError as error:
        raise InvalidError({**error.errors, **errors}) from None
    if errors:
        raise InvalidError(errors)
    columns = {resource.column(fields[name]).name: change.values[name] for name in own.values}  # type: ignore[union-attr]
    return NamedSetting({name: _text(value) for name, value in members.items()}, TriedSetting(columns, **around.values))


def own_part(resource: Resource, members: Mapping[str, Any], conventions: Conventions) -> Parsed:
    """Return the part of a setting that a change of the campaign can take over."""
    return _parts(resource, members, conventions)[0]


def _parts(resource: Resource, members: Mapping[str, Any], conventions: Conventions) -> tuple[Parsed, Parsed]:
    """Return the fields of the campaign itself, and those of what surrounds it."""
    fields = FIELDS_TO_TRY[resource.path]
    own = Given({name: value for name, value in members.items() if name in fields and name not in _AROUND})
    around = Given({name: value for name, value in members.items() if name in fields and name in _AROUND})
    shape = request_shape("Surroundings", _AROUND, "What surrounds a campaign.")
    return parse_given(resource.shapes.change or resource.read, own, conventions), parse_given(
        shape, around, conventions
    )


def _text(value: Any) -> str:  # noqa: ANN401 - JSON
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def comparison_of(
    unit: Unit,
    resource: Resource,
    identity: int,
    settings: Settings,
    tried: Sequence[Mapping[str, Any]],
    seeds: int | None = SEEDS,
    first_seed: int = 0,
) -> Comparison:
    """Return the comparison to compute. Without a number of seeds, a large campaign has fewer.

    Raises:
        RecordNotFoundError: the campaign does not exist, or the caller may not see it.
        InvalidError: fields of a setting are wrong, or the comparison is too large.
        CampaignOverError: the campaign has ended.
    """
    work_max = WORK_MAX // (len(tried) + 1)
    if seeds is None:
        seeds = max(1, min(SEEDS, work_max // max(1, people_of(unit.connection, identity))))
    order = order_of(unit, resource, identity, settings, seeds=seeds, first_seed=first_seed, work_max=work_max)
    named: list[NamedSetting] = []
    errors: list[str] = []
    for place, members in enumerate(tried, 1):
        try:
            named.append(read_setting(unit, resource, identity, members))
        except InvalidError as error:
            errors += [
                Sentence(
                    "Setting %(place)s: %(field)s: %(message)s", place=place, field=FieldName(name), message=message
                )
                for name, messages in error.errors.items()
                for message in messages
            ]
    if errors:
        raise InvalidError({"settings": errors})
    return Comparison(order, tuple(named))


def begin_comparison(request: ApiRequest, what_if_queue: WhatIfQueue, comparison: Comparison) -> WhatIfRun:
    """Begin a comparison for the caller.

    Raises:
        RefusedError: another comparison of the campaign, or of the caller, is under way.
        AnsweredError: too many are under way, of the caller's account or in all.
    """
    user = request.user
    try:
        return what_if_queue.begin(request.service.database, comparison, user_id=user.id, account_id=account_of(user))
    except QueueFullError:
        detail = Sentence("Comparisons of other users are running. Try again in %(s)s s.", s=BUSY_RETRY_AFTER_S)
        later = {"Retry-After": str(BUSY_RETRY_AFTER_S)}
        raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, later) from None
