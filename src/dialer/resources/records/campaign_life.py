"""The rules that campaigns of calls and of text messages share: dates, statuses and codes."""

import secrets
import string
from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import RowMapping, select

from dialer.app.campaigns.change import change_campaign
from dialer.app.campaigns.copy import dates_of_copy, name_of_copy
from dialer.app.campaigns.delete import delete_campaign
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import CAMPAIGN_REASONS
from dialer.domain.words.sentences import FieldName, Moment, Sentence
from dialer.resources.crud import records
from dialer.resources.crud.declaration import read_only, writable
from dialer.resources.crud.enumerations import listed
from dialer.resources.crud.fields import TEXT_MAX, Amount, Boolean, Choice, Text
from dialer.resources.crud.moments import TimeOfDay, Timestamp, show_timestamp
from dialer.resources.crud.records import Created
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.resource import Association, Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.crud.shapes import Field, Parsed, Shape, Shapes, fields_of
from dialer.resources.records.purposes import EMERGENCY_RULE, PURPOSE
from dialer.resources.words.errors import ConflictError, Errors
from dialer.store.tables import VOICE, Campaign, CampaignDncList, CampaignPhonebook
from dialer.store.timeline.reading import WEEKDAYS

CODE_LENGTH: Final = 5
NAME_MAX: Final = 100


def code_of_campaign(*, column: str = "", title: str = "") -> Field:
    """Declare the field with the code of a campaign."""
    description = "Five letters that identify the campaign. The service makes them up."
    return read_only(Text(CODE_LENGTH, column=column), description, example="KQWZD", title=title)


NAMED: Final = {
    "name": writable(
        Text(NAME_MAX, min_length=1),
        "A name for people. It must not be blank. A unique one is advised.",
        example="Spring reminders",
        hint="",
    ),
    "description": writable(
        Text(TEXT_MAX), "A note for people. Default: empty.", example="Reminders of appointments in March", hint=""
    ),
}
"""The fields that name and describe a campaign."""


def dates(started: str) -> dict[str, Field]:
    """Declare the dates of a campaign; `started` says what starts."""
    return {
        "startingdate": writable(
            Timestamp(),
            f"The moment from which {started}. Without an offset, it is in the time zone of the service. Default: now.",
            default=0,
            example="2026-11-18T11:06:40Z",
            title="Starts",
            hint="In your time zone. Empty: now.",
        ),
        "expirationdate": writable(
            Timestamp(),
            "The moment at which the campaign ends, after `startingdate`. Default: 24 hours after `startingdate`.",
            default=0,
            example="2026-11-19T11:06:40Z",
            title="Ends",
            hint="In your time zone. Agents can promise call-backs until then. Empty: 24 hours after the start.",
        ),
    }


DAILY_WINDOW: Final = {
    "daily_start_time": writable(
        TimeOfDay(),
        "The time of day from which numbers are dialled, `HH:MM:SS` in the callee's own time zone. If it is later than"
        " `daily_stop_time`, the window spans midnight.",
        example="09:00:00",
        title="From",
        hint="In the callee's own time zone.",
    ),
    "daily_stop_time": writable(
        TimeOfDay(),
        "The time of day until which numbers are dialled, `HH:MM:SS` in the callee's own time zone. It must differ"
        " from `daily_start_time`.",
        example="20:00:00",
        title="Until",
        hint="In the callee's own time zone.",
    ),
    **{
        day: writable(Boolean(), f"True to dial on {day.capitalize()}s, as the calendar of the callee has it.", hint="")
        for day in WEEKDAYS
    },
}
"""The fields that decide at which hours and on which days a campaign may dial."""
LIFE: Final = {
    "end_when_done": writable(
        Boolean(),
        "True to end the campaign when nobody is left to call. False to keep it open until `expirationdate`, for"
        " call-backs that agents promise and for contacts that are added later.",
        title="End when nobody is left to call",
        hint="Without a tick, it stays open until its end, for call-backs and for people who are added later.",
    ),
}
"""The field that says whether a campaign ends before its expiration."""
WHEN: Final = " ".join(("startingdate expirationdate end_when_done daily_start_time daily_stop_time", *WEEKDAYS))
"""The fields of a form that say when a campaign dials."""


