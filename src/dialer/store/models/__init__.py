"""The tables: one module for each part of the house."""

from dialer.store.models._base import Row
from dialer.store.models.accounts import LedgerEntry, Payment, RateCardLine, User
from dialer.store.models.calls import CallBack, CallRequest, Cdr, SmsMessage, SurveyResult, Transfer
from dialer.store.models.campaigns import SMS, VOICE, Campaign, CampaignPhonebook, SealedSurvey, Subscriber
from dialer.store.models.carriers import CallerId, CallerIdGroup, Did, Gateway, SmsGateway
from dialer.store.models.contacts import Contact, DncContact, DncList, Phonebook
from dialer.store.models.queues import Agent, Queue, Tier
from dialer.store.models.service import IdempotentResponse, ServiceState
from dialer.store.models.surveys import AudioFile, BranchingTemplate, SectionTemplate, SurveyTemplate

__all__ = [
    "SMS",
    "VOICE",
    "Agent",
    "AudioFile",
    "BranchingTemplate",
    "CallBack",
    "CallRequest",
    "CallerId",
    "CallerIdGroup",
    "Campaign",
    "CampaignPhonebook",
    "Cdr",
    "Contact",
    "Did",
    "DncContact",
    "DncList",
    "Gateway",
    "IdempotentResponse",
    "LedgerEntry",
    "Payment",
    "Phonebook",
    "Queue",
    "RateCardLine",
    "Row",
    "SealedSurvey",
    "SectionTemplate",
    "ServiceState",
    "SmsGateway",
    "SmsMessage",
    "Subscriber",
    "SurveyResult",
    "SurveyTemplate",
    "Tier",
    "Transfer",
    "User",
]
