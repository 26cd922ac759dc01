"""Text messages that a section of a survey sends during a call."""

from typing import Final

from msgspec import structs

from dialer.domain import events
from dialer.domain.billing.charge import bill
from dialer.domain.billing.money import Rate
from dialer.domain.board import Board
from dialer.domain.effects import CheckNumber, FinishText, SendText
from dialer.domain.hopper import NEVER_MS
from dialer.domain.identity import call_uuid
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.plans import Call, CallOutcome

_LEGS_BEFORE: Final = 1_000
"""Offset of the leg numbers of messages, so that their ids come after those of the legs of the call."""


class CallMessages:
    """The sender of text messages during calls, which settles their cost. They change nothing for the subscriber."""

    def __init__(self, board: Board) -> None:
        self._board: Final = board

    def requested(self, now_ms: int, event: events.TextRequested) -> None:
        """Send a message that a section asked for, or first check its number against the do-not-call lists."""
        call = self._board.calls.get(event.call_id)
        try:
            number = normalise(event.number)
        except NumberError:
            return
        if call is None:
            return
        dnc_ids = self._board.campaigns[call.plan.id].plan.dnc_ids
        if dnc_ids:
            self._board.emit(CheckNumber(call.id, dnc_ids, number, event.text))
        else:
            self._send(now_ms, call, number, event.text)

    def checked(self, now_ms: int, event: events.NumberChecked) -> None:
        """Send the message if its number is on no do-not-call list."""
        call = self._board.calls.get(event.call_id)
        if call is not None and not event.is_on_dnc:
            self._send(now_ms, call, event.number, event.text)

    def _send(self, now_ms: int, call: Call, number: str, text: str) -> None:
        """Send a message, unless it has no gateway, no money or no text, or its number is an emergency number.

        A worker that is lent nothing of the gateway sends none: nobody knows when it may.
        """
        line = self._board.gateways.get(self._board.campaigns[call.plan.id].plan.sms_gateway_id or 0)
        if line is None or line.dials_emergency(number):
            return
        account = self._board.accounts[call.plan.user_id]
        offer = account.offer_message(text)
        if offer is None or not offer.text.strip():
            return
        starts_ms = line.free_at_ms(now_ms)
        if starts_ms >= NEVER_MS:
            return
        line.dialled(starts_ms)
        message = self._message(call, number, line.plan.id, starts_ms)
        message.hold, message.text, message.parts = offer.hold, offer.text, offer.parts
        message.dialled = line.number_for_carrier(number)
        account.held += offer.hold
        self._board.calls[message.id] = message
        self._board.emit(SendText(message))

    def finished(self, message: Call, outcome: CallOutcome) -> None:
        """Charge a message whose outcome is known, and release its hold."""
        charge = bill(message, outcome)
        account = self._board.accounts[message.plan.user_id]
        account.held -= message.hold
        account.balance -= charge.cost
        self._board.gateways[message.plan.gateway_id].in_progress -= 1
        self._board.learn(message.plan.gateway_id, outcome.cause, message.started_ms, outcome.ended_ms)
        self._board.emit(FinishText(message, outcome, charge))

    def _message(self, call: Call, number: str, line_id: int, starts_ms: int) -> Call:
        message_id = self._board.new_id()
        subscriber = call.subscriber
        leg = _LEGS_BEFORE + message_id
        return Call(
            id=message_id,
            callid=call_uuid(self._board.seed, call.plan.id, subscriber.id, call.attempt, leg),
            plan=structs.replace(call.plan, gateway_id=line_id),
            subscriber=structs.replace(subscriber, number=number),
            attempt=call.attempt,
            started_ms=starts_ms,
            ring_limit_ms=0,
            talk_limit_ms=0,
            hold=0,
            rate=Rate(0),
            callerid=call.callerid,
            parent_id=call.id,
        )
