"""Receipts and text messages that came in, from lines of this worker or from callbacks to the API."""

from collections.abc import Callable
from typing import Final

import structlog
from sqlalchemy import Connection

from dialer.domain import events
from dialer.domain.line import Receipt, TextReceived
from dialer.domain.messages.sms_parts import is_stop
from dialer.domain.plans import SMS_LINES_FROM
from dialer.runtime.line_news import LineNews
from dialer.runtime.switchboard import Switchboard
from dialer.store.text_news import add_news, delete_news, is_on_its_way, last_message_to, waiting_news

UNKNOWN_KEPT_MS: Final = 10_000
"""Time for which a receipt of an unknown message is kept: it may be faster than the answer that names the message."""

_log = structlog.get_logger(__name__)

Apply = Callable[[events.Event], None]
"""Tells the engine of an event."""


def tell_sound(connection: Connection, switchboard: Switchboard, sound: LineNews, now_ms: int, apply: Apply) -> None:
    """Tell the engine what a line has heard. A receipt of a message that this worker does not have is stored."""
    if isinstance(sound.heard, TextReceived):
        _take_text(connection, sound.gateway_id, sound.heard, apply)
        return
    found = switchboard.hear(connection, sound, now_ms)
    if found is None and isinstance(sound.heard, Receipt):
        add_news(connection, sound.gateway_id, sound.key, sound.heard, now_ms)
    for event in found or ():
        apply(event)


def tell_stored(connection: Connection, switchboard: Switchboard, now_ms: int, apply: Apply) -> None:
    """Tell the engine of callbacks. Receipts of messages of other workers are left to them."""
    done = []
    for news in waiting_news(connection):
        if isinstance(news.heard, TextReceived):
            _take_text(connection, news.gateway_id, news.heard, apply)
            done.append(news.id)
            continue
        sound = LineNews(news.gateway_id, news.key, news.heard, news.told_ms)
        found = switchboard.hear(connection, sound, now_ms)
        for event in found or ():
            apply(event)
        is_young = news.told_ms <= now_ms < news.told_ms + UNKNOWN_KEPT_MS
        if found is None and (is_young or is_on_its_way(connection, news.gateway_id, news.key, news.heard.name)):
            continue
        done.append(news.id)
    delete_news(connection, done)


def _take_text(connection: Connection, gateway_id: int, heard: TextReceived, apply: Apply) -> None:
    """Put a number that says STOP on the do-not-call list of the campaign that wrote to it last over the gateway."""
    last = last_message_to(connection, gateway_id, heard.number)
    campaign_id = None if last is None else last.campaign_id
    is_wish = is_stop(heard.text)
    told = {"gateway_id": gateway_id - SMS_LINES_FROM, "campaign_id": campaign_id, "is_stop": is_wish}
    if is_wish and (last is None or last.dnc_id is None):
        _log.error("stop_without_list", **told)
        return
    _log.info("text_received", **told, characters=len(heard.text))
    if is_wish and last is not None and last.dnc_id is not None:
        apply(events.NumberStopped(last.dnc_id, last.number))
