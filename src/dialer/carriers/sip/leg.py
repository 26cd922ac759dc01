"""One call that we place: the INVITE, its CANCEL or its answer, and the BYE (RFC 3261 9, 13, 15)."""

from collections.abc import Callable
from enum import Enum, auto
from itertools import count, product
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.sip import causes
from dialer.carriers.sip.call_leg import CallLeg, ignore
from dialer.carriers.sip.call_servers import CallServers
from dialer.carriers.sip.dialog import Dialog, dialog_of
from dialer.carriers.sip.dialog_requests import InDialog, LegOwner, in_dialog_request
from dialer.carriers.sip.early_dialogs import EarlyDialogs
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.message_bodies import description_in
from dialer.carriers.sip.messages import Outgoing, Received
from dialer.carriers.sip.offer_answer import TAKEN_UP, Descriptions, agree_on, bound_to, first_number
from dialer.carriers.sip.outputs import LegAnswered, LegRinging, SoundAgreed
from dialer.carriers.sip.retry_after import after_call_ms
from dialer.carriers.sip.sdp import SDP_TYPE, AgreedSound, LocalSound, SdpError
from dialer.carriers.sip.sdp_security import PLAIN
from dialer.carriers.sip.session_timer import EXPIRES_S_MAX, INTERVAL_TOO_SMALL, MIN_SE
from dialer.carriers.sip.signalling import UNAVAILABLE, AuthorisedRequest, Signalling, Trust, branch_of
from dialer.carriers.sip.timers import GIVES_UP_AFTER
from dialer.carriers.sip.transactions import INVITE, OK, REFUSED
from dialer.carriers.sip.trunk import METHODS, Trunk, mark
from dialer.domain.sessions.leg_protocol import Dialling

RINGING: Final = 180
NOT_ACCEPTABLE: Final = frozenset({415, 488, 606})
"""The refusals of an offer."""
FORKS_MAX: Final = 8
"""Telephones beside the first one whose answer is acknowledged and cleared."""


class SipLegState(Enum):
    """The states of a leg."""

    INVITED = auto()
    CANCELLED = auto()
    """It is to end, and its INVITE has no final response yet."""
    ANSWERED = auto()
    """The answer has not been acknowledged yet."""
    UP = auto()
    OVER = auto()


class Handle(msgspec.Struct, frozen=True):
    """The values of an answered leg with which another process takes it up."""

    dialog: Dialog
    local: LocalSound
    sound: AgreedSound
    cseq: int
    """The CSeq of the INVITE that was answered."""
    realms: tuple[str, ...] = ()
    """The realms for which its INVITE had credentials."""


def read_handle(handle: str) -> Handle:
    """Return the handle in a text.

    Raises:
        ValueError: it is none.
    """
    try:
        return msgspec.json.decode(handle, type=Handle)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None


