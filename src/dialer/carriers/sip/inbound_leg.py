"""One call of the other side: its INVITE, our answer or refusal, and the BYE (RFC 3261 9.2, 13.3, 15, 17.2.1)."""

from collections.abc import Callable
from enum import Enum, auto
from itertools import count
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.sip import causes
from dialer.carriers.sip.call_leg import CallLeg
from dialer.carriers.sip.dialog import answered_dialog, with_target
from dialer.carriers.sip.dialog_requests import InDialog, LegOwner
from dialer.carriers.sip.early_dialogs import EarlyDialogs
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.incoming_invite import Invitation
from dialer.carriers.sip.leg import Handle
from dialer.carriers.sip.message_bodies import description_in, refusal_headers
from dialer.carriers.sip.messages import Received, reply_flow, write_response
from dialer.carriers.sip.offer_answer import Descriptions, agree_on, bound_to, first_number, unknown_sound
from dialer.carriers.sip.outputs import LegAnswered, SoundAgreed
from dialer.carriers.sip.request_answers import PHRASES
from dialer.carriers.sip.sdp import (
    SDP_TYPE,
    AgreedSound,
    LocalSound,
    SdpError,
)
from dialer.carriers.sip.signalling import Signalling, Trust
from dialer.carriers.sip.timers import GIVES_UP_AFTER, T2_MS, Timer
from dialer.carriers.sip.transactions import INVITE
from dialer.carriers.sip.trunk import METHODS, mark
from dialer.domain.engine.inbound import ARRIVAL_MS_MAX


class InboundState(Enum):
    """The states of a leg."""

    RINGING = auto()
    ANSWERED = auto()
    """Our 200 has not been acknowledged yet."""
    UP = auto()
    OVER = auto()


