"""Campaigns of text messages, and the messages that campaigns and surveys send."""

from typing import Final

from dialer.domain.messages.sms_parts import MESSAGE_CHARACTERS_MAX
from dialer.domain.words.enums import MessageStatus
from dialer.resources.crud.declaration import OWNER, STAMPS, derived, optional, own, read_only, shapes, writable
from dialer.resources.crud.derived_columns import CURRENCY
from dialer.resources.crud.fields import Amount, Integer, Text, TextChoice
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.resource import Resource
from dialer.resources.records.activities import ACTIVITY, activities
from dialer.resources.records.campaign_life import (
    DAILY_WINDOW,
    DNC_LISTS_OF_CAMPAIGN,
    LIFE,
    NAMED,
    STATE,
    WHEN,
    campaigns,
    code_of_campaign,
    dates,
    source,
    state_columns,
)
from dialer.resources.records.campaigns import (
    CALL_SECONDS_MAX,
    CALLERID_MAX,
    FREQUENCY_MAX,
    INTERVAL_SECONDS_MAX,
    RETRIES_MAX,
)
from dialer.resources.records.purposes import PURPOSE_FIELDS, by_purpose
from dialer.resources.records.tried_campaigns import TEST_FIELDS, by_test, tested_messages
from dialer.store.tables import SMS, Campaign, SmsMessage

MESSAGE_ID_LENGTH: Final = 36

_SMS_CAMPAIGN: Final = shapes(
    "SmsCampaign",
    Campaign,
    {
        **own("sms-campaigns"),
        "sms_campaign_code": code_of_campaign(column="campaign_code"),
        **NAMED,
        **PURPOSE_FIELDS,
        "callerid": writable(
            Text(CALLERID_MAX),
            "The sender that receivers see. Default: empty.",
            example="+12025550199",
            title="Caller ID",
            hint="The sender that people see: a number, or a name if the carrier allows it.",
        ),
        "text_message": writable(
            Text(MESSAGE_CHARACTERS_MAX),
            "The text. `{first_name}`, `{full_name}` and variables of the contact are replaced. A campaign without a"
            " text cannot be started.",
            example="Dear {first_name}, we expect you on Monday.",
            hint="{first_name}, {full_name} and other columns of the list are replaced.",
        ),
        "phonebook": writable(
            ReferenceList("phonebook"),
            "The phonebooks whose contacts get the message. Contacts that are added later get it too. Default: none.",
            default=(),
            title="Phonebooks",
            hint="Contacts that are added later get the text too.",
        ),
        **dates("messages are sent"),
        "sms_gateway": writable(
            Reference("sms-gateway"),
            "The gateway over which the messages go.",
            title="Carrier",
            hint="The carrier over which the texts go.",
        ),
        "dnc": optional(
            Reference("dnc-list"),
            "The do-not-call list whose numbers get no message, as it is at the moment of each sending. Null: none.",
            title="Do-not-call list",
            hint="Numbers on it are not called. Whoever asks not to be called again is put on it.",
        ),
        "dnc_lists": DNC_LISTS_OF_CAMPAIGN,
        "user": OWNER,
        **STATE,
        "activity": ACTIVITY,
        **source("sms-campaigns"),
        "frequency": writable(
            Integer(1, FREQUENCY_MAX),
            "Messages a minute, spread evenly.",
            example=30,
            title="Messages a minute",
            hint="Spread evenly over the minute.",
        ),
        "callmaxduration": read_only(
            Integer(1, CALL_SECONDS_MAX),
            "Seconds; not used by campaigns of text messages.",
            example=1800,
            title="Longest call",
        ),
        "maxretry": writable(
            Integer(0, RETRIES_MAX),
            "The most further messages to a subscriber whose message failed. 0: none.",
            example=2,
            title="Further messages if one fails",
            hint="0: none.",
        ),
        "intervalretry": writable(
            Integer(0, INTERVAL_SECONDS_MAX),
            "Seconds from a message that failed to the next one.",
            example=900,
            title="Time between messages",
            hint="From a message that failed to the next one.",
        ),
        **LIFE,
        **DAILY_WINDOW,
        "totalcontact": read_only(Integer(), "Number of subscribers.", example=500, title="People"),
        "sent": read_only(
            Integer(column="calls"), "Number of messages that were sent, further attempts included.", example=520
        ),
        "delivered": read_only(Integer(column="answered"), "Number of messages that were delivered.", example=480),
        "cost": read_only(Amount(), "The price of all messages so far, with five decimals.", example="26.00000"),
        **STAMPS,
        "currency": CURRENCY,
    },
    form=form(
        ("", "name purpose"),
        ("Who gets it", "phonebook dnc"),
        ("What they read", "text_message sms_gateway callerid"),
        ("When", WHEN),
        ("How fast", "frequency"),
        ("If a message fails", "maxretry intervalretry"),
        more=[
            ("Lists", "dnc_lists"),
            ("For whom it calls", "seller sector requires_consent"),
            ("For your notes", "description user"),
        ],
        hidden="activity status",
    ),
    write_doc="A campaign of text messages: its text, its phonebooks, its hours and its pace.",
    read_doc="A campaign of text messages, as it is stored, with its status and its counters.",
)

