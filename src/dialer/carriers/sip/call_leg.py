"""The common part of calls that we place and calls that come in: the dialog, its longest time, and the BYE."""

from collections.abc import Callable
from itertools import count

from dialer.carriers.sip import causes
from dialer.carriers.sip.dialog import Dialog
from dialer.carriers.sip.dialog_requests import InDialog, in_dialog_request
from dialer.carriers.sip.flows import Flow, Target
from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import LegOver
from dialer.carriers.sip.request_answers import RequestAnswers
from dialer.carriers.sip.signalling import AuthorisedRequest, Signalling, Trust
from dialer.carriers.sip.timers import Timer
from dialer.carriers.sip.trunk import mark


class CallLeg:
    """One call over a SIP trunk, placed or incoming, as the user agent drives it."""

    def __init__(self, signalling: Signalling, key: str, carrier: Flow) -> None:
        """Prepare it. `carrier` gets what cannot be sent to the other end."""
        signalling.wire.resolution.fall_back(key, carrier)
        self.key = key
        self._signalling = signalling
        self._wire = signalling.wire
        self._cseqs = count(1)
        self._limit: Timer | None = None
        self._in_dialog: InDialog | None = None
        self._answers = RequestAnswers(self._wire, key, mark(signalling.secret, key, "stray"))

    def let_go(self) -> None:
        """Hear that the connection to the carrier is lost. The call goes on, as its sound goes another way."""
        if self._in_dialog is not None:
            self._in_dialog.let_go()

    def clear(self, cause: int, because: str) -> None:
        """End the leg, in any state."""
        raise NotImplementedError

    def _next_cseq(self) -> int:
        return next(self._cseqs)

    def _limit_to(self, limit_ms: int, action: Callable[[], None]) -> None:
        """Call `action` in so many milliseconds, unless another limit begins before."""
        self._stop_limit()
        self._limit = self._wire.after(limit_ms, action)

    def _stop_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()

    def _talk_over(self) -> None:
        self.clear(causes.NORMAL, "it talked for as long as it may")

    def _send_bye(self, dialog: Dialog, to: Target, cause: int, trust: Trust) -> None:
        bye = in_dialog_request(self._signalling.trunk, dialog, "BYE", (causes.reason_header(cause),))
        AuthorisedRequest(self._signalling, bye, to, self.key, self._next_cseq, ignore, trust)

    def _tell_over(self, cause: int, because: str, retry_after_ms: int = 0) -> None:
        self._stop_limit()
        self._wire.tell(LegOver(self.key, self._wire.now_ms, cause, because, retry_after_ms))


def ignore(_response: Received | None) -> None:
    """Ignore a response that changes nothing."""
