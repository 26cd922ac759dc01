"""Text messages that a section of a survey sends during a call."""

from collections import deque
from typing import Final

from msgspec import structs

from dialer.domain.billing.charge import Rate
from dialer.domain.calls import campaign_events, text_events
from dialer.domain.calls.campaign_effects import CheckNumber
from dialer.domain.calls.effects import WakeGateway
from dialer.domain.calls.identity import call_uuid
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey
from dialer.domain.calls.text_effects import CheckText, DropText, FinishText, KeepText, SendText
from dialer.domain.engine.credit import CreditOffer, bill
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import TextReason

WAITING_MAX: Final = 10_000
"""Messages that wait for one gateway."""
_LEGS_BEFORE: Final = 1_000
"""Offset of the leg numbers of messages, so that their ids come after those of the legs of the call."""


class CallMessages:
    """The sender of text messages during calls, which settles their cost.

    A message changes nothing for the subscriber. Without room on its gateway a message waits, even after its call. It
    is recorded until it is sent or dropped.
    """

    def __init__(self, engine_state: EngineState) -> None:
        self._state: Final = engine_state
        self._waiting: Final[dict[GatewayKey, deque[Call]]] = {}
        """Messages that wait for a gateway, by its id, oldest first. Their `text` is the one that the section wrote."""
        self._checking: Final[set[GatewayKey]] = set()
        """Gateways whose oldest message is looked up."""

    def requested(self, _now_ms: int, event: text_events.TextRequested) -> None:
        """Look up the number of a message that a section asked for on the do-not-call lists. `checked` sends it."""
        call = self._state.calls.get(event.call_id)
        if call is None:
            return
        try:
            number = normalise(event.number, self._state.accounts[call.plan.user_id].region)
        except NumberError:
            self._state.emit(DropText(call, TextReason.INVALID_NUMBER))
            return
        self._state.emit(CheckNumber(call.id, call.plan.id, number, event.text))

    def checked(self, now_ms: int, event: campaign_events.NumberChecked) -> None:
        """Send the message if its number is on no do-not-call list."""
        call = self._state.calls.get(event.call_id)
        if call is None:
            return
        if event.is_on_dnc:
            self._state.emit(DropText(call, TextReason.DNC))
        else:
            self._begin(now_ms, call, event.number, event.text)

    def _begin(self, now_ms: int, call: Call, number: str, text: str) -> None:
        """Send a message, or let it wait.

        It waits while this worker is lent nothing of the gateway, and behind messages that wait already. A message to a
        person also waits for its turn, because a real carrier gets it at once; a simulated one is told the time.
        """
        plan = self._state.campaigns[call.plan.id].plan
        line = None if plan.sms_gateway_id is None else self._state.gateways.get(plan.sms_gateway_id)
        if line is None:
            self._state.emit(DropText(call, TextReason.NO_GATEWAY))
            return
        offer = self._offer(line, plan.user_id, number, text)
        if isinstance(offer, TextReason):
            self._state.emit(DropText(call, offer))
            return
        starts_ms = line.free_at_ms(now_ms)
        has_turn = starts_ms <= now_ms or (line.plan.is_simulated and starts_ms < NEVER_MS)
        if has_turn and not line.texts_waiting:
            self._send(line, self._message(call, number, line), offer, starts_ms)
        elif line.texts_waiting < WAITING_MAX:
            message = self._message(call, number, line)
            message.text = offer.text
            self._state.emit(KeepText(message))
            self._wait(line, message, now_ms)
        else:
            self._state.emit(DropText(call, TextReason.TOO_MANY))

    def _offer(self, line: GatewayLoad, user_id: int, number: str, text: str) -> CreditOffer | TextReason:
        """Return what a message costs, or the reason why it is not sent."""
        if line.dials_emergency(number):
            return TextReason.EMERGENCY
        if line.refuses(number):
            return TextReason.INVALID_NUMBER
        account = self._state.accounts[user_id]
        if account.refuses(number, line.plan):
            return TextReason.DESTINATION
        offer = account.offer_message(text)
        if offer is None:
            return TextReason.NO_CREDIT
        return offer if offer.text.strip() else TextReason.NO_TEXT

    def _send(
        self, line: GatewayLoad, message: Call, offer: CreditOffer, starts_ms: int, *, has_waited: bool = False
    ) -> None:
        line.dialled(starts_ms)
        message.started_ms, message.is_simulated = starts_ms, line.plan.is_simulated
        message.hold, message.text, message.parts = offer.hold, offer.text, offer.parts
        message.dialled = line.number_for_carrier(message.subscriber.number)
        self._state.accounts[message.plan.user_id].held += offer.hold
        self._state.calls[message.id] = message
        self._state.emit(SendText(message, is_recorded=has_waited))
        self._state.contacted(message)

    def finished(self, message: Call, outcome: CallOutcome) -> None:
        """Charge a message whose outcome is known, and release its hold."""
        charge = bill(message, outcome)
        account = self._state.accounts[message.plan.user_id]
        account.held -= message.hold
        account.balance -= charge.cost
        line = self._state.gateways[message.plan.gateway_id]
        line.in_progress -= 1
        self._state.learn(line, outcome.cause, message.started_ms, outcome.ended_ms)
        self._state.emit(FinishText(message, outcome, charge))

    # --- messages that wait -----------------------------------------------------------------------------------------

    def restore(self, now_ms: int, event: text_events.TextRestored) -> None:
        """Let a message wait again that is on record. Messages are restored in the order in which they were recorded.

        A message whose gateway is gone is dropped.
        """
        message = event.message
        line = self._state.gateways.get(message.plan.gateway_id)
        if line is None:
            self._state.emit(DropText(message, TextReason.NO_GATEWAY, is_recorded=True))
        else:
            self._wait(line, message, now_ms)

    def release(self, now_ms: int, gateway_id: GatewayKey) -> None:
        """Look up the oldest message that waits for a gateway, if it has room. `confirmed` sends it."""
        waiting, line = self._waiting.get(gateway_id), self._state.gateways.get(gateway_id)
        if not waiting or line is None or gateway_id in self._checking:
            return
        if line.free_at_ms(now_ms) <= now_ms:
            message = waiting[0]
            self._checking.add(gateway_id)
            self._state.emit(CheckText(gateway_id, message.id, message.plan.id, message.subscriber.number))
        else:
            self._wake(line, now_ms)

    def confirmed(self, now_ms: int, event: text_events.TextChecked) -> None:
        """Send the oldest message, unless it is not on record any more, or may not be sent. Go on with the next one."""
        self._checking.discard(event.gateway_id)
        line, waiting = self._state.gateways[event.gateway_id], self._waiting[event.gateway_id]
        if waiting and waiting[0].id == event.message_id and line.free_at_ms(now_ms) <= now_ms:
            message = waiting.popleft()
            self._left(line, message)
            self._send_or_drop(now_ms, line, message, event)
        self.release(now_ms, event.gateway_id)

    def _send_or_drop(self, now_ms: int, line: GatewayLoad, message: Call, event: text_events.TextChecked) -> None:
        offer = self._offer(line, message.plan.user_id, message.subscriber.number, message.text)
        if not event.is_recorded:
            self._state.emit(DropText(message, TextReason.ERASED))
        elif event.is_on_dnc:
            self._state.emit(DropText(message, TextReason.DNC, is_recorded=True))
        elif isinstance(offer, TextReason):
            self._state.emit(DropText(message, offer, is_recorded=True))
        else:
            self._send(line, message, offer, now_ms, has_waited=True)

    def abort(self, campaign: OpenCampaign) -> None:
        """Drop the messages of an aborted campaign that wait."""
        if not campaign.texts:
            return
        for gateway_id, waiting in self._waiting.items():
            self._waiting[gateway_id] = deque(text for text in waiting if text.plan.id != campaign.plan.id)
            for message in waiting:
                if message.plan.id == campaign.plan.id:
                    self._left(self._state.gateways[gateway_id], message)
                    self._state.emit(DropText(message, TextReason.ABORTED, is_recorded=True))

    def _wait(self, line: GatewayLoad, message: Call, now_ms: int) -> None:
        """Put a message behind those that wait for its gateway. Its campaign is not forgotten meanwhile."""
        self._waiting.setdefault(line.plan.id, deque()).append(message)
        line.texts_waiting += 1
        self._state.campaign_of(message.plan).texts += 1
        self._wake(line, now_ms)

    def _left(self, line: GatewayLoad, message: Call) -> None:
        """Count a message that waits no longer."""
        line.texts_waiting -= 1
        campaign = self._state.campaigns[message.plan.id]
        campaign.texts -= 1
        self._state.forget_if_over(campaign)

    def _wake(self, line: GatewayLoad, now_ms: int) -> None:
        """Schedule the next release, if the time is known. Otherwise a change of the gateway comes first."""
        at_ms = line.free_at_ms(now_ms)
        if line.texts_waiting and at_ms < min(line.wake_ms, NEVER_MS):
            line.wake_ms = at_ms
            self._state.emit(WakeGateway(at_ms, line.plan.id))

    def _message(self, call: Call, number: str, line: GatewayLoad) -> Call:
        message_id = self._state.new_id()
        subscriber = call.subscriber
        leg = _LEGS_BEFORE + message_id
        return Call(
            id=message_id,
            callid=call_uuid(self._state.seed, call.plan.id, subscriber.id, call.attempt, leg),
            plan=structs.replace(call.plan, gateway_id=line.plan.id),
            subscriber=structs.replace(subscriber, number=number),
            attempt=call.attempt,
            started_ms=0,
            ring_limit_ms=0,
            talk_limit_ms=0,
            hold=0,
            rate=Rate(0),
            callerid=call.callerid,
            parent_id=call.id,
        )