class InboundLeg(CallLeg):
    """One incoming call.

    Everything that we say of it follows from its INVITE and its key, so another process says the same.
    """

    def __init__(
        self, signalling: Signalling, key: str, invitation: Invitation, forget: Callable[["InboundLeg"], None]
    ) -> None:
        """Prepare a leg. `forget` is called some time after its end, when nothing of it is expected any more."""
        super().__init__(signalling, key, invitation.flow)
        self.invite: Final = invitation.read()
        self._flow: Final = invitation.flow
        self._reply_to: Final = reply_flow(self.invite, invitation.flow)
        self._forget: Final = forget
        self._tag: Final = invitation.tag or mark(key, "to")
        self._state = InboundState.RINGING
        self._local: LocalSound | None = None
        self._last = b""
        """The last response to the INVITE."""
        self._repeating: Timer | None = None
        self._cause_at_ack: int | None = None
        self._has_moved = False
        """True if the other side is to hear where we are now, once the call is up."""
        self._early_dialogs: Final = EarlyDialogs(
            self._wire, signalling, self._answers, key, (self._tag, False), self._left_early
        )
        self._early_dialogs.begin(self.invite.from_tag, self.invite.cseq)

    @property
    def rings(self) -> bool:
        """True until the call is answered, refused or over."""
        return self._state is InboundState.RINGING

    def is_of_invite(self, request: Received) -> bool:
        """Return whether a request is the INVITE again, its CANCEL, or the ACK of a refusal that has no To tag."""
        # Old senders have no branch, so the CSeq has to be the same, too (RFC 3261 17.2.3).
        is_same = (request.branch, request.cseq) == (self.invite.branch, self.invite.cseq)
        return is_same and not request.to_tag

    def has(self, request: Received) -> bool:
        """Return whether a request with the Call-ID and From tag of the INVITE belongs to this call.

        A later attempt has the same ones, and another CSeq (RFC 3261 8.2.2.2).
        """
        if request.to_tag:
            return request.to_tag == self._tag
        return self.is_of_invite(request) or (request.method == INVITE and request.cseq == self.invite.cseq)

    def ring(self) -> None:
        """Send a 180 Ringing, and limit the time until the call is answered or refused."""
        self._limit_to(ARRIVAL_MS_MAX, self._undecided)
        self._respond(180)

    def answer(self, talk_limit_ms: int, local: LocalSound) -> None:
        """Answer a call that rings. Any other stays as it is."""
        if self._state is not InboundState.RINGING:
            return
        try:
            body = description_in(self.invite)
            sound = agree_on(body, local, self._signalling.trunk) if body else unknown_sound(local)
        except SdpError as error:
            status, headers = refusal_headers(error)
            self._refuse(status, causes.INCOMPATIBLE, f"the offer has no sound that can be spoken: {error}", headers)
            return
        local = bound_to(local, sound) if body else replace(local, security=local.security.without_offer())
        self._state, self._local = InboundState.ANSWERED, local
        descriptions = Descriptions(local)
        described = descriptions.answer(sound) if body else descriptions.offer()
        in_dialog = self._enter(sound, talk_limit_ms, descriptions)
        in_dialog.timer.asked(self.invite)
        headers = (
            ("Contact", self._signalling.trunk.contact),
            ("Allow", METHODS),
            *in_dialog.timer.headers(self.invite),
            SDP_TYPE,
        )
        self._respond(200, headers, described)
        in_dialog.awaits_answer = not body
        in_dialog.repeat_until_acknowledged(self.invite.cseq, self._reply_to, self._last, self._wire.t1_ms)

    def take_up(self, handle: Handle, talk_limit_ms: int, age_ms: int) -> None:
        """Continue an answered leg of another process. A re-INVITE tells the other side the new address."""
        first = first_number(age_ms)
        self._state, self._local, self._cseqs = InboundState.UP, handle.local, count(first + 1)
        in_dialog = self._enter(handle.sound, talk_limit_ms, Descriptions(handle.local, first))
        self._wire.tell(SoundAgreed(self.key, handle.sound))
        in_dialog.refresh_anew()

    def refresh(self) -> None:
        """Tell the other side where we are now, once the call is up. A ringing call is answered from there."""
        self._has_moved = self._state is InboundState.ANSWERED
        if self._in_dialog is not None and self._state is InboundState.UP:
            self._in_dialog.refresh_anew()

    def acknowledge(self) -> None:
        """Do nothing: the other side acknowledges the answer to its own call."""

    def clear(self, cause: int, because: str) -> None:
        """End the leg, in any state. An answer that is not acknowledged yet is followed by BYE (15)."""
        if self._state is InboundState.RINGING:
            self._refuse(causes.status_of(cause), cause, because)
        elif self._state is InboundState.ANSWERED:
            self._cause_at_ack = cause
            self._over(cause, because)
        elif self._state is InboundState.UP:
            self._hang_up(cause, because)

    def receive(self, request: Received, flow: Flow) -> None:
        """Handle a request of the other side that belongs to this call."""
        is_first = self.is_of_invite(request)
        if request.method == "ACK":
            self._take_ack(request, flow)
        elif is_first and request.method == INVITE:
            self._wire.send(self._reply_to, self._last, self.key)
        elif is_first and request.method == "CANCEL":
            self._cancelled(request, flow)
        elif self._in_dialog is not None and request.to_tag:
            self._in_dialog.receive(request, flow)
        elif request.to_tag == self._tag:
            self._early_dialogs.receive(request, flow)
        else:
            # It is this call by another way (8.2.2.2), or a request of a dialog that does not exist. Its tag is none
            # of the call: an ACK of this response must not acknowledge our answer.
            is_merged = request.method == INVITE and not request.to_tag
            self._answers.answer(request, flow, 482 if is_merged else 481)

    def _cancelled(self, request: Received, flow: Flow) -> None:
        # Only the carrier learns our tag. With it, somebody who forged the INVITE could acknowledge our answer.
        is_carrier = self._signalling.trunk.is_end_of(flow)
        tag = self._tag if is_carrier else mark(self._signalling.secret, self._tag, request.branch)
        self._wire.send(
            reply_flow(request, flow), write_response(request, 200, PHRASES[200], flow, to_tag=tag), self.key
        )
        if self._state is InboundState.RINGING:
            self._refuse(487, causes.cause_in_reason(request) or causes.NORMAL, "the caller hung up")

    def _left_early(self, bye: Received) -> None:
        """Answer the INVITE, too: the caller hung up with BYE while it rang (RFC 3261 15.1.2)."""
        self._refuse(487, causes.cause_in_reason(bye) or causes.NORMAL, "the caller hung up")

    def _undecided(self) -> None:
        self._refuse(503, causes.TEMPORARY_FAILURE, "nobody decided about the call in time")

    def _take_ack(self, ack: Received, flow: Flow) -> None:
        if ack.to_tag != self._tag:
            # Only its sender has read our response.
            return
        if self._repeating is not None:
            self._repeating.cancel()
        if self._in_dialog is None or ack.cseq != self.invite.cseq:
            if self._in_dialog is not None:
                self._in_dialog.receive(ack, flow)
            return
        self._in_dialog.receive(ack, flow)
        if self._cause_at_ack is not None:
            self._bye(self._in_dialog, self._cause_at_ack)
            self._cause_at_ack = None
        elif self._state is InboundState.ANSWERED and self._local is not None:
            self._state = InboundState.UP
            in_dialog = self._in_dialog
            local = bound_to(self._local, in_dialog.sound)
            handle = Handle(in_dialog.dialog, local, in_dialog.sound, self.invite.cseq)
            self._wire.tell(LegAnswered(self.key, self._wire.now_ms, msgspec.json.encode(handle).decode()))
            # Only now is it certain that the other side has called: nothing is sent to where a stranger wants it.
            self._wire.tell(SoundAgreed(self.key, in_dialog.sound))
            if self._has_moved:
                in_dialog.refresh_anew()

    def _refuse(self, status: int, cause: int, because: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        """Refuse the call, and repeat that until it is acknowledged (17.2.1)."""
        if self._state is not InboundState.RINGING:
            return
        self._respond(status, (causes.reason_header(cause), *headers))
        self._over(cause, because)
        if self._wire.repeats:
            self._repeat_refusal()

    def _repeat_refusal(self) -> None:
        began_ms = self._wire.now_ms

        def again(wait_ms: int) -> None:
            if self._wire.now_ms - began_ms < GIVES_UP_AFTER * self._wire.t1_ms:
                self._wire.send(self._reply_to, self._last, self.key)
                wait(min(wait_ms * 2, T2_MS))

        def wait(wait_ms: int) -> None:
            self._repeating = self._wire.after(wait_ms, lambda: again(wait_ms))

        wait(self._wire.t1_ms)

    def _respond(self, status: int, headers: tuple[tuple[str, str], ...] = (), body: bytes = b"") -> None:
        routes = tuple(("Record-Route", value) for value in self.invite.message.headers.getlist("Record-Route"))
        self._last = write_response(
            self.invite,
            status,
            PHRASES[status],
            self._flow,
            to_tag=self._tag,
            headers=(*(routes if status < 300 else ()), *headers),  # noqa: PLR2004 - 12.1.1
            body=body,
        )
        self._wire.send(self._reply_to, self._last, self.key)

    def _enter(self, sound: AgreedSound, talk_limit_ms: int, descriptions: Descriptions) -> InDialog:
        """Begin the dialog, and the longest time that it may last."""
        self._limit_to(talk_limit_ms, self._talk_over)
        owner = LegOwner(self.key, self._answers, self._next_cseq, self._over, self._hang_up, Trust.NOBODY)
        dialog = answered_dialog(self.invite, self._tag, self._flow)
        if self._early_dialogs.refresh is not None:
            dialog = with_target(dialog, self._early_dialogs.refresh)
        cseq = self._early_dialogs.cseq_of(self.invite.from_tag)
        local = self._local or LocalSound(self._flow.address[0], sound.port, (sound.codec,), 0)
        self._in_dialog = InDialog(self._signalling, owner, dialog, local, sound, descriptions, cseq)
        return self._in_dialog

    def _hang_up(self, cause: int, because: str) -> None:
        if self._in_dialog is not None and (self._state is not InboundState.OVER or self._cause_at_ack is not None):
            self._bye(self._in_dialog, cause, is_acknowledged=self._state is InboundState.UP)
            self._cause_at_ack = None
        self._over(cause, because)

    def _bye(self, in_dialog: InDialog, cause: int, *, is_acknowledged: bool = True) -> None:
        """Hang up. Without an ACK, only the carrier hears of it: the Contact may be forged, and never have called."""
        to = in_dialog.dialog.first_hop() if is_acknowledged else self._flow
        self._send_bye(in_dialog.dialog, to, cause, Trust.NOBODY)

    def _over(self, cause: int, because: str) -> None:
        if self._state is InboundState.OVER:
            return
        self._state = InboundState.OVER
        self._early_dialogs.end()
        if self._in_dialog is not None:
            self._in_dialog.stop(owes_answer=self._cause_at_ack is not None)
        self._tell_over(cause, because)
        self._wire.after(2 * GIVES_UP_AFTER * self._wire.t1_ms, lambda: self._forget(self))
