"""Text messages that a section of a survey sends during a call."""

from collections import deque
from typing import Final, NamedTuple

from msgspec import structs

from dialer.domain import events
from dialer.domain.billing.charge import bill
from dialer.domain.billing.money import Rate
from dialer.domain.board import Board
from dialer.domain.effects import CheckNumber, FinishText, SendText, WakeGateway
from dialer.domain.gateway_load import GatewayLoad
from dialer.domain.hopper import NEVER_MS
from dialer.domain.identity import call_uuid
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.plans import Call, CallOutcome

WAITING_MAX: Final = 10_000
"""Messages that wait for one gateway."""
_LEGS_BEFORE: Final = 1_000
"""Offset of the leg numbers of messages, so that their ids come after those of the legs of the call."""


class WaitingText(NamedTuple):
    """A text message that waits for room on its gateway."""

    call: Call
    number: str
    text: str


class CallMessages:
    """The sender of text messages during calls, which settles their cost. They change nothing for the subscriber."""

    def __init__(self, board: Board) -> None:
        self._board: Final = board
        self._waiting: Final[dict[int, deque[WaitingText]]] = {}
        """Messages that wait for a gateway, by its id, oldest first. They are not stored: a rebuilt engine has none."""
        self._released: Final[dict[int, Call]] = {}
        """Calls whose message waits for the check of its number, by id. They may be over."""

    @property
    def awaited(self) -> list[int]:
        """The gateways for which messages wait."""
        return [gateway_id for gateway_id, waiting in self._waiting.items() if waiting]

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
        call = self._released.pop(event.call_id, None) or self._board.calls.get(event.call_id)
        if call is not None and not event.is_on_dnc:
            self._send(now_ms, call, event.number, event.text)

    def release(self, now_ms: int, gateway_id: int) -> None:
        """Send messages that wait for a gateway, as long as it has room. Their numbers are checked once more."""
        waiting, line = self._waiting.get(gateway_id), self._board.gateways.get(gateway_id)
        if not waiting or line is None:
            return
        while waiting and line.free_at_ms(now_ms) <= now_ms:
            one = waiting.popleft()
            line.texts_waiting -= 1
            if one.call.is_aborted:
                continue
            if one.call.plan.dnc_ids:
                self._released[one.call.id] = one.call
                self._board.emit(CheckNumber(one.call.id, one.call.plan.dnc_ids, one.number, one.text))
                break  # The answer uses the room, and the next one is released after it.
            self._send(now_ms, one.call, one.number, one.text)
        self._wake(line, now_ms)

    def _wait(self, line: GatewayLoad, one: WaitingText, now_ms: int) -> None:
        """Let a message wait until the gateway has room. With too many waiting, the newest is not sent."""
        waiting = self._waiting.setdefault(line.plan.id, deque())
        if len(waiting) < WAITING_MAX:
            waiting.append(one)
            line.texts_waiting += 1
            self._wake(line, now_ms)

    def _wake(self, line: GatewayLoad, now_ms: int) -> None:
        """Schedule the next release, if the time is known. Otherwise a change of the gateway comes first."""
        at_ms = line.free_at_ms(now_ms)
        if self._waiting.get(line.plan.id) and at_ms < min(line.wake_ms, NEVER_MS):
            line.wake_ms = at_ms
            self._board.emit(WakeGateway(at_ms, line.plan.id))

    def _send(self, now_ms: int, call: Call, number: str, text: str) -> None:
        """Send a message, unless it has no gateway, no money or no text, or its number is an emergency number.

        It waits while this worker is lent nothing of the gateway. A message to a person also waits for its turn,
        because a real carrier gets it at once; a simulated one is told the time.
        """
        campaign = self._board.campaigns.get(call.plan.id)
        plan = call.plan if campaign is None else campaign.plan
        line = self._board.gateways.get(plan.sms_gateway_id or 0)
        if line is None or line.dials_emergency(number) or line.refuses(number):
            return
        account = self._board.accounts[call.plan.user_id]
        offer = account.offer_message(text)
        if offer is None or not offer.text.strip():
            return
        starts_ms = line.free_at_ms(now_ms)
        if starts_ms >= NEVER_MS or (starts_ms > now_ms and not line.plan.is_simulated):
            self._wait(line, WaitingText(call, number, text), now_ms)
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
