"""Rows of what carriers have told the API of text messages, until a worker has told the engine."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, delete, exists, func, insert, select, true, tuple_

from dialer.domain.calls.plans import SMS, GatewayKey
from dialer.domain.messages.understanding import Understood, understand
from dialer.domain.sessions.leg_protocol import Receipt, TextReceived
from dialer.store.backends.backend import backend_of
from dialer.store.rows.account_events import campaign_subject, event_row, keeps_events, named_campaign, write_events
from dialer.store.rows.live_legs import message_named
from dialer.store.rows.texts.text_parts import is_readable, join_late, taken_in
from dialer.store.rows.texts.text_senders import Writer
from dialer.store.tables import LiveLeg, TextNews

NEWS_MAX: Final = 100_000
"""Limit of callbacks that wait for a worker."""
STOPS_MAX: Final = 1_000_000
"""Limit of callbacks that wait for a worker, if the next one is a wish not to be written to."""
NEWS_PER_STEP: Final = 1_000
"""Receipts, and as many text messages that came in, that one step tells the engine."""
_HEARD: Final = msgspec.json.Decoder(Receipt | TextReceived)


class StoredNews(NamedTuple):
    """A stored callback of a carrier of text messages."""

    id: int
    gateway_id: GatewayKey
    key: str
    heard: Receipt | TextReceived
    told_ms: int


class UnreadNews(NamedTuple):
    """A callback that holds neither a receipt nor a text message, with the reason."""

    id: int
    gateway_id: GatewayKey
    key: str
    heard: str
    reason: str


def write_text_received(
    connection: Connection, writers: Sequence[Writer], now_ms: int, *, state: str, has_others: bool
) -> None:
    """Write the event of a received text, for each account that texted the sender and keeps events.

    `has_others` says that other workers write events of some of these accounts. They wait, so that ids grow in the
    order of commits.
    """
    rows = [
        event_row(one.user_id, "message.received", now_ms, campaign_subject(connection, named), named, state=state)
        for one in writers
        if keeps_events(connection, one.user_id)
        for named in (named_campaign(connection, one.campaign_id),)
    ]
    if rows:
        if has_others:
            backend_of(connection).exclude_steps(connection)
        write_events(connection, rows)


def add_news(
    connection: Connection, gateway_id: GatewayKey, key: str, heard: Receipt | TextReceived, now_ms: int
) -> bool:
    """Store a callback, and return True; return False if too many wait already. Wishes have room of their own.

    A part of a long text waits for the others, and is joined with them.
    """
    is_text = isinstance(heard, TextReceived)
    is_wish = isinstance(heard, TextReceived) and (heard.part or understand(heard.text) is not Understood.OTHER)
    most = STOPS_MAX if is_wish else NEWS_MAX
    waiting = select(func.count()).select_from(select(TextNews.id).limit(most).subquery())
    if (connection.scalar(waiting) or 0) >= most:
        return False
    group = ""
    if isinstance(heard, TextReceived):
        taken = taken_in(connection, gateway_id, heard)
        if taken is None:
            return True
        heard, group = taken
    values = {**gateway_id.columns(), "key": key, "is_text": is_text, "told_ms": now_ms, "part_of": group}
    connection.execute(insert(TextNews).values(**values, heard=msgspec.json.encode(heard).decode()))
    return True


def waiting_news(
    connection: Connection,
    now_ms: int,
    among: AbstractSet[int] | None = None,
    without: AbstractSet[GatewayKey] = frozenset(),
) -> tuple[list[StoredNews], list[UnreadNews]]:
    """Return the oldest callbacks: text messages first, because they may be wishes not to be texted again.

    `among` limits them to those with these ids, and `without` leaves out some gateways. The second list has those that
    hold nothing of the kind. Parts of text messages are left out while they wait for the others.
    """
    columns = (TextNews.id, TextNews.medium, TextNews.gateway_id, TextNews.key, TextNews.heard, TextNews.told_ms)
    found: list[StoredNews] = []
    odd: list[UnreadNews] = []
    groups: dict[str, list[StoredNews]] = {}
    for is_text in (TextNews.is_text == true(), TextNews.is_text != true()):
        query = select(*columns, TextNews.part_of).where(is_text, is_readable(now_ms)).order_by(TextNews.id)
        query = query.limit(NEWS_PER_STEP)
        if among is not None:
            query = query.where(TextNews.id.in_(sorted(among)))
        if without:
            query = query.where(tuple_(TextNews.medium, TextNews.gateway_id).not_in(sorted(without)))
        for news_id, medium, number, key, heard, told_ms, part_of in connection.execute(query):
            gateway_id = GatewayKey(medium, number)
            try:
                news = StoredNews(news_id, gateway_id, key, _HEARD.decode(heard), told_ms)
            except (msgspec.MsgspecError, TypeError, ValueError) as error:
                odd.append(UnreadNews(news_id, gateway_id, key, str(heard), str(error)))
                continue
            found.append(news)
            if part_of:
                groups.setdefault(part_of, []).append(news)
    for group in groups.values():
        found = _with_late_parts(connection, found, group)
    return found, odd


def _with_late_parts(connection: Connection, found: list[StoredNews], group: list[StoredNews]) -> list[StoredNews]:
    """Return callbacks with the parts of a group joined, if none of them is missing."""
    ids = [news.id for news in group]
    whole = join_late(connection, ids, [news.heard for news in group if isinstance(news.heard, TextReceived)])
    if whole is None:
        return found
    return [news._replace(heard=whole) if news.id == ids[0] else news for news in found if news.id not in ids[1:]]


def delete_news(connection: Connection, ids: Collection[int]) -> None:
    """Delete callbacks of which the engine knows."""
    if ids:
        connection.execute(delete(TextNews).where(TextNews.id.in_(ids)))


def is_on_its_way(connection: Connection, gateway_id: GatewayKey, key: str, name: str) -> bool:
    """Return whether a text message with this key, or else this name, is on its way over a gateway."""
    if not key and gateway_id.medium != SMS:
        return False
    if not key:
        return message_named(connection, gateway_id, name) is not None
    found = exists().where(LiveLeg.key == key, LiveLeg.medium == gateway_id.medium, LiveLeg.gateway_id == gateway_id.id)
    return bool(connection.scalar(select(found)))