_SMS_MESSAGE: Final = shapes(
    "SmsMessage",
    SmsMessage,
    {
        **own("sms-message"),
        "campaign": read_only(
            Reference("sms-campaigns", column="sms_campaign_id"),
            "The SMS campaign that sent the message; null if a survey sent it, or if the campaign was deleted.",
            nullable=True,
        ),
        "callrequest": read_only(
            Reference("callrequest"),
            "The call in which a survey sent the message; null if a campaign sent it.",
            nullable=True,
        ),
        "contact": read_only(
            Reference("contact"),
            "The contact who gets the message; null if there is none.",
            nullable=True,
            title="Number",
        ),
        "callerid": read_only(Text(), "The sender that the receiver sees.", example="+12025550199", title="Caller ID"),
        "phone_number": read_only(
            Text(), "The receiver's number in normal form.", example="+12025550100", title="Number"
        ),
        "dialled_number": read_only(
            Text(),
            "The number as it was given to the carrier, after the gateway's `removeprefix` and `addprefix`.",
            example="+12025550100",
        ),
        "text_message": derived(
            Text(MESSAGE_CHARACTERS_MAX),
            "The text as it was sent, with its variables replaced. A code that confirms a telephone is not shown.",
            example="Dear Ada, we expect you on Monday.",
        ),
        "parts": read_only(
            Integer(1),
            "Number of parts, each of which costs the user's `sms_rate`: 160 characters (GSM-7) or 70, and fewer in"
            " long messages.",
        ),
        "status": read_only(
            TextChoice(tuple(MessageStatus)), "The state of the message.", example="Delivered", title="State"
        ),
        "cost": read_only(Amount(), "The price of the message with five decimals.", example="0.05000"),
        "send_date": read_only(Timestamp(), "The moment at which the message was sent, in UTC."),
        "delivery_date": read_only(
            Timestamp(),
            "The moment at which the message was delivered, in UTC; null if it was not, or not yet.",
            nullable=True,
        ),
        "message_id": read_only(
            Text(MESSAGE_ID_LENGTH), "The id of the message, a UUID.", example="5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11"
        ),
        "currency": CURRENCY,
        **TEST_FIELDS,
    },
    read_doc="One attempt to send one text message, by a campaign or by a section of a survey during a call.",
)


SMS_CAMPAIGNS = campaigns(
    "sms-campaigns",
    _SMS_CAMPAIGN,
    medium=SMS,
    code="sms_campaign_code",
    columns=lambda change: {**state_columns(change), "object_id": 0},
    derived=activities,
)
SMS_MESSAGES = Resource(
    path="sms-message",
    shapes=_SMS_MESSAGE,
    derived=tested_messages,
    conditions=(by_test(SmsMessage.__table__.c.campaign_id),),
    filters=("phone_number", "status", "message_id"),
    asked=(by_purpose(SmsMessage.__table__.c.campaign_id),),
    orderings=("send_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
)
