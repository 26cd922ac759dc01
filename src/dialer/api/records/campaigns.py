"""Voice campaigns."""

from typing import Annotated, Final

from dialer.api.crud.fields import (
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
from dialer.api.crud.resource import Association, Change, Resource, Rule, touches_nothing
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import Errors
from dialer.api.records.campaign_life import (
    CODE_LENGTH,
    change_row,
    dates_in_order,
    default_dates,
    owner_who_pays,
    state_columns,
    window_not_empty,
)
from dialer.app.campaign_readiness import agents_missing
from dialer.app.delete_campaign import delete_campaign
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.enums import AmdBehavior, CampaignStatus, DialMethod
from dialer.domain.pacing.situation import ABANDON_RATE_MAX_DEFAULT
from dialer.store.sealing import sealed_survey
from dialer.store.tables import VOICE, Campaign, CampaignPhonebook

NAME_MAX: Final = 100
CALLERID_MAX: Final = 80
EXTRA_MAX: Final = 120
FREQUENCY_MAX: Final = 1_000_000
"""Calls a minute."""
CALL_SECONDS_MAX: Final = 86_400
RING_SECONDS_MAX: Final = 3_600
INTERVAL_SECONDS_MAX: Final = 31_536_000
RETRIES_MAX: Final = 1_000


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
    abandon_rate_max: Annotated[int, AmountNumber(minimum=0)] = ABANDON_RATE_MAX_DEFAULT * MONEY_SCALE
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
    abandon_rate_max: Annotated[float, AmountNumber()]
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
    live_answered: Annotated[int, Integer()]
    abandoned: Annotated[int, Integer()]
    cost: Annotated[str, Amount()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


def _abandon_rate(change: Change) -> Errors:
    """Per cent."""
    if change.values["abandon_rate_max"] <= 100 * MONEY_SCALE:
        return {}
    return {"abandon_rate_max": ["Ensure that this value is less than or equal to 100."]}


def _agents_to_dial_for(change: Change) -> Errors:
    """What a started campaign plays is sealed: without a transfer to a queue there is nobody to dial for."""
    if change.is_new or not change.moves("dial_method"):
        return {}
    survey = sealed_survey(change.unit.connection, change.record_id)
    return {} if survey is None else agents_missing(change.values["dial_method"], survey)


def _sealed_survey(change: Change) -> Errors:
    """What a campaign plays was copied when it first started: another template could never be heard."""
    if change.is_new or not change.moves("object_id") or change.stored["status"] == CampaignStatus.NEW:
        return {}
    return {"object_id": ["The survey was sealed when the campaign started; it may not be changed."]}


CAMPAIGNS = Resource(
    path="campaigns",
    model=Campaign,
    read=CampaignRead,
    write=CampaignWrite,
    constants=(("medium", VOICE),),
    filters=("name", "campaign_code", "status", "dial_method"),
    associations=(Association("phonebook", CampaignPhonebook, "campaign_id", "phonebook_id"),),
    rules=(
        Rule(("startingdate", "expirationdate"), dates_in_order),
        Rule(("daily_start_time", "daily_stop_time"), window_not_empty),
        Rule(("object_id",), _sealed_survey),
        Rule(("abandon_rate_max",), _abandon_rate),
        Rule(("dial_method",), _agents_to_dial_for),
        Rule(("user",), owner_who_pays),
    ),
    defaults=default_dates,
    columns=state_columns,
    update=change_row,
    remove=delete_campaign,
    touches=touches_nothing,
    deleted="campaign deleted",
)
