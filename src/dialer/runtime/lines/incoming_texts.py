"""Receipts and text messages that came in, from lines of this worker or from callbacks to the API.

They concern one account. The worker whose shards have it tells its engine; to all others they are nothing. So a number
that says STOP is not written to by an engine that has claimed it before.
"""

from typing import Final

import structlog
from sqlalchemy import Connection

from dialer.domain.calls import campaign_events
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.messages.understanding import Understood, understand
from dialer.domain.numbers.normal_form import NumberError, digits_of, is_possible, normalise
from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.domain.words.proof import Proof, WishSource, said_in
from dialer.runtime.lines.line_reports import LineReport
from dialer.runtime.lines.listener import Listener
from dialer.runtime.lines.suspect_reports import Allowance
from dialer.store.queries.selection import owns
from dialer.store.rows.texts.incoming_texts import delete_news, is_on_its_way, waiting_news, write_text_received
from dialer.store.rows.texts.received_texts import ReceivedText, TextOf, keep_texts
from dialer.store.rows.texts.text_senders import Sender, has_country_code, sender_of
from dialer.store.rows.wishes import oldest_admin

_STATES: Final = {Understood.STOP: "stop", Understood.PERHAPS: "perhaps", Understood.OTHER: "received"}
"""The states of the event, by what a message was understood to mean."""
UNKNOWN_KEPT_MS: Final = 10_000
"""Time for which a receipt of an unknown message is kept: it may be faster than the answer that names the message."""

_log = structlog.get_logger(__name__)


def tell_sound(connection: Connection, listener: Listener, sound: LineReport, now_ms: int) -> None:
    """Tell the engine what a line has heard. News of a message of another worker are stored for that worker."""
    listener.begin(sound)
    checked = listener.accepted(connection, sound, now_ms)
    if checked is not None:
        _tell(connection, listener, checked, now_ms)


def _tell(connection: Connection, listener: Listener, sound: LineReport, now_ms: int) -> None:
    if isinstance(sound.heard, TextReceived):
        # A part of a long text waits for the others.
        is_taken = sound.heard.part is None and _take_text(connection, listener, sound.gateway_id, sound.heard, now_ms)
    else:
        engine_events = listener.switchboard.hear(connection, sound, now_ms)
        for event in engine_events or ():
            listener.apply(event)
        is_taken = engine_events is not None
    if is_taken or listener.keep_text(connection, sound, now_ms):
        return
    if isinstance(sound.heard, TextReceived) and understand(sound.heard.text) is not Understood.OTHER:
        # A wish is never lost. Without room for it, this worker keeps it in place of the other one.
        sender = sender_of(connection, sound.gateway_id, sound.heard)
        meaning = _meaning(sound.heard, sender)
        _keep_wish(listener, sound.gateway_id, sound.heard, sender, is_held=meaning is Understood.PERHAPS)
        _keep_text(connection, sound.gateway_id, sound.heard, meaning, sender, now_ms)
    else:
        _log.error("news_of_texts_lost", gateway_id=sound.gateway_id.id)


def tell_stored(connection: Connection, listener: Listener, now_ms: int, allowance: Allowance) -> None:
    """Tell the engine of stored callbacks, except those for messages of other workers.

    Those of gateways that rest wait. Rows that hold neither a receipt nor a text message are set aside.
    """
    waiting, odd = waiting_news(connection, now_ms, allowance.stored, allowance.resting)
    for unread in odd:
        listener.put_aside(connection, unread, now_ms)
    done = [unread.id for unread in odd]
    for line_report in waiting:
        listener.begin(line_report)
        if isinstance(line_report.heard, TextReceived):
            if _take_text(connection, listener, line_report.gateway_id, line_report.heard, now_ms):
                done.append(line_report.id)
            continue
        sound = LineReport(line_report.gateway_id, line_report.key, line_report.heard, line_report.told_ms)
        engine_events = listener.switchboard.hear(connection, sound, now_ms)
        for event in engine_events or ():
            listener.apply(event)
        is_young = line_report.told_ms <= now_ms < line_report.told_ms + UNKNOWN_KEPT_MS
        if engine_events is None and (
            is_young or is_on_its_way(connection, line_report.gateway_id, line_report.key, line_report.heard.name)
        ):
            continue
        done.append(line_report.id)
    delete_news(connection, done)


