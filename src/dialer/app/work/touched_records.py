"""Touched records: the records that the engine must read again after a write.

The engine knows the campaigns in START and PAUSE, those that answer a DID, and those with a call or message in
progress, or with a message that waits. With a campaign the worker reads the account of its owner and the DIDs that it
answers; with an agent, the agent's queues.
"""

from typing import Final

from sqlalchemy import ColumnElement, Connection, exists, false, select, true

from dialer.domain.calls.plans import SMS, VOICE, GatewayKey
from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.queries.hold_sounds import names_file
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import (
    ACCOUNT,
    HELD,
    OF_SIMULATED,
    CallRequest,
    Campaign,
    CampaignDncList,
    Did,
    DncList,
    Queue,
    SmsMessage,
    WaitingText,
)

_OPEN: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
_IS_KNOWN: Final = (
    Campaign.status.in_(_OPEN)
    | Campaign.id.in_(select(Did.campaign_id).where(Did.campaign_id.is_not(None)))
    | exists().where(CallRequest.campaign_id == Campaign.id, IS_CALLING)
    | exists().where(SmsMessage.campaign_id == Campaign.id, SmsMessage.ended_ms.is_(None))
    | exists().where(WaitingText.campaign_id == Campaign.id)
)


def touched_campaigns(*campaign_ids: int) -> Touched:
    """Return the campaigns as touched records."""
    return Touched(campaigns=frozenset(campaign_ids))


def known_campaigns(connection: Connection, condition: ColumnElement[bool]) -> Touched:
    """Return the campaigns that meet a condition and that the engine knows, as touched records."""
    return touched_campaigns(*connection.scalars(select(Campaign.id).where(condition, _IS_KNOWN)))


def users_of_dnc(connection: Connection, dnc_id: int) -> Touched:
    """Return the known campaigns for which a do-not-call list holds, as touched records."""
    which = select(DncList.is_global, DncList.keeps_wishes_of, DncList.user_id).where(DncList.id == dnc_id)
    dnc_list = connection.execute(which).first()
    if dnc_list is not None and dnc_list.is_global:
        return known_campaigns(connection, true())
    own = (
        Campaign.user_id == dnc_list.user_id
        if dnc_list is not None and dnc_list.keeps_wishes_of in {ACCOUNT, HELD, OF_SIMULATED}
        else false()
    )
    return known_campaigns(connection, names_dnc(dnc_id) | own)


def names_dnc(dnc_id: int) -> ColumnElement[bool]:
    """Return the condition that a campaign names a do-not-call list."""
    named = select(CampaignDncList.campaign_id).where(CampaignDncList.dnc_id == dnc_id)
    return (Campaign.dnc_id == dnc_id) | Campaign.id.in_(named)


def users_of_callerid_group(connection: Connection, group_id: int) -> Touched:
    """Return the known campaigns that show the caller IDs of a group, as touched records."""
    return known_campaigns(connection, Campaign.callerid_group_id == group_id)


def touched_queue(queue_id: int) -> Touched:
    """Return a queue as a touched record."""
    return Touched(queues=frozenset({queue_id}))


def hearers_of_music(connection: Connection, user_id: int) -> Touched:
    """Return the known campaigns of an account whose callees may hear the music of its queues, as touched records."""
    return known_campaigns(connection, (Campaign.user_id == user_id) & (Campaign.medium == VOICE))


def hearers_of_file(connection: Connection, user_id: int, file_id: int, name: str) -> Touched:
    """Return the hearers of an account's music if some queue names an audio file as it, by id, URL or name."""
    texts = select(Queue.moh_sound).where(Queue.user_id == user_id, Queue.moh_sound != "").distinct()
    if any(names_file(text, file_id, name) for text in connection.scalars(texts)):
        return hearers_of_music(connection, user_id)
    return NOTHING


def touched_gateway(gateway: GatewayKey) -> Touched:
    """Return a gateway as a touched record."""
    return Touched(gateways=frozenset({gateway}))


def users_of_gateway(connection: Connection, gateway: GatewayKey) -> Touched:
    """Return the known campaigns that call, or send their text messages, over a gateway, as touched records."""
    column = Campaign.sms_gateway_id if gateway.medium == SMS else Campaign.aleg_gateway_id
    return known_campaigns(connection, (Campaign.medium == gateway.medium) & (column == gateway.id))


def touched_account(user_id: int) -> Touched:
    """Return the account of a user as a touched record."""
    return Touched(accounts=frozenset({user_id}))


def dids_of_account(connection: Connection, user_id: int) -> Touched:
    """Return the inbound numbers of an account, whose country is that of the account if they name none."""
    return Touched(dids=frozenset(connection.scalars(select(Did.id).where(Did.user_id == user_id))))


def touched_did(did_id: int) -> Touched:
    """Return a DID as a touched record."""
    return Touched(dids=frozenset({did_id}))
