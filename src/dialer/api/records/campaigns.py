"""Voice campaigns."""

from typing import Final

from dialer.api.crud.declaration import OWNER, STAMPS, optional, own, read_only, shapes, writable
from dialer.api.crud.fields import TEXT_MAX, Amount, AmountNumber, Boolean, Choice, Integer, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Reference, ReferenceList
from dialer.api.crud.resource import Association, Change, FieldRule, Resource, touches_nothing
from dialer.api.http.errors import Errors
from dialer.api.records.campaign_life import (
    CAMPAIGN_ORDERINGS,
    CODE_LENGTH,
    DAILY_WINDOW,
    DNC_LISTS_OF_CAMPAIGN,
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
from dialer.store.tables import VOICE, Campaign, CampaignDncList, CampaignPhonebook

NAME_MAX: Final = 100
CALLERID_MAX: Final = 80
EXTRA_MAX: Final = 120
FREQUENCY_MAX: Final = 1_000_000
"""Calls a minute."""
CALL_SECONDS_MAX: Final = 86_400
RING_SECONDS_MAX: Final = 3_600
INTERVAL_SECONDS_MAX: Final = 31_536_000
RETRIES_MAX: Final = 1_000

_CAMPAIGN: Final = shapes(
    "Campaign",
    {
        **own("campaigns"),
        "campaign_code": read_only(Text(CODE_LENGTH)),
        "name": writable(Text(NAME_MAX, min_length=1)),
        "description": writable(Text(TEXT_MAX), default=""),
        "callerid": writable(Text(CALLERID_MAX), default=""),
        "callerid_group": optional(Reference("callerid-group")),
        "startingdate": writable(Timestamp(), default=0),
        "expirationdate": writable(Timestamp(), default=0),
        **DAILY_WINDOW,
        "frequency": writable(Integer(1, FREQUENCY_MAX), default=10, description="Calls a minute."),
        "max_aleg": writable(Integer(), default=0),
        "max_xfer": writable(Integer(), default=0),
        "dial_method": writable(Choice(DialMethod), default=DialMethod.FIXED_RATE),
        "agent_dial_rate": writable(AmountNumber(minimum=1), default=MONEY_SCALE),
        "abandon_rate_max": writable(
            AmountNumber(minimum=0), default=ABANDON_RATE_MAX_DEFAULT * MONEY_SCALE, description="Per cent."
        ),
        "callmaxduration": writable(Integer(1, CALL_SECONDS_MAX), default=1_800, description="Seconds."),
        "maxretry": writable(Integer(0, RETRIES_MAX), default=0),
        "intervalretry": writable(Integer(0, INTERVAL_SECONDS_MAX), default=300, description="Seconds."),
        "completion_maxretry": writable(Integer(0, RETRIES_MAX), default=0),
        "completion_intervalretry": writable(Integer(0, INTERVAL_SECONDS_MAX), default=900, description="Seconds."),
        "calltimeout": writable(Integer(1, RING_SECONDS_MAX), default=45, description="Seconds."),
        "aleg_gateway": writable(Reference("gateway")),
        "sms_gateway": optional(Reference("sms-gateway")),
        "object_id": writable(Reference("survey-template", shown_as_id=True)),
        "extra_data": writable(Text(EXTRA_MAX), default=""),
        "voicemail": writable(Boolean(), default=False),
        "amd_behavior": writable(Choice(AmdBehavior), default=AmdBehavior.ALWAYS),
        "voicemail_audiofile": optional(Reference("audio-files")),
        "dnc": optional(Reference("dnc-list")),
        "dnc_lists": DNC_LISTS_OF_CAMPAIGN,
        "user": OWNER,
        "phonebook": writable(ReferenceList("phonebook"), default=()),
        "status": writable(
            Choice(CampaignStatus),
            default=CampaignStatus.NEW,
            description="A new campaign has status 0, whatever the request says. Change the status to 1 to start it.",
        ),
        "status_reason": read_only(Text()),
        "totalcontact": read_only(Integer()),
        "completed": read_only(Integer()),
        "calls": read_only(Integer()),
        "answered": read_only(Integer()),
        "live_answered": read_only(Integer(), description="Calls that persons answered, of surveys that have a queue."),
        "abandoned": read_only(Integer(), description="Calls that no agent took within 2 seconds of their transfer."),
        "cost": read_only(Amount()),
        **STAMPS,
    },
    write_doc="A voice campaign: its survey, its phonebooks, its hours and its pace.",
    read_doc="A voice campaign, as it is stored, with its status and its counters.",
)


def _abandon_rate(change: Change) -> Errors:
    """Return an error if the abandon rate is more than 100 per cent."""
    if change.values["abandon_rate_max"] <= 100 * MONEY_SCALE:
        return {}
    return {"abandon_rate_max": ["Ensure this value is less than or equal to 100."]}


def _agents_to_dial_for(change: Change) -> Errors:
    """Return an error if the dial method needs agents, and the sealed survey transfers no call to a queue."""
    if change.is_new or not change.moves("dial_method"):
        return {}
    survey = sealed_survey(change.unit.connection, change.record_id)
    return {} if survey is None else agents_missing(change.values["dial_method"], survey)


def _sealed_survey(change: Change) -> Errors:
    """Return an error if a started campaign gets another survey: it plays the copy that its first start sealed."""
    if change.is_new or not change.moves("object_id") or change.stored["status"] == CampaignStatus.NEW:
        return {}
    message = "The survey was sealed when the campaign started, so it may not be changed. Create a new campaign."
    return {"object_id": [message]}


CAMPAIGNS = Resource(
    path="campaigns",
    model=Campaign,
    shapes=_CAMPAIGN,
    constants=(("medium", VOICE),),
    filters=("name", "campaign_code", "status", "dial_method"),
    orderings=CAMPAIGN_ORDERINGS,
    names=("name", "campaign_code"),
    associations=(
        Association("phonebook", CampaignPhonebook, "campaign_id", "phonebook_id"),
        Association("dnc_lists", CampaignDncList, "campaign_id", "dnc_id", is_ordered=True),
    ),
    rules=(
        FieldRule(("startingdate", "expirationdate"), dates_in_order),
        FieldRule(("daily_start_time", "daily_stop_time"), window_not_empty),
        FieldRule(("object_id",), _sealed_survey),
        FieldRule(("abandon_rate_max",), _abandon_rate),
        FieldRule(("dial_method",), _agents_to_dial_for),
        FieldRule(("user",), owner_who_pays),
    ),
    defaults=default_dates,
    columns=state_columns,
    update=change_row,
    remove=delete_campaign,
    touches=touches_nothing,
    deleted="campaign deleted",
)
