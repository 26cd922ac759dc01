"""Campaigns of text messages, and the messages they sent."""

from typing import Annotated, Final

from dialer.api.crud.fields import (
    TEXT_MAX,
    Amount,
    Boolean,
    Choice,
    Identity,
    Integer,
    OwnUrl,
    Reference,
    ReferenceList,
    Text,
    TextChoice,
    TimeOfDay,
    Timestamp,
)
from dialer.api.crud.resource import Association, Resource, Rule, touches_nothing
from dialer.api.crud.shapes import Shape
from dialer.api.records.campaign_life import (
    CODE_LENGTH,
    change_row,
    dates_in_order,
    default_dates,
    owner_who_pays,
    state_columns,
    window_not_empty,
)
from dialer.api.records.campaigns import (
    CALL_SECONDS_MAX,
    CALLERID_MAX,
    FREQUENCY_MAX,
    INTERVAL_SECONDS_MAX,
    NAME_MAX,
    RETRIES_MAX,
)
from dialer.app.delete_campaign import delete_campaign
from dialer.domain.billing.credit import MESSAGE_CHARACTERS_MAX
from dialer.domain.enums import CampaignStatus, MessageStatus
from dialer.store.tables import SMS, Campaign, CampaignPhonebook, SmsMessage

MESSAGE_ID_LENGTH: Final = 36


class SmsCampaignWrite(Shape):
    """What a campaign of text messages sends, to whom, when and how fast."""

    name: Annotated[str, Text(NAME_MAX, min_length=1)]
    sms_gateway: Annotated[int, Reference("sms-gateway")]
    description: Annotated[str, Text(TEXT_MAX)] = ""
    callerid: Annotated[str, Text(CALLERID_MAX)] = ""
    text_message: Annotated[str, Text(MESSAGE_CHARACTERS_MAX)] = ""
    phonebook: Annotated[tuple[int, ...], ReferenceList("phonebook")] = ()
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
    maxretry: Annotated[int, Integer(0, RETRIES_MAX)] = 0
    intervalretry: Annotated[int, Integer(0, INTERVAL_SECONDS_MAX)] = 300
    dnc: Annotated[int, Reference("dnc-list")] | None = None
    user: Annotated[int, Reference("users")] = 0
    status: Annotated[int, Choice(CampaignStatus)] = CampaignStatus.NEW


class SmsCampaignRead(Shape):
    """A campaign of text messages, as it is stored, with its state and what has come of it."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("sms-campaigns")]
    sms_campaign_code: Annotated[str, Text(CODE_LENGTH, column="campaign_code")]
    name: Annotated[str, Text(NAME_MAX)]
    description: Annotated[str, Text(TEXT_MAX)]
    callerid: Annotated[str, Text(CALLERID_MAX)]
    text_message: Annotated[str, Text(MESSAGE_CHARACTERS_MAX)]
    phonebook: Annotated[list[str], ReferenceList("phonebook")]
    startingdate: Annotated[str, Timestamp()]
    expirationdate: Annotated[str, Timestamp()]
    sms_gateway: Annotated[str, Reference("sms-gateway")]
    dnc: Annotated[str, Reference("dnc-list")] | None
    user: Annotated[str, Reference("users")]
    status: Annotated[int, Choice(CampaignStatus)]
    status_reason: Annotated[str, Text()]
    frequency: Annotated[int, Integer(1, FREQUENCY_MAX)]
    callmaxduration: Annotated[int, Integer(1, CALL_SECONDS_MAX)]
    maxretry: Annotated[int, Integer(0, RETRIES_MAX)]
    intervalretry: Annotated[int, Integer(0, INTERVAL_SECONDS_MAX)]
    daily_start_time: Annotated[str, TimeOfDay()]
    daily_stop_time: Annotated[str, TimeOfDay()]
    monday: Annotated[bool, Boolean()]
    tuesday: Annotated[bool, Boolean()]
    wednesday: Annotated[bool, Boolean()]
    thursday: Annotated[bool, Boolean()]
    friday: Annotated[bool, Boolean()]
    saturday: Annotated[bool, Boolean()]
    sunday: Annotated[bool, Boolean()]
    totalcontact: Annotated[int, Integer()]
    sent: Annotated[int, Integer(column="calls")]
    delivered: Annotated[int, Integer(column="answered")]
    cost: Annotated[str, Amount()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class SmsMessageRead(Shape):
    """One attempt to send one text message: of a campaign, or of a section of a survey during a call."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("sms-message")]
    campaign: Annotated[str, Reference("sms-campaigns", column="sms_campaign_id")] | None
    callrequest: Annotated[str, Reference("callrequest")] | None
    contact: Annotated[str, Reference("contact")] | None
    callerid: Annotated[str, Text()]
    phone_number: Annotated[str, Text()]
    dialled_number: Annotated[str, Text()]
    text_message: Annotated[str, Text(MESSAGE_CHARACTERS_MAX)]
    parts: Annotated[int, Integer(1)]
    status: Annotated[str, TextChoice(tuple(MessageStatus))]
    cost: Annotated[str, Amount()]
    send_date: Annotated[str, Timestamp()]
    delivery_date: Annotated[str, Timestamp()] | None
    message_id: Annotated[str, Text(MESSAGE_ID_LENGTH)]


SMS_CAMPAIGNS = Resource(
    path="sms-campaigns",
    model=Campaign,
    read=SmsCampaignRead,
    write=SmsCampaignWrite,
    constants=(("medium", SMS),),
    filters=("name", "sms_campaign_code", "status"),
    associations=(Association("phonebook", CampaignPhonebook, "campaign_id", "phonebook_id"),),
    rules=(
        Rule(("startingdate", "expirationdate"), dates_in_order),
        Rule(("daily_start_time", "daily_stop_time"), window_not_empty),
        Rule(("user",), owner_who_pays),
    ),
    defaults=default_dates,
    columns=state_columns,
    update=change_row,
    remove=delete_campaign,
    touches=touches_nothing,
    deleted="sms campaign deleted",
)
SMS_MESSAGES = Resource(
    path="sms-message",
    model=SmsMessage,
    read=SmsMessageRead,
    filters=("phone_number", "status", "message_id"),
)