def _take_text(
    connection: Connection, listener: Listener, gateway_id: GatewayKey, heard: TextReceived, now_ms: int
) -> bool:
    """Keep the wish of a person who asks not to be written to, for all accounts that wrote over the gateway.

    Return False if another worker has to do so: the one whose shards have the account that wrote last. If nobody wrote,
    it is the worker that has the gateway's shard.
    """
    sender = sender_of(connection, gateway_id, heard)
    writers = sender.writers
    if not owns(listener.shards, writers[0].user_id if writers else gateway_id.id):
        return False
    campaign_id = writers[0].campaign_id if writers else None
    meaning = _meaning(heard, sender)
    told = {"gateway_id": gateway_id.id, "campaign_id": campaign_id, "is_stop": meaning is Understood.STOP}
    _log.info("text_received", **told, understood=str(meaning), characters=len(heard.text))
    if meaning is not Understood.OTHER:
        _keep_wish(listener, gateway_id, heard, sender, is_held=meaning is Understood.PERHAPS)
    _keep_text(connection, gateway_id, heard, meaning, sender, now_ms)
    has_others = not all(owns(listener.shards, one.user_id) for one in writers)
    if meaning is not Understood.OTHER or not sender.is_of_several_accounts:
        write_text_received(connection, writers, now_ms, state=_STATES[meaning], has_others=has_others)
    return True


def _meaning(heard: TextReceived, sender: Sender) -> Understood:
    """Return what a text message means. A wish of somebody who may be another person needs a user who looks."""
    meaning = understand(heard.text)
    return Understood.PERHAPS if meaning is Understood.STOP and not sender.is_certain else meaning


def _keep_text(
    connection: Connection,
    gateway_id: GatewayKey,
    heard: TextReceived,
    meaning: Understood,
    sender: Sender,
    now_ms: int,
) -> None:
    """Keep a text message for each account that wrote to its sender, else for the oldest admin.

    If the sender may be a person of one account or of another, the admin alone gets the words. Accounts whose people
    are held meanwhile get the text message without them.
    """
    receivers = [
        TextOf(one.user_id, one.number, one.campaign_id, one.sms_message_id, one.is_simulated) for one in sender.writers
    ]
    received = ReceivedText(gateway_id.id, heard.number, said_in(heard.text), meaning)
    admin_id = None if receivers and not sender.is_of_several_accounts else oldest_admin(connection)
    if sender.is_of_several_accounts and meaning is not Understood.OTHER:
        keep_texts(connection, received._replace(said=""), receivers, now_ms)
    elif not sender.is_of_several_accounts:
        keep_texts(connection, received, receivers, now_ms)
    if admin_id is not None:
        number = "" if heard.is_national or sender.writers else _number_of(heard.number)
        keep_texts(connection, received, [TextOf(admin_id, number)], now_ms)


def _keep_wish(
    listener: Listener, gateway_id: GatewayKey, heard: TextReceived, sender: Sender, *, is_held: bool
) -> None:
    writers, said = sender.writers, said_in(heard.text)
    for one in writers:
        words = "" if sender.is_of_several_accounts else said
        proof = Proof(WishSource.TEXT, one.campaign_id, sms_message_id=one.sms_message_id, said=words)
        # A simulated person is not held apart: the list of such people binds no real campaign.
        is_held_here = is_held and not one.is_simulated
        dnc_id = None if is_held_here else one.dnc_id
        listener.apply(
            campaign_events.NumberStopped(
                one.user_id, dnc_id, one.number, proof, is_held_here, is_simulated=one.is_simulated
            )
        )
    if not all(owns(listener.shards, one.user_id) for one in writers):
        listener.tell_others()
    if not writers and understand(heard.text) is Understood.STOP:
        _keep_for_everybody(listener, gateway_id, heard, said)


def _keep_for_everybody(listener: Listener, gateway_id: GatewayKey, heard: TextReceived, said: str) -> None:
    """Put a number to which nobody is known to have written on the list of the service.

    Digits without a country code may be a stranger's number. The oldest admin has the text message, and decides.
    """
    number = _number_of(heard.number) if has_country_code(heard) else ""
    _log.warning("stop_of_unknown_number", gateway_id=gateway_id.id, is_number=bool(number))
    if number:
        listener.apply(campaign_events.NumberStopped(None, None, number, Proof(WishSource.TEXT, said=said)))


def _number_of(text: str) -> str:
    """Return the normal form of a number, whose plus a carrier may leave out; empty if it is no number."""
    whole = f"+{digits_of(text)}"
    try:
        return normalise(whole if is_possible(whole) else text, None)
    except NumberError:
        return ""
