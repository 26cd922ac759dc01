"""The tables: one module for each part of the service."""

from sqlalchemy import Connection, Table, event

from dialer.domain.calls.plans import SMS, VOICE
from dialer.store.backends.backend import create_triggers
from dialer.store.tables._base import Row
from dialer.store.tables.accounts import (
    ApiKey,
    ConsoleSession,
    LedgerEntry,
    OwnTelephone,
    Payment,
    RateCardLine,
    RecoveryCode,
    SecondFactor,
    User,
)
from dialer.store.tables.audit_log import AuditLog
from dialer.store.tables.call_recordings import CallRecording
from dialer.store.tables.calls import (
    CallBack,
    CallInProgress,
    CallRequest,
    Cdr,
    SetAsideReport,
    SmsMessage,
    SurveyResult,
    TextNews,
    TextPart,
    Transfer,
    WaitingText,
)
from dialer.store.tables.campaigns import (
    HALT_COMPLETED,
    Campaign,
    CampaignDncList,
    CampaignForecast,
    CampaignPhonebook,
    ExampleCampaign,
    PeopleToCopy,
    SealedSurvey,
    Subscriber,
)
from dialer.store.tables.carriers import CallerId, CallerIdGroup, Did, Gateway, GatewayCounter
from dialer.store.tables.consents import Consent
from dialer.store.tables.contact_rules import ContactRule, ContactWait
from dialer.store.tables.contacts import (
    ACCOUNT,
    HELD,
    OF_SIMULATED,
    SERVICE,
    Contact,
    ContactName,
    ContactWord,
    DncContact,
    DncList,
    NumberNote,
    Phonebook,
)
from dialer.store.tables.dispositions import CallDisposition, CallDraft
from dialer.store.tables.events import AccountEvent
from dialer.store.tables.figures import (
    AgentHour,
    AgentPeriod,
    CampaignHour,
    QueueHour,
    SubscriberCount,
    SubscriberMove,
    UserHour,
)
from dialer.store.tables.fleet import CpsReturned, FleetChange, FleetWorker, GatewaySlice, Shard, WorkerPosition
from dialer.store.tables.limits import RequestAllowance, WrongPassword
from dialer.store.tables.live_legs import LiveLeg
from dialer.store.tables.queues import Agent, Queue, Tier
from dialer.store.tables.received_texts import SmsReceived
from dialer.store.tables.reports import ReportDelivery, ReportLink, ReportSchedule
from dialer.store.tables.service import IdempotentResponse, KeyCheck, ServiceState
from dialer.store.tables.surveys import AudioFile, BranchingTemplate, SectionTemplate, SurveyChange, SurveyTemplate
from dialer.store.tables.webhooks import Webhook, WebhookDelivery

__all__ = [
    "ACCOUNT",
    "HALT_COMPLETED",
    "HELD",
    "OF_SIMULATED",
    "SERVICE",
    "SMS",
    "VOICE",
    "AccountEvent",
    "Agent",
    "AgentHour",
    "AgentPeriod",
    "ApiKey",
    "AudioFile",
    "AuditLog",
    "BranchingTemplate",
    "CallBack",
    "CallDisposition",
    "CallDraft",
    "CallInProgress",
    "CallRecording",
    "CallRequest",
    "CallerId",
    "CallerIdGroup",
    "Campaign",
    "CampaignDncList",
    "CampaignForecast",
    "CampaignHour",
    "CampaignPhonebook",
    "Cdr",
    "Consent",
    "ConsoleSession",
    "Contact",
    "ContactName",
    "ContactRule",
    "ContactWait",
    "ContactWord",
    "CpsReturned",
    "Did",
    "DncContact",
    "DncList",
    "ExampleCampaign",
    "FleetChange",
    "FleetWorker",
    "Gateway",
    "GatewayCounter",
    "GatewaySlice",
    "IdempotentResponse",
    "KeyCheck",
    "LedgerEntry",
    "LiveLeg",
    "NumberNote",
    "OwnTelephone",
    "Payment",
    "PeopleToCopy",
    "Phonebook",
    "Queue",
    "QueueHour",
    "RateCardLine",
    "RecoveryCode",
    "ReportDelivery",
    "ReportLink",
    "ReportSchedule",
    "RequestAllowance",
    "Row",
    "SealedSurvey",
    "SecondFactor",
    "SectionTemplate",
    "ServiceState",
    "SetAsideReport",
    "Shard",
    "SmsMessage",
    "SmsReceived",
    "Subscriber",
    "SubscriberCount",
    "SubscriberMove",
    "SurveyChange",
    "SurveyResult",
    "SurveyTemplate",
    "TextNews",
    "TextPart",
    "Tier",
    "Transfer",
    "User",
    "UserHour",
    "WaitingText",
    "Webhook",
    "WebhookDelivery",
    "WorkerPosition",
    "WrongPassword",
]


def _create_triggers(table: Table, connection: Connection, **_options: object) -> None:
    create_triggers(connection, table.name)


for _model in (AuditLog, CallRequest, Subscriber):
    event.listen(_model.__table__, "after_create", _create_triggers)
