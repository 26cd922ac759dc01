"""Requests that mean the same in each dialog, early or not: INFO, OPTIONS, and methods that are not known."""

import re
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.message_bodies import ACCEPT, UnsupportedBodyError, check_kind, kind_of
from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import DigitReported, Outputs
from dialer.carriers.sip.request_answers import RequestAnswers, bad_extension, unsupported_in
from dialer.carriers.sip.trunk import METHODS, SUPPORTED

CAPABILITIES: Final = (("Allow", METHODS), ACCEPT, ("Supported", ", ".join(sorted(SUPPORTED))))
"""The headers that say what we understand (RFC 3261 11.2)."""
_KEY_TYPES: Final = ("application/dtmf-relay", "application/dtmf", "application/vnd.nortelnetworks.digits")
_KEY: Final = re.compile(rb"(?:\bSignal\s*=|\bd\s*=|\A)\s*(1[0-5]|[0-9*#A-Da-d])\s*(?:\r?\n|\Z)", re.IGNORECASE)
_CODES: Final = "0123456789*#ABCD"
"""The keys of the event codes 0 to 15 (RFC 4733 3.2). Some senders write 10 for `*` and 11 for `#`."""


def is_supported(request: Received, flow: Flow, answers: RequestAnswers) -> bool:
    """Return whether each extension that a request requires is supported; refuse it if not."""
    unsupported = unsupported_in(request)
    if unsupported:
        answers.answer(request, flow, 420, bad_extension(unsupported))
    return not unsupported


def answer_plain(request: Received, flow: Flow, answers: RequestAnswers) -> None:
    """Answer a request that leaves the dialog as it is, such as OPTIONS, INFO or an unknown method."""
    if request.method == "INFO" and request.header("Info-Package"):
        # No package was offered with Recv-Info, and an INFO of today's kind belongs to one (RFC 6086 4.2.2).
        answers.answer(request, flow, 469, (("Recv-Info", ""),))
    elif request.method == "INFO":
        try:
            check_kind(request, _KEY_TYPES)
        except UnsupportedBodyError as error:
            answers.answer(request, flow, 415, error.headers)
        else:
            answers.answer(request, flow, 200)
    elif request.method == "OPTIONS":
        answers.answer(request, flow, 200, CAPABILITIES)
    else:
        answers.answer(request, flow, 405, (("Allow", METHODS),))


def tell_key(request: Received, wire: Outputs, key: str) -> None:
    """Tell the key in an INFO request of a leg, if there is one."""
    if request.method != "INFO" or request.header("Info-Package"):
        return
    match = _KEY.search(request.message.body) if kind_of(request.header("Content-Type")) in _KEY_TYPES else None
    if match:
        signal = match.group(1).decode().upper()
        wire.tell(DigitReported(key, _CODES[int(signal)] if signal.isdigit() else signal))
