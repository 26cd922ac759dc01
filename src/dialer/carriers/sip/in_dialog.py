"""An established dialog: the requests of the other side, and our refreshing (RFC 3261 12.2, 14, 17.2)."""

import re
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.sip import causes
from dialer.carriers.sip.agreeing import Descriptions, agree_on
from dialer.carriers.sip.dialog import Dialog, with_target
from dialer.carriers.sip.messages import Outgoing, Received, reply_address, write_response
from dialer.carriers.sip.outputs import Address, DigitReported, SoundAgreed
from dialer.carriers.sip.sdp import SDP_TYPE, AgreedSound, LocalSound, SdpError
from dialer.carriers.sip.session_timer import MIN_SE, SessionTimer, is_too_short
from dialer.carriers.sip.signalling import AuthorisedRequest, Signalling, Trust, branch_of
from dialer.carriers.sip.timers import GIVES_UP_AFTER, T2_MS, Timer
from dialer.carriers.sip.transactions import INVITE, OK, REFUSED
from dialer.carriers.sip.trunk import METHODS, Trunk, mark

ANSWERS_KEPT_MAX: Final = 16
"""Responses of one leg that are sent again if their request comes again."""
RETRY_MS: Final = range(2_100, 4_000)
"""Pause before a refresh that crossed a request of the other side is sent again (14.1)."""
GONE: Final = frozenset({408, 481})
_KEY_TYPES: Final = frozenset({"application/dtmf-relay", "application/dtmf", "application/vnd.nortelnetworks.digits"})
_KEY: Final = re.compile(rb"(?:\bSignal\s*=|\bd\s*=|\A)\s*([0-9*#A-Da-d])\s*(?:\r?\n|\Z)", re.IGNORECASE)


class LegOwner(msgspec.Struct, frozen=True):
    """The leg of a dialog."""

    key: str
    next_cseq: Callable[[], int]
    ended_by_peer: Callable[[int, str], None]
    """Called with the cause and the reason in words when the other side hung up."""
    hang_up: Callable[[int, str], None]
    trust: Trust
    """The challenges to our requests that are answered."""


