"""Voice campaigns."""

import secrets
import string
from typing import Annotated, Final

from sqlalchemy import select

from dialer.api.errors import ConflictError, Errors, InvalidError
from dialer.api.fields import (
    TEXT_MAX,
    Amount,
    AmountNumber,
    Boolean,
    Choice,
    Identity,
    Integer,
    OwnUrl,
    Reference,
    ReferenceList,
    Text,
    TimeOfDay,
    Timestamp,
)
from dialer.api.resource import Association, Change, Resource, Rule, Unit, Values, table_of
from dialer.api.shapes import Shape
from dialer.domain.enums import AmdBehavior, CallRequestStatus, CampaignStatus, DialMethod
from dialer.domain.money import MONEY_SCALE
from dialer.store.collecting import collect_campaign
from dialer.store.lifecycle import CampaignNotReadyError, change_status
from dialer.store.models import CallRequest, Campaign, CampaignPhonebook

NAME_MAX: Final = 100
CALLERID_MAX: Final = 80
EXTRA_MAX: Final = 120
FREQUENCY_MAX: Final = 1_000_000
"""Calls a minute."""
CALL_SECONDS_MAX: Final = 86_400
RING_SECONDS_MAX: Final = 3_600
INTERVAL_SECONDS_MAX: Final = 31_536_000
RETRIES_MAX: Final = 1_000
CODE_LENGTH: Final = 5
CODE_TRIES_MAX: Final = 20
LIFE_MS: Final = 86_400_000
"""From the start of a campaign to its end, unless the client says otherwise."""


class CampaignWrite(Shape):
    """What a voice campaign plays, to whom, when and how fast."""

    name: Annotated[str, Text(NAME_MAX, min_length=1)]
    aleg_gateway: Annotated[int, Reference("gateway")]
    object_id: Annotated[int, Reference("survey-template", shown_as_id=True)]
    description: Annotated[str, Text(TEXT_MAX)] = ""
    callerid: Annotated[str, Text(CALLERID_MAX)] = ""
    callerid_group: Annotated[int, Reference("callerid-group")] | None = None
    startingdate: Annotated[int, Timestamp()] = 0
    expirationdate: Annotated[int, Timestamp()] = 0
    daily_start_time: Annotated[str, TimeOfDay()] = "00:00:00"
    daily_stop_time: Annotated[str, TimeOfDay()] = "23:59:59"
    monday: Annotated[bool, Boolean()] = True
    tuesday: Annotated[bool, Boolean()] = True
    wednesday: Annotated[bool, Boolean()] = True
    thursday: Annotated[bool, Boolean()] = True
    friday: Annotated[bool, Boolean()] = True
    saturday: Annotated[bool, Boolean()] = True
    sunday: Annotated[bool, Boolean()] = True
    frequency: Annotated[int, Integer(1, FREQUENCY_MAX)] = 10
    max_aleg: Annotated[int, Integer()] = 0
    max_xfer: Annotated[int, Integer()] = 0
    dial_method: Annotated[int, Choice(DialMethod)] = DialMethod.FIXED_RATE
    agent_dial_rate: Annotated[int, AmountNumber(minimum=1)] = MONEY_SCALE
    callmaxduration: Annotated[int, Integer(1, CALL_SECONDS_MAX)] = 1_800
    maxretry: Annotated[int, Integer(0, RETRIES_MAX)] = 0
    intervalretry: Annotated[int, Integer(0, INTERVAL_SECONDS_MAX)] = 300
    completion_maxretry: Annotated[int, Integer(0, RETRIES_MAX)] = 0
    completion_intervalretry: Annotated[int, Integer(0, INTERVAL_SECONDS_MAX)] = 900
    calltimeout: Annotated[int, Integer(1, RING_SECONDS_MAX)] = 45
    sms_gateway: Annotated[int, Reference("sms-gateway")] | None = None
    extra_data: Annotated[str, Text(EXTRA_MAX)] = ""
    voicemail: Annotated[bool, Boolean()] = False
    amd_behavior: Annotated[int, Choice(AmdBehavior)] = AmdBehavior.ALWAYS
    voicemail_audiofile: Annotated[int, Reference("audio-files")] | None = None
    dnc: Annotated[int, Reference("dnc-list")] | None = None
    user: Annotated[int, Reference("users")] = 0
    phonebook: Annotated[tuple[int, ...], ReferenceList("phonebook")] = ()
    status: Annotated[int, Choice(CampaignStatus)] = CampaignStatus.NEW


