"""An established dialog: the requests of the other side, and our refreshing (RFC 3261 12.2, 14, 17.2)."""

import contextlib
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.sip import causes
from dialer.carriers.sip.dialog import Dialog, with_target
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.message_bodies import description_in, refusal_headers
from dialer.carriers.sip.messages import Outgoing, Received, reply_flow
from dialer.carriers.sip.offer_answer import Descriptions, agree_on, bound_to, unknown_sound
from dialer.carriers.sip.outputs import SoundAgreed
from dialer.carriers.sip.plain_requests import answer_plain, is_supported, tell_key
from dialer.carriers.sip.request_answers import RequestAnswers, retry_soon
from dialer.carriers.sip.sdp import SDP_TYPE, AgreedSound, LocalSound, SdpError
from dialer.carriers.sip.session_timer import MIN_SE, SessionTimer
from dialer.carriers.sip.signalling import AuthorisedRequest, Signalling, Trust, branch_of
from dialer.carriers.sip.timers import GIVES_UP_AFTER, T2_MS, Timer
from dialer.carriers.sip.transactions import INVITE, OK, REFUSED
from dialer.carriers.sip.trunk import METHODS, Trunk, mark

RETRY_MS: Final = range(2_100, 4_000)
"""Pause before a refresh that crossed a request of the other side is sent again (14.1)."""
NEWS_TRIES_MAX: Final = 4
"""Refusals after which a refresh with news is sent no more."""
PENDING: Final = 491
GONE: Final = frozenset({408, 481})


class LegOwner(msgspec.Struct, frozen=True):
    """The leg of a dialog."""

    key: str
    answers: RequestAnswers
    next_cseq: Callable[[], int]
    ended_by_peer: Callable[[int, str], None]
    """Called with the cause and the reason in words when the other side hung up."""
    hang_up: Callable[[int, str], None]
    trust: Trust
    """The challenges to our requests that are answered."""


