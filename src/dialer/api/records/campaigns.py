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
    STATUS_REASON,
    change_row,
    dates_in_order,
    default_dates,
    owner_who_pays,
    state_columns,
    window_not_empty,
)
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.campaigns.readiness import agents_missing
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.enums import AmdBehavior, AmdSensitivity, CampaignStatus, DialMethod
from dialer.domain.pacing.inputs import ABANDON_RATE_MAX_DEFAULT
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
        "campaign_code": read_only(
            Text(CODE_LENGTH),
            description="Five letters that identify the campaign. The service makes them up.",
            example="KQWZD",
        ),
        "name": writable(
            Text(NAME_MAX, min_length=1),
            description="A name for people. It must not be blank. A unique one is advised.",
            example="Spring reminders",
        ),
        "description": writable(
            Text(TEXT_MAX),
            default="",
            description="A note for people. Default: empty.",
            example="Reminders of appointments in March",
        ),
        "callerid": writable(
            Text(CALLERID_MAX),
            default="",
            description=(
                "The caller ID that callees see, if `callerid_group` has none for their number. Default: empty."
            ),
            example="+12025550199",
        ),
        "callerid_group": optional(
            Reference("callerid-group"),
            description=(
                "The group whose caller IDs callees see: the one with the longest `areacode` that begins the "
                "number. Null: `callerid`."
            ),
        ),
        "startingdate": writable(
            Timestamp(),
            default=0,
            description=(
                "The moment from which numbers are dialled. Without an offset, it is in the time zone of the "
                "service. Default: now."
            ),
            example="2026-11-18T11:06:40Z",
        ),
        "expirationdate": writable(
            Timestamp(),
            default=0,
            description=(
                "The moment at which the campaign ends, after `startingdate`. Default: 24 hours after `startingdate`."
            ),
            example="2026-11-19T11:06:40Z",
        ),
        **DAILY_WINDOW,
        "frequency": writable(
            Integer(1, FREQUENCY_MAX),
            default=10,
            description="Calls a minute, spread evenly. A change holds at once. Used with `dial_method` 1 only.",
            example=30,
        ),
        "max_aleg": writable(
            Integer(),
            default=0,
            description="The most calls in progress at the same time. 0: no limit of the campaign.",
            example=20,
        ),
        "max_xfer": writable(
            Integer(),
            default=0,
            description="The most transfers in progress at the same time, waiting calls included. 0: no limit.",
            example=5,
        ),
        "dial_method": writable(
            Choice(DialMethod),
            default=DialMethod.FIXED_RATE,
            description=(
                "The pace of dialling. 2 and 3 dial for agents, so the survey must transfer calls to a queue."
            ),
        ),
        "agent_dial_rate": writable(
            AmountNumber(minimum=1),
            default=MONEY_SCALE,
            description=(
                "Calls for each free agent, calls in progress included. Used with `dial_method` 2 only. Default: 1."
            ),
            example=1.5,
        ),
        "abandon_rate_max": writable(
            AmountNumber(minimum=0),
            default=ABANDON_RATE_MAX_DEFAULT * MONEY_SCALE,
            description=(
                "The most answered calls that may be abandoned, in per cent from 0 to 100. Used with "
                "`dial_method` 3 only. Default: 3."
            ),
            example=3.0,
        ),
        "callmaxduration": writable(
            Integer(1, CALL_SECONDS_MAX),
            default=1_800,
            description="Seconds after the answer at which a call is cut off.",
            example=600,
        ),
        "maxretry": writable(
            Integer(0, RETRIES_MAX),
            default=0,
            description="The most further attempts for a subscriber who was not reached. 0: none.",
            example=2,
        ),
        "intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            default=300,
            description="Seconds from the end of a call that reached nobody to the next attempt.",
            example=900,
        ),
        "completion_maxretry": writable(
            Integer(0, RETRIES_MAX),
            default=0,
            description=(
                "The most further calls to a subscriber who answered but did not reach a section marked "
                "`completed`. 0: none."
            ),
            example=1,
        ),
        "completion_intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            default=900,
            description="Seconds from the end of such a call to the next one.",
            example=900,
        ),
        "calltimeout": writable(
            Integer(1, RING_SECONDS_MAX),
            default=45,
            description="Seconds of ringing after which an attempt is given up.",
            example=45,
        ),
        "aleg_gateway": writable(Reference("gateway"), description="The gateway over which the calls go."),
        "sms_gateway": optional(
            Reference("sms-gateway"),
            description="The gateway for the text messages of sections of type 10. Null: such sections send nothing.",
        ),
        "object_id": writable(
            Reference("survey-template", shown_as_id=True),
            description=(
                "The id of the survey template to play, as a string of digits. A URL is accepted too. The "
                "first start seals a copy, so it cannot change afterwards."
            ),
            example="1",
        ),
        "extra_data": writable(
            Text(EXTRA_MAX),
            default="",
            description="A text that the service keeps and does not use. Default: empty.",
            example="order 4711",
        ),
        "voicemail": writable(
            Boolean(),
            default=False,
            description="True to tell answering machines from people, in the first seconds after each answer.",
        ),
        "amd_behavior": writable(
            Choice(AmdBehavior),
            default=AmdBehavior.ALWAYS,
            description="The callees who hear the survey. Used only if `voicemail` is true.",
        ),
        "amd_sensitivity": writable(
            Choice(AmdSensitivity),
            default=AmdSensitivity.BALANCED,
            description=(
                "The readiness to take an answer for that of a machine. Used only if `voicemail` is true. The manual "
                "has the errors of each. Default: 2."
            ),
        ),
        "voicemail_audiofile": optional(
            Reference("audio-files"),
            description=(
                "The recording that answering machines hear instead of the survey, if `voicemail` is true. "
                "Null: the survey."
            ),
        ),
        "dnc": optional(
            Reference("dnc-list"),
            description=(
                "The do-not-call list whose numbers are not dialled, as it is at the moment of each dial. Null: none."
            ),
        ),
        "dnc_lists": DNC_LISTS_OF_CAMPAIGN,
        "user": OWNER,
        "phonebook": writable(
            ReferenceList("phonebook"),
            default=(),
            description=(
                "The phonebooks whose contacts are called. Contacts that are added later are called too. Default: none."
            ),
        ),
        "status": writable(
            Choice(CampaignStatus),
            default=CampaignStatus.NEW,
            description="A new campaign has status 0, whatever the request says. Change the status to 1 to start it.",
        ),
        "status_reason": STATUS_REASON,
        "totalcontact": read_only(Integer(), description="Number of subscribers.", example=500),
        "completed": read_only(
            Integer(), description="Number of subscribers who reached a section marked `completed`.", example=120
        ),
        "calls": read_only(
            Integer(), description="Number of calls that were placed, further attempts included.", example=640
        ),
        "answered": read_only(Integer(), description="Number of calls that were answered.", example=310),
        "live_answered": read_only(
            Integer(), description="Number of calls that persons answered, in surveys that have a queue.", example=280
        ),
        "abandoned": read_only(
            Integer(),
            description="Number of those calls that no agent took within 2 seconds of their transfer.",
            example=4,
        ),
        "cost": read_only(
            Amount(),
            description="The price of all calls and text messages so far, with five decimals.",
            example="12.40000",
        ),
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
