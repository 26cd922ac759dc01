"""The number of people who have answered a campaign by text message."""

from typing import NamedTuple

from sqlalchemy import Connection, Select, case, exists, func, select

from dialer.app.contacts.received_texts import Verdict
from dialer.domain.messages.understanding import Understood
from dialer.domain.words.proof import WishSource
from dialer.store.tables import Campaign, DncContact, SmsReceived


class ReplyCounts(NamedTuple):
    """The numbers from which replies to a campaign have come, each counted once, as long as its texts are kept."""

    people: int
    stopped: int
    """Those of which a reply is a wish not to be called or written to any more, also one of which a user has said so.
    """
    doubtful: int
    """Replies that are perhaps such a wish, and that nobody has looked at."""


def read_replies(connection: Connection, campaign_id: int) -> ReplyCounts:
    """Return the replies to a campaign. It reads all texts that its account has received.

    A wish may have no text, as that of a simulated person: then its entry on a do-not-call list stands for the reply.
    """
    is_stop = (SmsReceived.understood == Understood.STOP.value) | (SmsReceived.verdict == Verdict.DO_NOT_CALL.value)
    owner = select(Campaign.user_id).where(Campaign.id == campaign_id).scalar_subquery()
    query = select(
        func.count(SmsReceived.phone_number.distinct()),
        func.count(case((is_stop, SmsReceived.phone_number)).distinct()),
        func.coalesce(func.sum(case((SmsReceived.needs_person, 1), else_=0)), 0),
    ).where(SmsReceived.user_id == owner, SmsReceived.campaign_id == campaign_id)
    people, stopped, doubtful = connection.execute(query).one()
    entries = int(connection.scalar(_entries_without_texts(campaign_id)) or 0)
    return ReplyCounts(int(people) + entries, int(stopped) + entries, int(doubtful))


def _entries_without_texts(campaign_id: int) -> Select[int]:
    """Return the query for the numbers on do-not-call lists by a reply to a campaign of which no text is kept."""
    is_reply = DncContact.campaign_id == campaign_id, DncContact.source == WishSource.TEXT
    owner = select(Campaign.user_id).where(Campaign.id == campaign_id).scalar_subquery()
    is_kept = exists().where(
        SmsReceived.user_id == owner,
        SmsReceived.campaign_id == campaign_id,
        SmsReceived.number == DncContact.number,
    )
    return select(func.count(DncContact.number.distinct())).where(*is_reply, ~is_kept)
