"""Parts of long text messages that came in: each is stored and answered at once, and joined with the others.

A carrier may wait for the answer to a part before it sends the next one. A part is a row of `text_news`, as a whole
text is, so a restart loses none. It waits for the others for a minute at most, and is then read alone. Parts beyond a
limit are read alone at once.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, literal, literal_column, or_, select, update

from dialer.domain.calls.plans import GatewayKey
from dialer.domain.numbers.spellings import Spellings
from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.domain.words.proof import SAID_MAX
from dialer.store.backends.expressions import place_of
from dialer.store.tables import TextNews

PARTS_WAIT_MS: Final = 60_000
"""Time for which a part waits for the others."""
PARTS_OF_SENDER_MAX: Final = 40
"""Parts of one number over one gateway that wait. A longer text is read part by part."""
PARTS_OF_GATEWAY_MAX: Final = 500
PARTS_MAX: Final = 2_000
"""Parts that wait in the whole service."""
GROUP_MAX: Final = 200
"""Characters of the name of a group."""
_IS_PART: Final = TextNews.part_of != literal_column("''")
"""The condition of the index, in the words that SQLite recognises."""
_TEXT: Final = msgspec.json.Decoder(TextReceived)


class TextToStore(NamedTuple):
    """A received text to store: whole, or a part that waits for the other parts."""

    heard: TextReceived
    group: str = ""


class _Waiting(NamedTuple):
    """A part that waits, with the id of its row."""

    id: int
    heard: TextReceived


def taken_in(connection: Connection, gateway_id: GatewayKey, heard: TextReceived) -> TextToStore | None:
    """Return a text as it is to be stored; None if this part is stored already.

    The last part is joined with the others, whose rows are deleted.
    """
    if heard.part is None:
        return TextToStore(heard)
    alone = TextToStore(replace(heard, part=None))
    group = f"{_sender_of(gateway_id, heard)}{heard.to} {heard.part.reference} {heard.part.count}"
    if heard.part.count > PARTS_OF_SENDER_MAX or len(group) > GROUP_MAX:
        return alone
    known = _known(connection, group)
    if (same := known.get(heard.part.number)) is not None:
        return None if same.heard.text == heard.text else alone  # The reference begins again.
    whole = joined((*(one.heard for one in known.values()), heard))
    if whole is not None:
        connection.execute(delete(TextNews).where(TextNews.id.in_([one.id for one in known.values()])))
        return TextToStore(whole)
    return TextToStore(heard, group) if _has_room(connection, gateway_id, heard) else alone


def _known(connection: Connection, group: str) -> dict[int, _Waiting]:
    """Return the parts of a group that wait, by their places.

    Rows that cannot be read are left out. They are set aside when their time is over.
    """
    query = select(TextNews.id, TextNews.heard).where(_IS_PART, TextNews.part_of == group).order_by(TextNews.id)
    known = {}
    for news_id, row in connection.execute(query):
        with suppress(msgspec.MsgspecError, TypeError, ValueError):
            heard = _TEXT.decode(row)
            if heard.part is not None:
                known[heard.part.number] = _Waiting(news_id, heard)
    return known


def joined(parts: Sequence[TextReceived]) -> TextReceived | None:
    """Return the text whose parts these are; None if one is missing."""
    texts = {one.part.number: one.text for one in parts if one.part is not None}
    if not parts or parts[0].part is None or len(texts) < parts[0].part.count:
        return None
    return replace(parts[0], text="".join(texts[number] for number in sorted(texts))[:SAID_MAX], part=None)


def is_readable(now_ms: int) -> ColumnElement[bool]:
    """Return the condition that a row of `text_news` no longer waits for other parts.

    Another process may have stored a part a moment after this one has read its clock. Only a clock that was turned back
    makes a part of the future late.
    """
    is_late = or_(TextNews.told_ms <= now_ms - PARTS_WAIT_MS, TextNews.told_ms > now_ms + PARTS_WAIT_MS)
    return or_(TextNews.part_of == "", is_late)


def join_late(connection: Connection, ids: Sequence[int], parts: Sequence[TextReceived]) -> TextReceived | None:
    """Join parts of one group that have waited, and return the text; None if one is missing.

    Two processes that hear the last parts at the same time do not see each other's. The first row has the text then.
    """
    whole = joined(parts)
    if whole is not None:
        values = {"heard": msgspec.json.encode(whole).decode(), "part_of": ""}
        connection.execute(update(TextNews).where(TextNews.id == ids[0]).values(values))
        connection.execute(delete(TextNews).where(TextNews.id.in_(ids[1:])))
    return whole


def erase_parts(connection: Connection, spellings: Spellings) -> None:
    """Delete waiting parts of texts from a number, and the number in waiting parts of other senders."""
    query = select(TextNews.id, TextNews.heard).where(_IS_PART, TextNews.heard.like(spellings.like))
    for row in connection.execute(query).all():
        heard = _TEXT.decode(row.heard)
        if spellings.is_all_of(heard.number):
            connection.execute(delete(TextNews).where(TextNews.id == row.id))
        elif (text := spellings.without(heard.text)) != heard.text:
            written = msgspec.json.encode(replace(heard, text=text)).decode()
            connection.execute(update(TextNews).where(TextNews.id == row.id).values(heard=written))


def _sender_of(gateway_id: GatewayKey, heard: TextReceived) -> str:
    """Return the beginning of the names of all groups of a sender."""
    return f"{gateway_id.medium} {gateway_id.id} {heard.number} "


def _has_room(connection: Connection, gateway_id: GatewayKey, heard: TextReceived) -> bool:
    """Return whether one more part may wait, of its sender, of its gateway and of the service."""
    sender = _sender_of(gateway_id, heard)
    is_gateways = and_(*(getattr(TextNews, name) == value for name, value in gateway_id.columns().items()))
    is_senders = and_(is_gateways, place_of(literal(sender), TextNews.part_of) == 1)
    counts = (func.count(), func.count(case((is_gateways, 1))), func.count(case((is_senders, 1))))
    waiting = connection.execute(select(*counts).where(_IS_PART)).one()
    limits = (PARTS_MAX, PARTS_OF_GATEWAY_MAX, PARTS_OF_SENDER_MAX)
    return all(count < limit for count, limit in zip(waiting, limits, strict=True))
