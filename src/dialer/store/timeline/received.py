"""Text messages that came in from a number, as parts of its story."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final

from msgspec import structs
from sqlalchemy import ColumnElement, Connection, Select, bindparam, select

from dialer.store.tables import SmsReceived
from dialer.store.timeline.parts import AttemptPart, ReceivedPart, moment

TEXTS_MAX: Final = 100
"""Text messages of a number that are read, the newest."""
_COLUMNS: Final = (
    "id",
    "created_date",
    "said",
    "understood",
    "verdict",
    "needs_person",
    "campaign_id",
    "sms_message_id",
)
_NEWEST: Final[Select[*tuple[Any, ...]]] = (
    select(*[SmsReceived.__table__.c[name] for name in _COLUMNS])
    .where(SmsReceived.number.in_(bindparam("numbers", expanding=True)))
    .order_by(SmsReceived.id.desc())
    .limit(TEXTS_MAX)
)
_TO_CAMPAIGN: Final = _NEWEST.where(
    SmsReceived.campaign_id == bindparam("campaign"), SmsReceived.user_id == bindparam("user")
)


def texts_from(connection: Connection, numbers: Collection[str], is_seen: ColumnElement[bool]) -> list[ReceivedPart]:
    """Return the newest text messages from a number in some spellings, oldest first. `is_seen` selects among them."""
    return _parts(connection, _NEWEST.where(is_seen), numbers)


def _parts(
    connection: Connection, query: Select[*tuple[Any, ...]], numbers: Collection[str], **values: int
) -> list[ReceivedPart]:
    rows = connection.execute(query, {"numbers": sorted(numbers), **values}).all()
    return [ReceivedPart(row.id, moment(row.created_date), *row[2:]) for row in reversed(rows)]


def texts_to(connection: Connection, campaign_id: int, user_id: int, number: str) -> list[ReceivedPart]:
    """Return the newest text messages from a number to a campaign of an account, oldest first."""
    return _parts(connection, _TO_CAMPAIGN, [number], campaign=campaign_id, user=user_id)


def with_texts(attempts: Sequence[AttemptPart], texts: Sequence[ReceivedPart]) -> list[AttemptPart]:
    """Return attempts with the texts that answer them; any other text is with the last attempt before it."""
    if not attempts:
        return []
    by_message = {message_id: place for place, one in enumerate(attempts) for message_id in one.message_ids}
    of_attempt: defaultdict[int, list[ReceivedPart]] = defaultdict(list)
    for text in texts:
        before = [place for place, one in enumerate(attempts) if one.at <= text.at]
        place = by_message.get(text.sms_message_id or 0, max(before, default=0))
        of_attempt[place].append(text)
    return [
        structs.replace(one, received=of_attempt[place]) if place in of_attempt else one
        for place, one in enumerate(attempts)
    ]
