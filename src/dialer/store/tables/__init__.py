"""The tables: one module for each part of the service."""

from dialer.store.tables._base import Row
from dialer.store.tables.accounts import ApiKey, ConsoleSession, LedgerEntry, Payment, RateCardLine, User
from dialer.store.tables.calls import (
    CallBack,
    CallDisposition,
    CallRequest,
    Cdr,
    LiveLeg,
    SmsMessage,
    SurveyResult,
    TextNews,
    TextPart,
    Transfer,
    WaitingText,
)
from dialer.store.tables.campaigns import (
    HALT_COMPLETED,
    SMS,
    VOICE,
    Campaign,
    CampaignDncList,
    CampaignForecast,
    CampaignPhonebook,
    SealedSurvey,
    Subscriber,
)
from dialer.store.tables.carriers import CallerId, CallerIdGroup, Did, Gateway, SmsGateway
from dialer.store.tables.contacts import Contact, DncContact, DncList, Phonebook
from dialer.store.tables.figures import (
    AgentHour,
    CampaignHour,
    QueueHour,
    SubscriberCount,
    SubscriberMove,
    UserHour,
)
from dialer.store.tables.fleet import CpsReturned, FleetChange, FleetWorker, GatewaySlice, Seat, Shard
from dialer.store.tables.limits import RequestAllowance, WrongPassword
from dialer.store.tables.queues import Agent, Queue, Tier
from dialer.store.tables.service import IdempotentResponse, KeyCheck, ServiceState
from dialer.store.tables.surveys import AudioFile, BranchingTemplate, SectionTemplate, SurveyTemplate
from dialer.store.tables.trail import REMOVABLE_MS, AuditLog

__all__ = [
    "HALT_COMPLETED",
    "REMOVABLE_MS",
    "SMS",
    "VOICE",
    "Agent",
    "AgentHour",
    "ApiKey",
    "AudioFile",
    "AuditLog",
    "BranchingTemplate",
    "CallBack",
    "CallDisposition",
    "CallRequest",
    "CallerId",
    "CallerIdGroup",
    "Campaign",
    "CampaignDncList",
    "CampaignForecast",
    "CampaignHour",
    "CampaignPhonebook",
    "Cdr",
    "ConsoleSession",
    "Contact",
    "CpsReturned",
    "Did",
    "DncContact",
    "DncList",
    "FleetChange",
    "FleetWorker",
    "Gateway",
    "GatewaySlice",
    "IdempotentResponse",
    "KeyCheck",
    "LedgerEntry",
    "LiveLeg",
    "Payment",
    "Phonebook",
    "Queue",
    "QueueHour",
    "RateCardLine",
    "RequestAllowance",
    "Row",
    "SealedSurvey",
    "Seat",
    "SectionTemplate",
    "ServiceState",
    "Shard",
    "SmsGateway",
    "SmsMessage",
    "Subscriber",
    "SubscriberCount",
    "SubscriberMove",
    "SurveyResult",
    "SurveyTemplate",
    "TextNews",
    "TextPart",
    "Tier",
    "Transfer",
    "User",
    "UserHour",
    "WaitingText",
    "WrongPassword",
]
