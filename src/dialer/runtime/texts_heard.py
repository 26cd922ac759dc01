"""Receipts and text messages that came in, from lines of this worker or from callbacks to the API.

They concern one account. The worker whose shards have it tells its engine; to all others they are nothing. So a number
that says STOP is not written to by an engine that has claimed it before.
"""

from collections.abc import Set as AbstractSet
from typing import Final

import structlog
from sqlalchemy import Connection

from dialer.domain import events
from dialer.domain.line import Receipt, TextReceived
from dialer.domain.messages.sms_parts import is_stop
from dialer.domain.plans import SMS_LINES_FROM
from dialer.runtime.line_news import LineNews
from dialer.runtime.listener import Listener
from dialer.store.queries.selection import owns
from dialer.store.text_news import (
    add_news,
    delete_news,
    is_on_its_way,
    last_message_to,
    waiting_news,
)

UNKNOWN_KEPT_MS: Final = 10_000
"""Time for which a receipt of an unknown message is kept: it may be faster than the answer that names the message."""

_log = structlog.get_logger(__name__)


def tell_sound(connection: Connection, listener: Listener, sound: LineNews, now_ms: int) -> None:
    """Tell the engine what a line has heard. News of a message of another worker are stored for that worker."""
    listener.begin(sound)
    checked = listener.accepted(connection, sound, now_ms)
    if checked is not None:
        _tell(connection, listener, checked, now_ms)


def _tell(connection: Connection, listener: Listener, sound: LineNews, now_ms: int) -> None:
    if isinstance(sound.heard, TextReceived):
        is_taken = _take_text(connection, listener, sound.gateway_id, sound.heard)
    else:
        found = listener.switchboard.hear(connection, sound, now_ms)
        for event in found or ():
            listener.apply(event)
        is_taken = found is not None
    if is_taken or not isinstance(sound.heard, Receipt | TextReceived):
        return
    if not add_news(connection, sound.gateway_id, sound.key, sound.heard, now_ms):
        _log.error("news_of_texts_lost", gateway_id=sound.gateway_id - SMS_LINES_FROM)


def tell_stored(connection: Connection, listener: Listener, now_ms: int, among: AbstractSet[int] | None = None) -> None:
    """Tell the engine of callbacks. Those that concern messages of other workers are left to them.

    `among` limits them to those with these ids. Rows that hold neither a receipt nor a text message are set aside.
    """
    waiting, odd = waiting_news(connection, among)
    for unread in odd:
        listener.put_aside(connection, unread, now_ms)
    done = [unread.id for unread in odd]
    for news in waiting:
        listener.begin(news)
        if isinstance(news.heard, TextReceived):
            if _take_text(connection, listener, news.gateway_id, news.heard):
                done.append(news.id)
            continue
        sound = LineNews(news.gateway_id, news.key, news.heard, news.told_ms)
        found = listener.switchboard.hear(connection, sound, now_ms)
        for event in found or ():
            listener.apply(event)
        is_young = news.told_ms <= now_ms < news.told_ms + UNKNOWN_KEPT_MS
        if found is None and (is_young or is_on_its_way(connection, news.gateway_id, news.key, news.heard.name)):
            continue
        done.append(news.id)
    delete_news(connection, done)


def _take_text(connection: Connection, listener: Listener, gateway_id: int, heard: TextReceived) -> bool:
    """Put a number that says STOP on the do-not-call list of the campaign that wrote to it last over the gateway.

    Return False if another worker has to do so. If nobody wrote, the worker does that has the gateway's shard.
    """
    last = last_message_to(connection, gateway_id, heard.number)
    if not owns(listener.shards, gateway_id if last is None else last.user_id):
        return False
    campaign_id = None if last is None else last.campaign_id
    is_wish = is_stop(heard.text)
    told = {"gateway_id": gateway_id - SMS_LINES_FROM, "campaign_id": campaign_id, "is_stop": is_wish}
    if is_wish and (last is None or last.dnc_id is None):
        _log.error("stop_without_list", **told)
        return True
    _log.info("text_received", **told, characters=len(heard.text))
    if is_wish and last is not None and last.dnc_id is not None:
        listener.apply(events.NumberStopped(last.dnc_id, last.number))
    return True
