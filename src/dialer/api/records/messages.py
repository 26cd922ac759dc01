"""Campaigns of text messages, and the messages that campaigns and surveys send."""

from typing import Final

from dialer.api.crud.declaration import OWNER, STAMPS, optional, own, read_only, shapes, writable
from dialer.api.crud.fields import TEXT_MAX, Amount, Choice, Integer, Text, TextChoice
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Reference, ReferenceList
from dialer.api.crud.resource import Association, FieldRule, Resource, touches_nothing
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
from dialer.store.tables import SMS, Campaign, CampaignDncList, CampaignPhonebook, SmsMessage

MESSAGE_ID_LENGTH: Final = 36

_SMS_CAMPAIGN: Final = shapes(
    "SmsCampaign",
    {
        **own("sms-campaigns"),
        "sms_campaign_code": read_only(Text(CODE_LENGTH, column="campaign_code")),
        "name": writable(Text(NAME_MAX, min_length=1)),
        "description": writable(Text(TEXT_MAX), default=""),
        "callerid": writable(Text(CALLERID_MAX), default=""),
        "text_message": writable(Text(MESSAGE_CHARACTERS_MAX), default=""),
        "phonebook": writable(ReferenceList("phonebook"), default=()),
        "startingdate": writable(Timestamp(), default=0),
        "expirationdate": writable(Timestamp(), default=0),
        "sms_gateway": writable(Reference("sms-gateway")),
        "dnc": optional(Reference("dnc-list")),
        "dnc_lists": DNC_LISTS_OF_CAMPAIGN,
        "user": OWNER,
        "status": writable(
            Choice(CampaignStatus),
            default=CampaignStatus.NEW,
            description="A new campaign has status 0, whatever the request says. Change the status to 1 to start it.",
        ),
        "status_reason": read_only(Text()),
        "frequency": writable(Integer(1, FREQUENCY_MAX), default=10, description="Messages a minute."),
        "callmaxduration": read_only(Integer(1, CALL_SECONDS_MAX)),
        "maxretry": writable(Integer(0, RETRIES_MAX), default=0),
        "intervalretry": writable(Integer(0, INTERVAL_SECONDS_MAX), default=300, description="Seconds."),
        **DAILY_WINDOW,
        "totalcontact": read_only(Integer()),
        "sent": read_only(Integer(column="calls")),
        "delivered": read_only(Integer(column="answered")),
        "cost": read_only(Amount()),
        **STAMPS,
    },
    write_doc="A campaign of text messages: its text, its phonebooks, its hours and its pace.",
    read_doc="A campaign of text messages, as it is stored, with its status and its counters.",
)

_SMS_MESSAGE: Final = shapes(
    "SmsMessage",
    {
        **own("sms-message"),
        "campaign": read_only(Reference("sms-campaigns", column="sms_campaign_id"), nullable=True),
        "callrequest": read_only(Reference("callrequest"), nullable=True),
        "contact": read_only(Reference("contact"), nullable=True),
        "callerid": read_only(Text()),
        "phone_number": read_only(Text()),
        "dialled_number": read_only(Text()),
        "text_message": read_only(Text(MESSAGE_CHARACTERS_MAX)),
        "parts": read_only(Integer(1)),
        "status": read_only(TextChoice(tuple(MessageStatus))),
        "cost": read_only(Amount()),
        "send_date": read_only(Timestamp()),
        "delivery_date": read_only(Timestamp(), nullable=True),
        "message_id": read_only(Text(MESSAGE_ID_LENGTH)),
    },
    read_doc="One attempt to send one text message, by a campaign or by a section of a survey during a call.",
)


SMS_CAMPAIGNS = Resource(
    path="sms-campaigns",
    model=Campaign,
    shapes=_SMS_CAMPAIGN,
    constants=(("medium", SMS),),
    filters=("name", "sms_campaign_code", "status"),
    orderings=CAMPAIGN_ORDERINGS,
    names=("name", "sms_campaign_code"),
    associations=(
        Association("phonebook", CampaignPhonebook, "campaign_id", "phonebook_id"),
        Association("dnc_lists", CampaignDncList, "campaign_id", "dnc_id", is_ordered=True),
    ),
    rules=(
        FieldRule(("startingdate", "expirationdate"), dates_in_order),
        FieldRule(("daily_start_time", "daily_stop_time"), window_not_empty),
        FieldRule(("user",), owner_who_pays),
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
    shapes=_SMS_MESSAGE,
    filters=("phone_number", "status", "message_id"),
    orderings=("send_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
)