class InDialog:
    """The dialog of one leg."""

    def __init__(
        self,
        signalling: Signalling,
        owner: LegOwner,
        dialog: Dialog,
        local: LocalSound,
        sound: AgreedSound,
        descriptions: Descriptions,
    ) -> None:
        self.timer: Final = SessionTimer(signalling.wire, self.refresh, self._not_refreshed)
        self._signalling: Final = signalling
        self._wire: Final = signalling.wire
        self._owner: Final = owner
        self._local: Final = local
        self._sound = sound
        self._descriptions: Final = descriptions
        self._remote_cseq = -1
        self._answers: dict[tuple[str, str], bytes] = {}
        self._unacknowledged: tuple[int, Timer] | None = None
        self._refreshing: AuthorisedRequest | None = None
        self._credentials: tuple[tuple[str, str], ...] = ()
        """The headers of the last refresh that its ACK carries too (RFC 3261 22.1)."""
        self._is_over = self._has_heard_bye = False
        self._go_to(dialog)

    def _go_to(self, dialog: Dialog) -> None:
        """Send to the target of a dialog from now on, and hear what comes from there."""
        self.dialog = dialog
        if not self._is_over:
            self._signalling.peers.note(self._owner.key, dialog.first_hop())

    @property
    def sound(self) -> AgreedSound:
        """The sound that both sides have agreed on last."""
        return self._sound

    def stop(self) -> None:
        """Refresh nothing any more. Requests of the other side are still answered."""
        self._is_over = True
        self.timer.stop()
        self._acknowledged()

    def receive(self, request: Received, source: Address) -> None:
        """Answer a request of the other side. One that is repeated gets the same answer again."""
        if request.method == "ACK":
            self._take_ack(request)
            return
        answer_sent = self._answers.get((request.branch, request.method))
        if answer_sent is not None:
            self._wire.send(reply_address(request, source), answer_sent, self._owner.key)
        elif request.method == "CANCEL":
            self._answer(request, source, 200 if (request.branch, INVITE) in self._answers else 481)
        elif not self._is_within(request) or (self._is_over and (request.method != "BYE" or self._has_heard_bye)):
            self._answer(request, source, 481)
        elif request.cseq <= self._remote_cseq:
            self._answer(request, source, 500)
        else:
            self._remote_cseq = request.cseq
            self._take(request, source)

    def _is_within(self, request: Received) -> bool:
        """Return whether a request has the tags of this dialog."""
        return request.to_tag == self.dialog.local.rpartition(";tag=")[2] and request.from_tag == self.dialog.remote_tag

    def _take(self, request: Received, source: Address) -> None:
        if request.method == "BYE":
            # A first one may have crossed ours.
            self._has_heard_bye = True
            self._answer(request, source, 200)
            self._owner.ended_by_peer(causes.cause_in_reason(request) or causes.NORMAL, "the other side hung up")
        elif request.method in {INVITE, "UPDATE"}:
            self._take_offer(request, source)
        elif request.method == "INFO" and request.header("Info-Package"):
            # No package was offered with Recv-Info, and an INFO of today's kind belongs to one (RFC 6086 4.2.2).
            self._answer(request, source, 469, (("Recv-Info", ""),))
        elif request.method == "INFO":
            self._answer(request, source, 200)
            self._take_key(request)
        elif request.method == "OPTIONS":
            self._answer(request, source, 200, (("Allow", METHODS), ("Accept", SDP_TYPE[1])))
        else:
            self._answer(request, source, 405, (("Allow", METHODS),))

    def _take_offer(self, request: Received, source: Address) -> None:
        """Agree on the sound of a new offer, as when the other side holds the call (RFC 3264 8)."""
        if self._refreshing is not None:
            self._answer(request, source, 491)
            return
        if self._unacknowledged is not None:
            self._answer(request, source, 500, (("Retry-After", "1"),))
            return
        if is_too_short(request):
            self._answer(request, source, 422, (MIN_SE,))
            return
        body, sound = request.message.body, self._sound
        try:
            sound = agree_on(body, self._local, self._signalling.trunk) if body else sound
        except SdpError:
            self._answer(request, source, 488)
            return
        self._go_to(with_target(self.dialog, request))
        self.timer.agreed(request, is_ours=False)
        has_answer = bool(body) or request.method == INVITE
        described = self._descriptions.answer(sound) if body else self._descriptions.offer(sound) if has_answer else b""
        headers = (("Contact", self._signalling.trunk.contact), ("Allow", METHODS), *self.timer.headers(request))
        response = self._answer(request, source, 200, (*headers, *((SDP_TYPE,) if has_answer else ())), described)
        if request.method == INVITE:
            self.repeat_until_acknowledged(request.cseq, reply_address(request, source), response, self._wire.t1_ms)
        self._agree(sound)

    def _agree(self, sound: AgreedSound) -> None:
        if sound != self._sound:
            self._sound = sound
            self._wire.tell(SoundAgreed(self._owner.key, sound))

    def repeat_until_acknowledged(self, cseq: int, to: Address, response: bytes, wait_ms: int) -> None:
        """Send the 200 of an INVITE again until its ACK comes; after 64 times T1, hang up (13.3.1.4)."""
        began_ms = self._wire.now_ms

        def again(wait_ms: int) -> None:
            if self._wire.now_ms - began_ms >= GIVES_UP_AFTER * self._wire.t1_ms:
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
        if ack.message.body:
            # The offer was in our 200, and this is its answer.
            try:
                self._agree(agree_on(ack.message.body, self._local, self._signalling.trunk))
            except SdpError:
                self._owner.hang_up(causes.INCOMPATIBLE, "the other side changed to sound that cannot be spoken")

    def _acknowledged(self) -> None:
        if self._unacknowledged is not None:
            self._unacknowledged[1].cancel()
        self._unacknowledged = None

    def _take_key(self, request: Received) -> None:
        kind = request.header("Content-Type").partition(";")[0].strip().lower()
        match = _KEY.search(request.message.body) if kind in _KEY_TYPES else None
        if match:
            self._wire.tell(DigitReported(self._owner.key, match.group(1).decode().upper()))

    def _answer(
        self,
        request: Received,
        source: Address,
        status: int,
        headers: tuple[tuple[str, str], ...] = (),
        body: bytes = b"",
    ) -> bytes:
        response = write_response(request, status, PHRASES[status], source, headers=headers, body=body)
        if len(self._answers) >= ANSWERS_KEPT_MAX:
            del self._answers[next(iter(self._answers))]
        self._answers[request.branch, request.method] = response
        self._wire.send(reply_address(request, source), response, self._owner.key)
        return response

    def refresh(self) -> None:
        """Refresh the session with a re-INVITE that changes nothing (RFC 4028 7.4)."""
        if self._is_over or self._refreshing is not None:
            return
        if self._unacknowledged is not None:
            self._wire.after(self._wire.t1_ms, self.refresh)
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

    def _refreshed(self, response: Received | None) -> None:
        if response is not None and response.status < OK:
            return
        if self._refreshing is not None:
            self._credentials = self._refreshing.credentials
        if response is not None and response.status < REFUSED:
            self._acknowledge(response)
        if self._refreshing is None:
            return
        self._refreshing = None
        if response is None or response.status in GONE:
            self._owner.hang_up(causes.TIMER_EXPIRY, "the other side is gone")
        elif response.status < REFUSED:
            self._go_to(with_target(self.dialog, response))
            self.timer.agreed(response, is_ours=True)
        elif response.status == 491:  # noqa: PLR2004 - Request Pending
            pause = int(mark(self._owner.key, str(self._wire.now_ms)), 16) % len(RETRY_MS)
            self._wire.after(RETRY_MS[pause], self.refresh)
        elif self.timer.lengthen(response):
            self.refresh()
        else:
            self.timer.restart()

    def _acknowledge(self, response: Received) -> None:
        credentials = self._signalling.permitted(self.dialog.first_hop(), self._credentials)
        ack = in_dialog_request(self._signalling.trunk, self.dialog, "ACK", credentials)
        branch = branch_of(response.call_id, "ACK", response.cseq)
        ack = replace(ack, cseq=response.cseq, branch=branch)
        self._wire.send(self.dialog.first_hop(), ack.encode(), self._owner.key)

    def _not_refreshed(self) -> None:
        self._owner.hang_up(causes.TIMER_EXPIRY, "the other side did not refresh the session")


PHRASES: Final = {
    180: "Ringing",
    200: "OK",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    410: "Gone",
    420: "Bad Extension",
    422: "Session Interval Too Small",
    480: "Temporarily Unavailable",
    481: "Call/Transaction Does Not Exist",
    469: "Bad Info Package",
    482: "Loop Detected",
    484: "Address Incomplete",
    486: "Busy Here",
    487: "Request Terminated",
    488: "Not Acceptable Here",
    491: "Request Pending",
    500: "Server Internal Error",
    503: "Service Unavailable",
    513: "Message Too Large",
}


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