def source(path: str) -> dict[str, Field]:
    """Declare the campaign some of whose people a campaign calls again."""
    description = "The campaign some of whose people this one calls again (`call-again/`). Null for any other campaign."
    return {"source_campaign": read_only(Reference(path), description, nullable=True)}


CAMPAIGN_ORDERINGS: Final = (
    "name",
    "status",
    "startingdate",
    "expirationdate",
    "totalcontact",
    "cost",
    "created_date",
    "updated_date",
)
"""The fields by which lists of campaigns can be ordered."""
STATE: Final = {
    "status": writable(
        Choice(CampaignStatus),
        "A new campaign has status 0, whatever the request says. Change the status to 1 to start it.",
        title="State",
        hint="",
    ),
    "status_reason": read_only(
        Text(),
        "The reason for the status; empty if the campaign is NEW or in START. Further reasons may be added. "
        f"{listed(CAMPAIGN_REASONS)}.",
        example="completed",
        title="Reason",
    ),
}
"""The fields with the status of a campaign, and the reason why it stopped."""
COST: Final = read_only(
    Amount(), "The price of all calls and text messages so far, with five decimals.", example="12.40000"
)
"""The field with the cost of a voice campaign."""
DNC_LISTS_MAX: Final = 20
"""The most lists in `dnc_lists` of a campaign. Each costs a lookup for every number that is dialled."""
DNC_LISTS_OF_CAMPAIGN: Final = writable(
    ReferenceList("dnc-list", most=DNC_LISTS_MAX),
    "Do-not-call lists besides `dnc`, in their order. A number on any of them is not called. If `dnc` is null, the"
    " first of them takes the numbers of callees who ask not to be called again.",
    default=(),
    title="More do-not-call lists",
    hint="Numbers on any of them are not called.",
)
CODE_TRIES_MAX: Final = 20
LIFE_MS: Final = 86_400_000
"""The time from the start to the expiration of a campaign, in milliseconds, if the client gives no expiration."""


def default_dates(unit: Unit, given: Values) -> Values:
    """Return the default dates of a campaign: it starts now and expires after `LIFE_MS`."""
    starting_ms = given.get("startingdate", unit.now_ms)
    return {"startingdate": starting_ms, "expirationdate": given.get("expirationdate", starting_ms + LIFE_MS)}


def _voice_defaults(unit: Unit, given: Values) -> Values:
    """Return the default dates of a voice campaign, and the length of its periods."""
    hours = given.get("abandon_hours", unit.conventions.abandon_hours)
    return {**default_dates(unit, given), "abandon_hours": hours}


def dates_in_order(change: Change) -> Errors:
    """Return an error if the campaign expires before it starts."""
    if change.values["startingdate"] < change.values["expirationdate"]:
        return {}
    starts, expires = (Moment(show_timestamp(change.values[name])) for name in ("startingdate", "expirationdate"))
    return {
        "expirationdate": [
            Sentence(
                "%(expires)s is not after %(start)s, %(starts)s. Set a later %(end)s.",
                expires=expires,
                start=FieldName("startingdate"),
                starts=starts,
                end=FieldName("expirationdate"),
            )
        ]
    }


def window_not_empty(change: Change) -> Errors:
    """Return an error if the daily window ends when it begins, because such a window never opens."""
    if change.values["daily_start_time"] != change.values["daily_stop_time"]:
        return {}
    stop = change.values["daily_stop_time"]
    return {
        "daily_stop_time": [
            Sentence(
                "%(stop)r is also %(field)s. Set another time, so that the window opens.",
                stop=stop,
                field=FieldName("daily_start_time"),
            )
        ]
    }


