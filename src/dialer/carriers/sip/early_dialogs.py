"""The early dialogs of a call: the requests of the other side before the answer (RFC 3261 12.1, 12.2.2).

An INVITE that we send has one for each telephone that rings, and one that we get has one.
"""

from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.message_bodies import description_in, refusal_headers
from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import Outputs
from dialer.carriers.sip.plain_requests import answer_plain, is_supported, tell_key
from dialer.carriers.sip.request_answers import RequestAnswers, retry_soon
from dialer.carriers.sip.sdp import SdpError
from dialer.carriers.sip.session_timer import MIN_SE, is_too_short
from dialer.carriers.sip.signalling import Signalling
from dialer.carriers.sip.transactions import INVITE
from dialer.carriers.sip.trunk import METHODS

TELEPHONES_MAX: Final = 8
"""Early dialogs of one call."""


class EarlyDialogs:
    """The dialogs of one leg before its answer: one for each telephone that rings."""

    def __init__(
        self,
        wire: Outputs,
        signalling: Signalling,
        answers: RequestAnswers,
        key: str,
        ends: tuple[str, bool],
        left: Callable[[Received], None],
    ) -> None:
        """Prepare them. `ends` has our tag, and whether the INVITE is ours. `left` is called with a BYE."""
        self._wire: Final = wire
        self._signalling: Final = signalling
        self._answers: Final = answers
        self._key: Final = key
        self._tag, self._is_ours = ends
        self._left: Final = left
        self._cseqs: Final[dict[str, int]] = {}
        """The CSeq of the latest request of each telephone, by its tag."""
        self._is_over = False
        self.refresh: Received | None = None
        """The latest request that told where the other side is now."""

    def begin(self, tag: str, cseq: int = -1) -> bool:
        """Begin the early dialog of a telephone, and return True; False if it has one, or none is free."""
        if not tag or tag in self._cseqs or len(self._cseqs) >= TELEPHONES_MAX:
            return False
        self._cseqs[tag] = cseq
        return True

    def cseq_of(self, tag: str) -> int:
        """Return the CSeq of the latest request of a telephone; -1 if there was none."""
        return self._cseqs.get(tag, -1)

    def end(self) -> None:
        """End all early dialogs after the final response to the INVITE. Their requests are refused from now on."""
        self._is_over = True

    def receive(self, request: Received, flow: Flow) -> None:
        """Answer a request that the other side sends before the final response to our INVITE."""
        if request.method == "ACK" or self._answers.repeat(request, flow):
            return
        if request.method == INVITE and not request.to_tag:
            # It is our own INVITE, which came back to us.
            self._answers.answer(request, flow, 482)
        elif self._is_over or request.method == "CANCEL" or not self._is_within(request):
            self._answers.answer(request, flow, 481)
        elif request.cseq <= self._cseqs[request.from_tag]:
            self._answers.answer(request, flow, 500)
        elif is_supported(request, flow, self._answers):
            self._cseqs[request.from_tag] = request.cseq
            self._take(request, flow)

    def _is_within(self, request: Received) -> bool:
        return request.to_tag == self._tag and request.from_tag in self._cseqs

    def _take(self, request: Received, flow: Flow) -> None:
        if request.method == "BYE":
            self._answers.answer(request, flow, 200)
            self._left(request)
        elif request.method in {INVITE, "UPDATE"}:
            self._take_offer(request, flow)
        else:
            answer_plain(request, flow, self._answers)
            tell_key(request, self._wire, self._key)

    def _take_offer(self, request: Received, flow: Flow) -> None:
        try:
            has_offer = bool(description_in(request)) or request.method == INVITE
        except SdpError as error:
            self._answers.answer(request, flow, *refusal_headers(error))
            return
        if has_offer:
            # The offer of the INVITE has no answer yet.
            status, headers = (491, ()) if self._is_ours else (500, (retry_soon(request),))
            self._answers.answer(request, flow, status, headers)
        elif is_too_short(request):
            self._answers.answer(request, flow, 422, (MIN_SE,))
        else:
            self.refresh = request
            contact = self._signalling.trunk.contact
            self._answers.answer(request, flow, 200, (("Contact", contact), ("Allow", METHODS)))
