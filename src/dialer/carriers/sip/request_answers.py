"""Responses to the requests of the other side within one call: a request that is repeated gets the same one again."""

from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, reply_flow, write_response
from dialer.carriers.sip.outputs import Outputs
from dialer.carriers.sip.trunk import SUPPORTED, mark

ANSWERS_KEPT_MAX: Final = 16
"""Responses of one leg that are sent again if their request comes again."""
RETRY_AFTER_S_MAX: Final = 10
PHRASES: Final = {
    180: "Ringing",
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    410: "Gone",
    415: "Unsupported Media Type",
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


class RequestAnswers:
    """The responses that one leg has sent, for requests that are repeated.

    `tag` is our tag in responses to requests that name none of ours: it must not be the one of a dialog.
    """

    def __init__(self, wire: Outputs, key: str, tag: str) -> None:
        self._wire: Final = wire
        self._key: Final = key
        self._tag: Final = tag
        self._sent: Final[dict[tuple[str, int, str], bytes]] = {}
        """The responses by the branch, the CSeq and the method of their requests. Old senders have no branch."""

    def has_answered(self, cancel: Received, method: str) -> bool:
        """Return whether the request that a CANCEL concerns was answered."""
        return (cancel.branch, cancel.cseq, method) in self._sent

    def repeat(self, request: Received, flow: Flow) -> bool:
        """Send the response of a request that comes again, and return True; False for a new request."""
        response = self._sent.get((request.branch, request.cseq, request.method))
        if response is None:
            return False
        self._wire.send(reply_flow(request, flow), response, self._key)
        return True

    def answer(
        self,
        request: Received,
        flow: Flow,
        status: int,
        headers: tuple[tuple[str, str], ...] = (),
        body: bytes = b"",
    ) -> bytes:
        """Send a final response to a request, and return its bytes."""
        response = write_response(request, status, PHRASES[status], flow, to_tag=self._tag, headers=headers, body=body)
        if len(self._sent) >= ANSWERS_KEPT_MAX:
            del self._sent[next(iter(self._sent))]
        self._sent[request.branch, request.cseq, request.method] = response
        self._wire.send(reply_flow(request, flow), response, self._key)
        return response


def unsupported_in(request: Received) -> tuple[str, ...]:
    """Return the extensions that a request requires and that are not supported (RFC 3261 8.2.2.3)."""
    return tuple(sorted(request.options("Require") - SUPPORTED))


def bad_extension(options: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the headers of a 420."""
    return (("Unsupported", ", ".join(options)),)


def retry_soon(request: Received) -> tuple[str, str]:
    """Return the Retry-After of a 500: from 0 to 10 seconds, by chance (RFC 3261 14.2, RFC 3311 5.2)."""
    return "Retry-After", str(int(mark(request.call_id, request.branch), 16) % (RETRY_AFTER_S_MAX + 1))