class InDialog:
    """The requests in the confirmed dialog of one leg: re-INVITE, BYE, INFO, refreshes."""

    def __init__(
        self,
        signalling: Signalling,
        owner: LegOwner,
        dialog: Dialog,
        local: LocalSound,
        sound: AgreedSound,
        descriptions: Descriptions,
        remote_cseq: int = -1,
    ) -> None:
        """Begin it. `remote_cseq` is the CSeq of the latest request of the other side."""
        self.timer: Final = SessionTimer(signalling.wire, self.refresh, self._not_refreshed)
        self._signalling: Final = signalling
        self._wire: Final = signalling.wire
        self._owner: Final = owner
        self._local = local
        self._sound = sound
        self._descriptions: Final = descriptions
        self._remote_cseq = remote_cseq
        self._answers: Final = owner.answers
        self._unacknowledged: tuple[int, Timer] | None = None
        self.awaits_answer = False
        """True if our last 200 had an offer, whose answer is in its ACK."""
        self._refreshing: AuthorisedRequest | None = None
        self._later: Timer | None = None
        """The next try of a refresh."""
        self._news_tries = 0
        """Times that a refresh may still be refused: the other side does not know where we are, or we not its key."""
        self._credentials: tuple[tuple[str, str], ...] = ()
        """The headers of the last refresh that its ACK carries too (RFC 3261 22.1)."""
        self._is_over = self._has_heard_bye = False
        self._go_to(dialog)

    def _go_to(self, dialog: Dialog) -> None:
        """Send to the target of a dialog from now on, and hear what comes from there."""
        self.dialog = dialog
        if not self._is_over:
            self._signalling.note_end(self._owner.key, dialog.first_hop())

    @property
    def sound(self) -> AgreedSound:
        """The sound that both sides agreed on last."""
        return self._sound

    def stop(self, *, owes_answer: bool = False) -> None:
        """Stop the session timer. Requests of the other side are still answered.

        With `owes_answer`, our answer is still repeated until its ACK comes.
        """
        self._is_over = True
        self.timer.stop()
        if not owes_answer:
            self._acknowledged()

    def receive(self, request: Received, flow: Flow) -> None:
        """Answer a request of the other side. A repeated request gets its first answer again."""
        if request.method == "ACK":
            self._take_ack(request)
            return
        if self._answers.repeat(request, flow):
            return
        if request.method == "CANCEL":
            has_answered = self._answers.has_answered(request, INVITE)
            self._answers.answer(request, flow, 200 if has_answered else 481)
        elif request.method == INVITE and not request.to_tag:
            # It is our own INVITE, which came back to us.
            self._answers.answer(request, flow, 482)
        elif not self._is_within(request) or (self._is_over and (request.method != "BYE" or self._has_heard_bye)):
            self._answers.answer(request, flow, 481)
        elif request.cseq <= self._remote_cseq:
            self._answers.answer(request, flow, 500)
        elif is_supported(request, flow, self._answers):
            self._remote_cseq = request.cseq
            self._take(request, flow)

    def _is_within(self, request: Received) -> bool:
        """Return whether a request has the tags of this dialog."""
        return request.to_tag == self.dialog.local.rpartition(";tag=")[2] and request.from_tag == self.dialog.remote_tag

    def _take(self, request: Received, flow: Flow) -> None:
        if request.method == "BYE":
            # A first one may have crossed ours.
            self._has_heard_bye = True
            self._answers.answer(request, flow, 200)
            self._owner.ended_by_peer(causes.cause_in_reason(request) or causes.NORMAL, "the other side hung up")
        elif request.method in {INVITE, "UPDATE"}:
            self._take_offer(request, flow)
        else:
            answer_plain(request, flow, self._answers)
            tell_key(request, self._wire, self._owner.key)

    def _take_offer(self, request: Received, flow: Flow) -> None:
        """Agree on the sound of a new offer, as when the other side holds the call (RFC 3264 8)."""
        try:
            body = description_in(request)
        except SdpError as error:
            self._answers.answer(request, flow, *refusal_headers(error))
            return
        has_offer = bool(body) or request.method == INVITE
        if has_offer and self._refreshing is not None:
            self._answers.answer(request, flow, 491)
            return
        if has_offer and self._unacknowledged is not None:
            self._answers.answer(request, flow, 500, (retry_soon(request),))
            return
        if self.timer.is_too_short(request):
            self._answers.answer(request, flow, 422, (MIN_SE,))
            return
        try:
            sound = agree_on(body, self._local, self._signalling.trunk) if body else self._sound
        except SdpError as error:
            self._answers.answer(request, flow, *refusal_headers(error))
            return
        self._go_to(with_target(self.dialog, request))
        self.timer.asked(request)
        described = self._descriptions.answer(sound) if body else self._descriptions.offer(sound) if has_offer else b""
        headers = (("Contact", self._signalling.trunk.contact), ("Allow", METHODS), *self.timer.headers(request))
        response = self._answers.answer(request, flow, 200, (*headers, *((SDP_TYPE,) if has_offer else ())), described)
        if request.method == INVITE:
            self.awaits_answer = not body
            self.repeat_until_acknowledged(request.cseq, reply_flow(request, flow), response, self._wire.t1_ms)
        self._agree(sound)

    def _agree(self, sound: AgreedSound) -> None:
        if sound != self._sound:
            self._sound, self._local = sound, bound_to(self._local, sound)
            self._wire.tell(SoundAgreed(self._owner.key, sound))

    def repeat_until_acknowledged(self, cseq: int, to: Flow, response: bytes, wait_ms: int) -> None:
        """Send the 200 of an INVITE again until its ACK comes; after 64 times T1, hang up (13.3.1.4).

        The time counts from when a lost connection is there again: no ACK could come before.
        """
        began_ms = self._wire.now_ms

        def again(wait_ms: int) -> None:
            nonlocal began_ms
            if self._wire.is_cut:
                began_ms = self._wire.now_ms
            elif self._wire.now_ms - began_ms >= GIVES_UP_AFTER * self._wire.t1_ms:
                self._acknowledged()
                self._owner.hang_up(causes.TIMER_EXPIRY, "the other side did not acknowledge an answer")
                return
            self._wire.send(to, response, self._owner.key)
            wait(min(wait_ms * 2, T2_MS))

        def wait(wait_ms: int) -> None:
            self._unacknowledged = (cseq, self._wire.after(wait_ms, lambda: again(wait_ms)))

        wait(wait_ms)

    def _take_ack(self, ack: Received) -> None:
        if self._unacknowledged is None or ack.cseq != self._unacknowledged[0] or not self._is_within(ack):
            return
        self._acknowledged()
        if not self.awaits_answer:
            return
        # The offer was in our 200, and this is its answer.
        self.awaits_answer = False
        try:
            body = description_in(ack)
            if body:
                self._agree(agree_on(body, self._local, self._signalling.trunk))
            elif self._sound == unknown_sound(self._local):
                self._owner.hang_up(causes.INCOMPATIBLE, "the other side has described no sound")
        except SdpError as error:
            because = f"the other side has described no sound that can be spoken: {error}"
            self._owner.hang_up(causes.INCOMPATIBLE, because)

    def _acknowledged(self) -> None:
        if self._unacknowledged is not None:
            self._unacknowledged[1].cancel()
        self._unacknowledged = None

    def refresh(self) -> None:
        """Refresh the session with a re-INVITE that changes nothing (RFC 4028 7.4)."""
        if self._is_over or self._refreshing is not None:
            return
        if self._wire.is_cut:
            # The next connection begins with a refresh of each call.
            self.timer.restart()
            return
        if self._unacknowledged is not None:
            self._refresh_later(self._wire.t1_ms)
            return
        body = self._descriptions.answer(self._sound)
        headers = (("Contact", self._signalling.trunk.contact), *self.timer.request_headers(), SDP_TYPE)
        draft = replace(in_dialog_request(self._signalling.trunk, self.dialog, INVITE, headers), body=body)
        self._refreshing = AuthorisedRequest(
            self._signalling,
            draft,
            self.dialog.first_hop(),
            self._owner.key,
            self._owner.next_cseq,
            self._refreshed,
            self._owner.trust,
        )

    def refresh_anew(self) -> None:
        """Refresh the session over a new connection, or in another process. It is sent again if it is refused.

        An earlier refresh may have got lost with the connection before. And what both sides have changed since the
        answer, such as the key of the other one, stands in its answer only.
        """
        self.let_go()
        self._news_tries = NEWS_TRIES_MAX
        self.refresh()

    def let_go(self) -> None:
        """Expect nothing of a refresh in progress or to come: its connection is lost, and another refresh follows."""
        if self._later is not None:
            self._later.cancel()
        if self._refreshing is not None:
            self._refreshing.hear_only(self._acknowledge_late)
            self._refreshing = None

    def _refresh_later(self, wait_ms: int) -> None:
        self._later = self._wire.after(wait_ms, self.refresh)

    def _acknowledge_late(self, response: Received | None) -> None:
        """Acknowledge the answer to a refresh that counts no more."""
        if response is not None and OK <= response.status < REFUSED:
            self._acknowledge(response)

    def _refreshed(self, response: Received | None) -> None:
        if response is not None and response.status < OK:
            return
        if self._refreshing is not None:
            self._credentials = self._refreshing.credentials
        is_first, self._refreshing = self._refreshing is not None, None
        if response is not None and response.status < REFUSED:
            if is_first:
                # The ACK goes to the new target already (12.2.1.2, 13.2.2.4).
                self._go_to(with_target(self.dialog, response))
            self._acknowledge(response)
        if not is_first or self._is_over:
            return
        if response is None or response.status in GONE:
            self._owner.hang_up(causes.TIMER_EXPIRY, "the other side is gone")
        elif response.status < REFUSED:
            self._news_tries = 0
            self.timer.agreed(response)
            self._take_answer(response)
        elif self.timer.lengthen(response):
            self.refresh()
        elif response.status == PENDING or self._news_tries:
            self._news_tries = max(0, self._news_tries - 1)
            pause = int(mark(self._owner.key, str(self._wire.now_ms)), 16) % len(RETRY_MS)
            self._refresh_later(RETRY_MS[pause])
        else:
            self.timer.restart()

    def _take_answer(self, response: Received) -> None:
        """Go where the other side wants its sound now. All stays as it is if that is not understood."""
        with contextlib.suppress(SdpError):
            body = description_in(response)
            if body:
                self._agree(agree_on(body, self._local, self._signalling.trunk))

    def _acknowledge(self, response: Received) -> None:
        credentials = self._signalling.permitted(self.dialog.first_hop(), self._credentials, self._owner.key)
        ack = in_dialog_request(self._signalling.trunk, self.dialog, "ACK", credentials)
        branch = branch_of(response.call_id, "ACK", response.cseq)
        ack = replace(ack, cseq=response.cseq, branch=branch)
        self._wire.send(self.dialog.first_hop(), ack.encode(), self._owner.key)

    def _not_refreshed(self) -> None:
        if self._wire.is_cut:
            self.timer.restart()
            return
        self._owner.hang_up(causes.TIMER_EXPIRY, "the other side did not refresh the session")


def in_dialog_request(trunk: Trunk, dialog: Dialog, method: str, headers: tuple[tuple[str, str], ...] = ()) -> Outgoing:
    """Return a request in a dialog, but for its CSeq and branch."""
    uri, routes = dialog.addressing()
    return Outgoing(
        method=method,
        uri=uri,
        via=trunk.via,
        call_id=dialog.call_id,
        sender=dialog.local,
        to=dialog.remote,
        routes=routes,
        headers=headers,
    )