class CampaignRead(Shape):
    """A voice campaign, as it is stored, with its state and what has come of it."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("campaigns")]
    campaign_code: Annotated[str, Text(CODE_LENGTH)]
    name: Annotated[str, Text(NAME_MAX)]
    description: Annotated[str, Text(TEXT_MAX)]
    callerid: Annotated[str, Text(CALLERID_MAX)]
    callerid_group: Annotated[str, Reference("callerid-group")] | None
    startingdate: Annotated[str, Timestamp()]
    expirationdate: Annotated[str, Timestamp()]
    daily_start_time: Annotated[str, TimeOfDay()]
    daily_stop_time: Annotated[str, TimeOfDay()]
    monday: Annotated[bool, Boolean()]
    tuesday: Annotated[bool, Boolean()]
    wednesday: Annotated[bool, Boolean()]
    thursday: Annotated[bool, Boolean()]
    friday: Annotated[bool, Boolean()]
    saturday: Annotated[bool, Boolean()]
    sunday: Annotated[bool, Boolean()]
    frequency: Annotated[int, Integer(1, FREQUENCY_MAX)]
    max_aleg: Annotated[int, Integer()]
    max_xfer: Annotated[int, Integer()]
    dial_method: Annotated[int, Choice(DialMethod)]
    agent_dial_rate: Annotated[float, AmountNumber()]
    callmaxduration: Annotated[int, Integer(1, CALL_SECONDS_MAX)]
    maxretry: Annotated[int, Integer(0, RETRIES_MAX)]
    intervalretry: Annotated[int, Integer(0, INTERVAL_SECONDS_MAX)]
    completion_maxretry: Annotated[int, Integer(0, RETRIES_MAX)]
    completion_intervalretry: Annotated[int, Integer(0, INTERVAL_SECONDS_MAX)]
    calltimeout: Annotated[int, Integer(1, RING_SECONDS_MAX)]
    aleg_gateway: Annotated[str, Reference("gateway")]
    sms_gateway: Annotated[str, Reference("sms-gateway")] | None
    object_id: Annotated[str, Reference("survey-template", shown_as_id=True)]
    extra_data: Annotated[str, Text(EXTRA_MAX)]
    voicemail: Annotated[bool, Boolean()]
    amd_behavior: Annotated[int, Choice(AmdBehavior)]
    voicemail_audiofile: Annotated[str, Reference("audio-files")] | None
    dnc: Annotated[str, Reference("dnc-list")] | None
    user: Annotated[str, Reference("users")]
    phonebook: Annotated[list[str], ReferenceList("phonebook")]
    status: Annotated[int, Choice(CampaignStatus)]
    status_reason: Annotated[str, Text()]
    totalcontact: Annotated[int, Integer()]
    completed: Annotated[int, Integer()]
    calls: Annotated[int, Integer()]
    answered: Annotated[int, Integer()]
    cost: Annotated[str, Amount()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


def _defaults(unit: Unit, given: Values) -> Values:
    starting_ms = given.get("startingdate", unit.now_ms)
    return {"startingdate": starting_ms, "expirationdate": given.get("expirationdate", starting_ms + LIFE_MS)}


def _dates_in_order(change: Change) -> Errors:
    if change.values["startingdate"] < change.values["expirationdate"]:
        return {}
    return {"expirationdate": ["The campaign must expire after its startingdate."]}


def _window_not_empty(change: Change) -> Errors:
    if change.values["daily_start_time"] != change.values["daily_stop_time"]:
        return {}
    return {"daily_stop_time": ["The daily window must not end when it begins."]}


def _sealed_survey(change: Change) -> Errors:
    """What a campaign plays was copied when it first started: another template could never be heard."""
    if change.is_new or not change.moves("object_id") or change.stored["status"] == CampaignStatus.NEW:
        return {}
    return {"object_id": ["The survey was sealed when the campaign started; it may not be changed."]}


def _owner_who_pays(change: Change) -> Errors:
    """Money is held in the owner's name while calls are in progress."""
    if change.is_new or not change.moves("user") or change.stored["status"] == CampaignStatus.NEW:
        return {}
    return {"user": ["The campaign has been started; its user may not be changed."]}


def _columns(change: Change) -> Values:
    """The state is moved by its own table of moves, never by an update of fields."""
    if not change.is_new:
        return {"status": change.stored["status"]}
    return {"status": CampaignStatus.NEW.value, "campaign_code": _new_code(change.unit)}


def _new_code(unit: Unit) -> str:
    code = table_of(Campaign).c.campaign_code
    for _ in range(CODE_TRIES_MAX):
        candidate = "".join(secrets.choice(string.ascii_uppercase) for _ in range(CODE_LENGTH))
        if unit.connection.execute(select(code).where(code == candidate)).first() is None:
            return candidate
    raise ConflictError("No free campaign code was found; try again.")


def _written(change: Change) -> None:
    """A change of state and of other fields in one request: the fields first, and all or nothing."""
    if change.is_new:
        return
    unit = change.unit
    if "status" in change.given:
        try:
            change_status(unit.connection, change.record_id, CampaignStatus(change.values["status"]), unit.now_ms)
        except CampaignNotReadyError as error:
            raise InvalidError(error.errors) from None
    if change.moves("phonebook") and change.stored["status"] in {CampaignStatus.START, CampaignStatus.PAUSE}:
        collect_campaign(unit.connection, change.record_id, unit.now_ms)


def _refuse_while_running(unit: Unit, stored: Values) -> None:
    if stored["status"] == CampaignStatus.START:
        raise ConflictError("The campaign is in 1 (START): pause, abort or end it first.")
    call = table_of(CallRequest).c
    query = select(call.id).where(call.campaign_id == stored["id"], call.status == CallRequestStatus.CALLING)
    if unit.connection.execute(query.limit(1)).first() is not None:
        raise ConflictError("The campaign has calls in progress.")


CAMPAIGNS = Resource(
    path="campaigns",
    model=Campaign,
    read=CampaignRead,
    write=CampaignWrite,
    filters=("name", "campaign_code", "status", "dial_method"),
    associations=(Association("phonebook", CampaignPhonebook, "campaign_id", "phonebook_id"),),
    rules=(
        Rule(("startingdate", "expirationdate"), _dates_in_order),
        Rule(("daily_start_time", "daily_stop_time"), _window_not_empty),
        Rule(("object_id",), _sealed_survey),
        Rule(("user",), _owner_who_pays),
    ),
    defaults=_defaults,
    columns=_columns,
    written=_written,
    before_delete=_refuse_while_running,
    deleted="campaign deleted",
    moves_dialling=True,
)