def owner_who_pays(change: Change) -> Errors:
    """Return an error if a started campaign gets another owner, because its calls hold part of the owner's balance."""
    if change.is_new or not change.moves("user"):
        return {}
    if change.stored["source_campaign_id"] is not None:
        return {"user": ["The campaign calls people of another one again, so its user may not be changed."]}
    if change.stored["status"] == CampaignStatus.NEW:
        return {}
    return {"user": ["The campaign has been started, so its user may not be changed. Create a new campaign."]}


def state_columns(change: Change) -> Values:
    """Return the columns of a new campaign that no request gives."""
    if not change.is_new:
        return {}
    return {"status": CampaignStatus.NEW.value, "campaign_code": new_code(change.unit)}


def new_code(unit: Unit) -> str:
    """Return a code that no campaign has.

    Raises:
        ConflictError: none was found.
    """
    code = Campaign.campaign_code
    for _ in range(CODE_TRIES_MAX):
        candidate = "".join(secrets.choice(string.ascii_uppercase) for _ in range(CODE_LENGTH))
        if unit.connection.execute(select(code).where(code == candidate)).first() is None:
            return candidate
    raise ConflictError("No free campaign code was found. Try again.")


_WRITE_MANY: Final = frozenset({"phonebook", PURPOSE, "seller"})
"""Fields whose change may write hundreds of rows."""


def change_row(change: Change, columns: Values) -> None:
    """Write the columns of a campaign, including a new status."""
    has_new_phonebooks = change.moves("phonebook")
    change_campaign(change.unit, change.record_id, columns, has_new_phonebooks=has_new_phonebooks)


def takes_long(given: Values) -> bool:
    """Return whether a change turns contacts into subscribers, or may have all looked at again whom rules hold back."""
    return given.get("status") == CampaignStatus.START or not given.keys().isdisjoint(_WRITE_MANY)


def campaigns(
    path: str,
    declared: Shapes,
    *,
    medium: str,
    code: str,
    filters: tuple[str, ...] = (),
    rules: tuple[FieldRule, ...] = (),
    columns: Callable[[Change], Values] = state_columns,
    derived: Callable[[Unit, Sequence[RowMapping]], list[Values]] | None = None,
) -> Resource:
    """Return the resource of the campaigns of one medium; `code` is the field with their code."""
    return Resource(
        path=path,
        shapes=declared,
        constants=(("medium", medium), ("trial_of_id", None)),
        filters=("name", code, "status", "source_campaign", PURPOSE, *filters),
        orderings=CAMPAIGN_ORDERINGS,
        names=("name", code),
        associations=(
            Association("phonebook", CampaignPhonebook, "campaign_id", "phonebook_id"),
            Association("dnc_lists", CampaignDncList, "campaign_id", "dnc_id", is_ordered=True),
        ),
        rules=(
            FieldRule(("startingdate", "expirationdate"), dates_in_order),
            FieldRule(("daily_start_time", "daily_stop_time"), window_not_empty),
            EMERGENCY_RULE,
            *rules,
            FieldRule(("user",), owner_who_pays),
        ),
        defaults=_voice_defaults if medium == VOICE else default_dates,
        columns=columns,
        derived=derived,
        update=change_row,
        takes_long=takes_long,
        remove=delete_campaign,
        touches=touches_nothing,
        deleted=f"{path.removesuffix('s').replace('-', ' ')} deleted",
    )


def copy_record(unit: Unit, resource: Resource, campaign_id: int, parsed: Parsed) -> Created:
    """Create a campaign with the settings of another one, except for those that the request gives.

    Raises:
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
        InvalidError: a given field is wrong.
    """
    stored = records.load(unit, resource, campaign_id)
    return records.create_record(unit, resource, _settings(unit, resource, stored, parsed))


def _settings(unit: Unit, resource: Resource, stored: Values, parsed: Parsed) -> Parsed:
    """Return the fields of the copy: those of the other campaign, then those of the request."""
    given = parsed.values
    same = {field.name: stored[field.name] for field in fields_of(resource.write or Shape)}
    own = {"name": name_of_copy(stored["name"], NAME_MAX), **dates_of_copy(stored, given, unit.now_ms)}
    return Parsed({**same, **own, **given}, parsed.errors, parsed.ignored)
