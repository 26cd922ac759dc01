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
    STATUS_REASON,
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
from dialer.app.campaigns.delete import delete_campaign
from dialer.domain.engine.credit import MESSAGE_CHARACTERS_MAX
from dialer.domain.enums import CampaignStatus, MessageStatus
from dialer.store.tables import SMS, Campaign, CampaignDncList, CampaignPhonebook, SmsMessage

MESSAGE_ID_LENGTH: Final = 36

_SMS_CAMPAIGN: Final = shapes(
    "SmsCampaign",
    {
        **own("sms-campaigns"),
        "sms_campaign_code": read_only(
            Text(CODE_LENGTH, column="campaign_code"),
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
            description="The sender that receivers see. Default: empty.",
            example="+12025550199",
        ),
        "text_message": writable(
            Text(MESSAGE_CHARACTERS_MAX),
            default="",
            description=(
                "The text. `{first_name}`, `{full_name}` and variables of the contact are replaced. A "
                "campaign without a text cannot be started."
            ),
            example="Dear {first_name}, we expect you on Monday.",
        ),
        "phonebook": writable(
            ReferenceList("phonebook"),
            default=(),
            description=(
                "The phonebooks whose contacts get the message. Contacts that are added later get it too. "
                "Default: none."
            ),
        ),
        "startingdate": writable(
            Timestamp(),
            default=0,
            description=(
                "The moment from which messages are sent. Without an offset, it is in the time zone of the "
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
        "sms_gateway": writable(Reference("sms-gateway"), description="The gateway over which the messages go."),
        "dnc": optional(
            Reference("dnc-list"),
            description=(
                "The do-not-call list whose numbers get no message, as it is at the moment of each sending. Null: none."
            ),
        ),
        "dnc_lists": DNC_LISTS_OF_CAMPAIGN,
        "user": OWNER,
        "status": writable(
            Choice(CampaignStatus),
            default=CampaignStatus.NEW,
            description="A new campaign has status 0, whatever the request says. Change the status to 1 to start it.",
        ),
        "status_reason": STATUS_REASON,
        "frequency": writable(
            Integer(1, FREQUENCY_MAX), default=10, description="Messages a minute, spread evenly.", example=30
        ),
        "callmaxduration": read_only(
            Integer(1, CALL_SECONDS_MAX), description="Seconds; not used by campaigns of text messages.", example=1800
        ),
        "maxretry": writable(
            Integer(0, RETRIES_MAX),
            default=0,
            description="The most further messages to a subscriber whose message failed. 0: none.",
            example=2,
        ),
        "intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            default=300,
            description="Seconds from a message that failed to the next one.",
            example=900,
        ),
        **DAILY_WINDOW,
        "totalcontact": read_only(Integer(), description="Number of subscribers.", example=500),
        "sent": read_only(
            Integer(column="calls"),
            description="Number of messages that were sent, further attempts included.",
            example=520,
        ),
        "delivered": read_only(
            Integer(column="answered"), description="Number of messages that were delivered.", example=480
        ),
        "cost": read_only(
            Amount(), description="The price of all messages so far, with five decimals.", example="26.00000"
        ),
        **STAMPS,
    },
    write_doc="A campaign of text messages: its text, its phonebooks, its hours and its pace.",
    read_doc="A campaign of text messages, as it is stored, with its status and its counters.",
)

_SMS_MESSAGE: Final = shapes(
    "SmsMessage",
    {
        **own("sms-message"),
        "campaign": read_only(
            Reference("sms-campaigns", column="sms_campaign_id"),
            nullable=True,
            description=(
                "The SMS campaign that sent the message; null if a survey sent it, or if the campaign was deleted."
            ),
        ),
        "callrequest": read_only(
            Reference("callrequest"),
            nullable=True,
            description="The call in which a survey sent the message; null if a campaign sent it.",
        ),
        "contact": read_only(
            Reference("contact"), nullable=True, description="The contact who gets the message; null if there is none."
        ),
        "callerid": read_only(Text(), description="The sender that the receiver sees.", example="+12025550199"),
        "phone_number": read_only(Text(), description="The receiver's number in normal form.", example="+12025550100"),
        "dialled_number": read_only(
            Text(),
            description=(
                "The number as it was given to the carrier, after the gateway's `removeprefix` and `addprefix`."
            ),
            example="+12025550100",
        ),
        "text_message": read_only(
            Text(MESSAGE_CHARACTERS_MAX),
            description="The text as it was sent, with its variables replaced.",
            example="Dear Ada, we expect you on Monday.",
        ),
        "parts": read_only(
            Integer(1),
            description=(
                "Number of parts, each of which costs the user's `sms_rate`: 160 characters (GSM-7) or 70, "
                "and fewer in long messages."
            ),
        ),
        "status": read_only(
            TextChoice(tuple(MessageStatus)), description="The state of the message.", example="Delivered"
        ),
        "cost": read_only(Amount(), description="The price of the message with five decimals.", example="0.05000"),
        "send_date": read_only(Timestamp(), description="The moment at which the message was sent, in UTC."),
        "delivery_date": read_only(
            Timestamp(),
            nullable=True,
            description="The moment at which the message was delivered, in UTC; null if it was not, or not yet.",
        ),
        "message_id": read_only(
            Text(MESSAGE_ID_LENGTH),
            description="The id of the message, a UUID.",
            example="5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11",
        ),
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