class SipLeg(CallLeg):
    """One outgoing call over SIP."""

    def __init__(
        self, signalling: Signalling, dialling: Dialling, local: LocalSound, forget: Callable[["SipLeg"], None]
    ) -> None:
        """Prepare a leg. `forget` is called some time after its end, when nothing of it is expected any more."""
        self._servers: Final = CallServers(signalling, dialling.key)
        super().__init__(signalling, dialling.key, self._servers.now)
        self._dialling: Final = dialling
        self._has_plain_offer = bool(local.security.keys) and local.security.takes_plain
        """True if sound is offered without encryption to who refuses it."""
        self._local = replace(local, security=local.security.strict())
        self._forget: Final = forget
        self._descriptions = Descriptions(self._local)
        self._draft = draft_of(signalling.trunk, dialling, self._descriptions.offer())
        self._cseq_answered = 0
        self._state = SipLegState.INVITED
        self._outcome = (causes.NORMAL, "")
        self._invite: AuthorisedRequest | None = None
        self._has_heard = self._has_rung = self._may_cancel = self._is_cancelled = False
        self._has_moved = False
        """True if the other side is to hear where we are now, once the call is up."""
        self._early: dict[str, AgreedSound] = {}
        """The sound that telephones described before they answered, by their tags."""
        self._forks: set[str] = set()
        ends = (mark(dialling.key, "from"), True)
        self._early_dialogs: Final = EarlyDialogs(
            self._wire, signalling, self._answers, self.key, ends, self._left_early
        )

    @property
    def is_over(self) -> bool:
        """True if the leg has ended."""
        return self._state is SipLegState.OVER

    @property
    def _trunk(self) -> Trunk:
        return self._signalling.trunk

    def invite(self) -> bool:
        """Send the INVITE, unless the call was ended before. Return whether it was sent."""
        if self._state is not SipLegState.INVITED:
            return False
        self._limit_to(self._dialling.ring_limit_ms, lambda: self._cancel(*self._not_answered()))
        self._invite = AuthorisedRequest(
            self._signalling, self._draft, self._servers.now, self.key, self._next_cseq, self._responded
        )
        self._servers.watch(self._is_silent, self._leave_silent)
        return True

    def take_up(self, handle: Handle, age_ms: int) -> None:
        """Continue an answered leg of another process.

        Its answer is acknowledged again. A refresh tells the other side where we are now, and finds out if it is gone.
        """
        first = first_number(age_ms)
        self._cseqs = count(handle.cseq + first + 1)
        self._cseq_answered = handle.cseq
        self._state = SipLegState.UP
        self._descriptions = Descriptions(handle.local, first)
        for realm in handle.realms:
            self._signalling.trust(realm)
        in_dialog = self._enter(handle.dialog, handle.sound)
        self._acknowledge(handle.dialog, handle.cseq)
        self._wire.tell(SoundAgreed(self.key, handle.sound))
        in_dialog.refresh_anew()

    def withdraw(self) -> None:
        """Cancel a call of which another process may have sent the INVITE: it has the same branch."""
        # Each server, and each offer, may get the call a second time, as after a challenge.
        # A server has numbers after those of the servers that had the call before it.
        numbers = 2 * len(self._servers.left) + (2 if self._has_plain_offer else 0)
        for server, cseq in product(self._servers.left, range(1, numbers + 1)):
            branch = branch_of(self.key, INVITE, cseq, self._signalling.place_of(server))
            sent = replace(self._draft, cseq=cseq, branch=branch)
            self._signalling.request(sent.as_cancel(), server, self.key, ignore)
            # A response to that INVITE is acknowledged, and an answer cleared, as if this process had sent it.
            self._signalling.expect(sent, server, self.key, self._responded)
        self._cseqs = count(TAKEN_UP + 1)
        self._state, self._outcome = SipLegState.CANCELLED, (causes.TEMPORARY_FAILURE, "nobody knows how it ended")
        self._wire.after(GIVES_UP_AFTER * self._wire.t1_ms, lambda: self._end(*self._outcome))

    def acknowledge(self) -> None:
        """Acknowledge the answer, which is on record now."""
        if self._state is SipLegState.ANSWERED and self._in_dialog is not None:
            self._state = SipLegState.UP
            self._acknowledge(self._in_dialog.dialog, self._cseq_answered)
            if self._has_moved:
                self._in_dialog.refresh_anew()

    def refresh(self) -> None:
        """Tell the other side where we are now, once the call is up."""
        if self._in_dialog is not None and self._state is SipLegState.UP:
            self._in_dialog.refresh_anew()
        else:
            self._has_moved = True

    def clear(self, cause: int, because: str) -> None:
        """End the leg, in any state."""
        if self._state is SipLegState.INVITED:
            self._cancel(cause, because)
        elif self._state in {SipLegState.ANSWERED, SipLegState.UP}:
            self._has_moved = False
            self.acknowledge()
            self._hang_up(cause, because)

    def receive(self, request: Received, flow: Flow) -> None:
        """Handle a request of the other side that belongs to this call."""
        if self._in_dialog is not None:
            self._in_dialog.receive(request, flow)
        else:
            self._early_dialogs.receive(request, flow)

    def _left_early(self, bye: Received) -> None:
        """End the call: a telephone hung up before it answered, which it should not do (RFC 3261 15)."""
        if self._state is SipLegState.INVITED:
            cause = causes.cause_in_reason(bye) or causes.REJECTED
            self._cancel(cause, "the other side hung up before it answered")

    def _not_answered(self) -> tuple[int, str]:
        """Return the cause of a call whose time to ring is over: only what has rung was not answered by a person."""
        if self._has_rung:
            return causes.NO_ANSWER, "it rang for as long as it may"
        if self._has_heard:
            return causes.NOT_RESPONDING, "the carrier has the call, but nothing rang in time"
        return causes.TIMER_EXPIRY, "the carrier did not answer"

    def _cancel(self, cause: int, because: str) -> None:
        self._state, self._outcome = SipLegState.CANCELLED, (cause, because)
        self._stop_limit()
        if self._invite is None:
            # It has not had its turn yet.
            self._end(cause, because)
            return
        self._invite.stop()
        if self._may_cancel:
            self._send_cancel()

    def _send_cancel(self) -> None:
        """Cancel the INVITE. The other side may not answer that: the leg is over after a while all the same."""
        self._may_cancel, self._is_cancelled = False, True
        if self._invite is not None:
            cancel = self._invite.sent.as_cancel()
            self._signalling.request(cancel, self._servers.now, self.key, ignore)
            self._wire.after(GIVES_UP_AFTER * self._wire.t1_ms, lambda: self._end(*self._outcome))

    def _responded(self, response: Received | None) -> None:
        """Take a response to the INVITE."""
        if response is None:
            is_cancelled = self._state is SipLegState.CANCELLED
            self._end(*(self._outcome if is_cancelled else (causes.TIMER_EXPIRY, "the carrier did not answer")))
        elif response.status < OK:
            self._progress(response)
        elif response.status < REFUSED:
            self._accepted(response)
        else:
            self._refused(response)

    def _progress(self, response: Received) -> None:
        self._has_heard = True
        if self._state is SipLegState.CANCELLED and not self._is_cancelled:
            # It could not be cancelled before the first response (RFC 3261 9.1).
            self._send_cancel()
        self._may_cancel = self._state is SipLegState.INVITED
        if response.status >= RINGING and self._early_dialogs.begin(response.to_tag):
            dialog = dialog_of(response, self._draft.sender, self._servers.now)
            self._signalling.note_end(self.key, dialog.first_hop(), is_further=True)
        if self._state is not SipLegState.INVITED or response.status < RINGING:
            return
        if not self._has_rung:
            self._has_rung = True
            self._wire.tell(LegRinging(self.key, self._wire.now_ms))
        sound = self._sound_of(response)[0] if len(self._early) < FORKS_MAX else None
        if sound is not None and response.to_tag not in self._early:
            if not self._early:
                self._wire.tell(SoundAgreed(self.key, sound))
            self._early[response.to_tag] = sound

    def _accepted(self, answer: Received) -> None:
        """Take a 2xx: the first one, a repeated one, or the one of another telephone (13.2.2.4)."""
        dialog = dialog_of(answer, self._draft.sender, self._servers.now)
        if self._in_dialog is not None or self._state in {SipLegState.CANCELLED, SipLegState.OVER}:
            self._accepted_again(answer, dialog)
            return
        self._cseq_answered = answer.cseq
        # An answer in a provisional response is not repeated (RFC 3261 13.2.1). Some telephones change their tag.
        early = self._early.get(answer.to_tag) or next(iter(self._early.values()), None)
        sound, why_not = self._sound_of(answer)
        if sound is None and not why_not:
            sound, why_not = early, "It has no description."
        if sound is None:
            self._refuse_answer(answer, dialog, causes.INCOMPATIBLE)
            self._end(causes.INCOMPATIBLE, f"the answer has no sound that can be spoken: {why_not}")
            return
        self._state, self._local = SipLegState.ANSWERED, bound_to(self._local, sound)
        in_dialog = self._enter(dialog, sound)
        in_dialog.timer.agreed(answer)
        realms = () if self._invite is None else self._invite.realms
        handle = Handle(dialog, self._local, sound, answer.cseq, realms)
        self._wire.tell(LegAnswered(self.key, self._wire.now_ms, msgspec.json.encode(handle).decode()))
        self._wire.tell(SoundAgreed(self.key, sound))

    def _accepted_again(self, answer: Received, dialog: Dialog) -> None:
        if self._in_dialog is not None and answer.to_tag == self._in_dialog.dialog.remote_tag:
            if self._state in {SipLegState.UP, SipLegState.OVER}:
                self._acknowledge(self._in_dialog.dialog, answer.cseq)
            return
        self._refuse_answer(answer, dialog, causes.NORMAL)
        if self._state is SipLegState.CANCELLED:
            cause, because = self._outcome
            self._end(cause, f"{because}; it was answered at the last moment, and hung up")

    def _refuse_answer(self, answer: Received, dialog: Dialog, cause: int, to: Flow | None = None) -> None:
        """Acknowledge an answer that comes too late or from a second telephone, and hang up there, or at `to`."""
        if answer.to_tag not in self._forks and len(self._forks) >= FORKS_MAX:
            return
        self._acknowledge(dialog, answer.cseq, to)
        if answer.to_tag not in self._forks:
            self._forks.add(answer.to_tag)
            self._send_bye(dialog, to or dialog.first_hop(), cause, Trust.KNOWN_REALMS)

    def _refused(self, response: Received) -> None:
        if self._state is SipLegState.OVER:
            return
        if self._state is SipLegState.CANCELLED:
            self._end(*self._outcome)
        elif not self._asks_anew(response):
            phrase = getattr(response.message, "phrase", "")
            because = f"the carrier answered {response.status} {phrase}".rstrip()
            cause = causes.cause_of_refusal(response)
            later_ms = after_call_ms(response, cause)
            wants = f" and wants no other call for {later_ms // 1_000} s" if later_ms else ""
            self._end(cause, f"{because}{wants}", later_ms)

    def _asks_anew(self, response: Received) -> bool:
        """Send the INVITE again in another form if a refusal wants one, and return whether it was sent."""
        if response.status == UNAVAILABLE:
            return self._leave_busy(response)
        if response.status in NOT_ACCEPTABLE:
            return self._offer_plain()
        return response.status == INTERVAL_TOO_SMALL and self._ask_for_longer(response)

    def _is_silent(self) -> bool:
        return not self._has_heard and not self.is_over

    def _leave_silent(self) -> None:
        """Send the INVITE to the next server: this one has not answered any of its sendings."""
        if self._invite is not None and self._state is SipLegState.INVITED:
            sent = self._invite.sent
            self._invite.abandon()
            self._servers.leave_silent(sent, self._heard_late)
            self._call_next_server(self._invite)

    def _leave_busy(self, refusal: Received) -> bool:
        """Send the INVITE to the next server, unless this one lets a telephone ring. Return whether there is any."""
        if self._invite is None or self._has_rung or not self._servers.leave_busy(refusal):
            return False
        self._call_next_server(self._invite)
        return True

    def _call_next_server(self, invite: AuthorisedRequest) -> None:
        self._has_heard = self._may_cancel = False
        invite.send_elsewhere(self._servers.now)
        self._servers.watch(self._is_silent, self._leave_silent)

    def _heard_late(self, response: Received | None, silent: Flow) -> None:
        """Hang up an answer of a server that was silent for so long that another one got the call."""
        if response is not None and OK <= response.status < REFUSED:
            self._refuse_answer(response, dialog_of(response, self._draft.sender, silent), causes.NORMAL, silent)

    def _ask_for_longer(self, response: Received) -> bool:
        """Send the INVITE again with the interval that the other side wants (RFC 4028 7.4)."""
        wanted_s = response.number_in("Min-SE")
        if self._invite is None or wanted_s is None or not self._trunk.session_expires_s < wanted_s <= EXPIRES_S_MAX:
            return False
        headers = tuple(
            (name, str(wanted_s)) if name in {"Session-Expires", "Min-SE"} else (name, value)
            for name, value in self._draft.headers
        )
        if headers == self._draft.headers:
            return False
        return self._invite.send_anew(replace(self._draft, headers=headers))

    def _offer_plain(self) -> bool:
        """Send the INVITE again with an offer of sound that is not encrypted, once, if that may be."""
        if self._invite is None or not self._has_plain_offer:
            return False
        self._has_plain_offer = self._may_cancel = False
        self._local = replace(self._local, security=PLAIN)
        self._descriptions = Descriptions(self._local)
        self._early.clear()
        self._draft = replace(self._draft, body=self._descriptions.offer())
        return self._invite.send_anew(self._draft)

    def _sound_of(self, message: Received) -> tuple[AgreedSound | None, str]:
        """Return the sound that a message describes, or why it cannot be spoken; neither if it describes none."""
        try:
            body = description_in(message)
            return (agree_on(body, self._local, self._trunk) if body else None), ""
        except SdpError as error:
            return None, str(error)

    def _enter(self, dialog: Dialog, sound: AgreedSound) -> InDialog:
        """Begin the dialog, and the longest time that it may last."""
        self._limit_to(self._dialling.talk_limit_ms, self._talk_over)
        owner = LegOwner(self.key, self._answers, self._next_cseq, self._end, self._hang_up, Trust.KNOWN_REALMS)
        cseq = self._early_dialogs.cseq_of(dialog.remote_tag)
        self._in_dialog = InDialog(self._signalling, owner, dialog, self._local, sound, self._descriptions, cseq)
        return self._in_dialog

    def _acknowledge(self, dialog: Dialog, cseq: int, to: Flow | None = None) -> None:
        credentials = self._invite.credentials if self._invite is not None else ()
        hop = to or dialog.first_hop()
        permitted = self._signalling.permitted(hop, credentials, self.key)
        ack = replace(in_dialog_request(self._trunk, dialog, "ACK", permitted), cseq=cseq)
        ack = replace(ack, branch=branch_of(self.key, f"ACK {dialog.remote_tag}", cseq))
        self._wire.send(hop, ack.encode(), self.key)

    def _hang_up(self, cause: int, because: str) -> None:
        if self._in_dialog is not None and not self.is_over:
            self._bye(self._in_dialog.dialog, cause)
        self._end(cause, because)

    def _bye(self, dialog: Dialog, cause: int) -> None:
        self._send_bye(dialog, dialog.first_hop(), cause, Trust.KNOWN_REALMS)

    def _end(self, cause: int, because: str, retry_after_ms: int = 0) -> None:
        if self.is_over:
            return
        self._state = SipLegState.OVER
        self._early_dialogs.end()
        if self._in_dialog is not None:
            self._in_dialog.stop()
        self._tell_over(cause, because, retry_after_ms)
        self._wire.after(GIVES_UP_AFTER * self._wire.t1_ms, self._vanish)

    def _vanish(self) -> None:
        if self._invite is not None:
            self._invite.forget()
        self._forget(self)


def draft_of(trunk: Trunk, dialling: Dialling, offer: bytes) -> Outgoing:
    """Return the INVITE of a call, but for its CSeq and branch. The caller ID is in From and P-Asserted-Identity."""
    caller = trunk.named(dialling.callerid or (trunk.credentials.username if trunk.credentials else "anonymous"))
    callee, expires_s = trunk.named(dialling.number), trunk.session_expires_s
    return Outgoing(
        method=INVITE,
        uri=callee,
        via=trunk.via,
        call_id=dialling.key,
        sender=f"{trunk.caller.sender(caller)};tag={mark(dialling.key, 'from')}",
        to=f"<{callee}>",
        headers=(
            ("Contact", trunk.contact),
            *trunk.caller.headers(dialling.callerid, trunk.named),
            *((("Identity", dialling.identity),) if dialling.identity else ()),
            ("Allow", METHODS),
            *((("Supported", "timer"), ("Session-Expires", str(expires_s)), MIN_SE) if expires_s else ()),
            SDP_TYPE,
        ),
        body=offer,
    )
