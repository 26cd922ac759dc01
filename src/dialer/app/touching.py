"""Touched records: the records that the engine must read again after a write.

The engine knows the campaigns in START and PAUSE, those that answer a DID, and those with a call or message in
progress, or with a message that waits. With a campaign the worker reads the account of its owner and the DIDs that it
answers; with an agent, the agent's queues.
"""

from typing import Final

from sqlalchemy import ColumnElement, Connection, exists, false, select, true

from dialer.domain.enums import CallRequestStatus, CampaignStatus
from dialer.domain.plans import GatewayKey
from dialer.store.tables import ACCOUNT, CallRequest, Campaign, CampaignDncList, Did, DncList, SmsMessage, WaitingText
from dialer.store.touched import Touched

_campaigns = Campaign.__table__
_dids = Did.__table__
_lists = DncList.__table__
_links = CampaignDncList.__table__
_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_waiting = WaitingText.__table__
_OPEN: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
_IS_KNOWN: Final = (
    _campaigns.c.status.in_(_OPEN)
    | _campaigns.c.id.in_(select(_dids.c.campaign_id).where(_dids.c.campaign_id.is_not(None)))
    | exists().where(_requests.c.campaign_id == _campaigns.c.id, _requests.c.status == CallRequestStatus.CALLING)
    | exists().where(_messages.c.campaign_id == _campaigns.c.id, _messages.c.ended_ms.is_(None))
    | exists().where(_waiting.c.campaign_id == _campaigns.c.id)
)


def touched_campaigns(*campaign_ids: int) -> Touched:
    """Return the campaigns as touched records."""
    return Touched(campaigns=frozenset(campaign_ids))


def known_campaigns(connection: Connection, condition: ColumnElement[bool]) -> Touched:
    """Return the campaigns that meet a condition and that the engine knows, as touched records."""
    return touched_campaigns(*connection.scalars(select(_campaigns.c.id).where(condition, _IS_KNOWN)))


def users_of_dnc(connection: Connection, dnc_id: int) -> Touched:
    """Return the known campaigns for which a do-not-call list holds, as touched records."""
    which = select(_lists.c.is_global, _lists.c.keeps_wishes_of, _lists.c.user_id).where(_lists.c.id == dnc_id)
    one = connection.execute(which).first()
    if one is not None and one.is_global:
        return known_campaigns(connection, true())
    own = _campaigns.c.user_id == one.user_id if one is not None and one.keeps_wishes_of == ACCOUNT else false()
    return known_campaigns(connection, names_dnc(dnc_id) | own)


def names_dnc(dnc_id: int) -> ColumnElement[bool]:
    """Return the condition that a campaign names a do-not-call list."""
    named = select(_links.c.campaign_id).where(_links.c.dnc_id == dnc_id)
    return (_campaigns.c.dnc_id == dnc_id) | _campaigns.c.id.in_(named)


def users_of_callerid_group(connection: Connection, group_id: int) -> Touched:
    """Return the known campaigns that show the caller IDs of a group, as touched records."""
    return known_campaigns(connection, _campaigns.c.callerid_group_id == group_id)


def touched_gateway(gateway: GatewayKey) -> Touched:
    """Return a gateway as a touched record."""
    return Touched(gateways=frozenset({gateway}))


def touched_account(user_id: int) -> Touched:
    """Return the account of a user as a touched record."""
    return Touched(accounts=frozenset({user_id}))


def touched_did(did_id: int) -> Touched:
    """Return a DID as a touched record."""
    return Touched(dids=frozenset({did_id}))
