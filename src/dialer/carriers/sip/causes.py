"""Q.850 causes of calls that end over SIP."""

import re
from typing import Final

from dialer.carriers.sip.messages import Received

NORMAL: Final = 16
NO_ANSWER: Final = 19
NO_CIRCUIT: Final = 34
TEMPORARY_FAILURE: Final = 41
INCOMPATIBLE: Final = 88
"""Incompatible destination: no codec in common."""
TIMER_EXPIRY: Final = 102
INTERWORKING: Final = 127
CAUSES_MAX: Final = 127

_BY_STATUS: Final = {
    301: 22,
    400: 41,
    401: 21,
    402: 21,
    403: 21,
    404: 1,
    405: 63,
    406: 79,
    407: 21,
    408: 102,
    410: 22,
    413: 127,
    414: 127,
    415: 79,
    416: 127,
    420: 127,
    421: 127,
    423: 127,
    480: 18,
    481: 41,
    482: 25,
    483: 25,
    484: 28,
    485: 1,
    486: 17,
    487: 31,
    488: 88,
    500: 41,
    501: 79,
    502: 38,
    503: 41,
    504: 102,
    505: 127,
    513: 127,
    580: 47,
    600: 17,
    603: 21,
    604: 1,
    606: 88,
    607: 21,
    608: 21,
}
"""RFC 3398 8.2.6.1. A redirection to another number (301) is Q.850's number changed; RFC 8197 and 8688 for 607 and 608.
"""
_BY_CLASS: Final = {3: INTERWORKING, 4: INTERWORKING, 5: 41, 6: 21}
_REASON: Final = re.compile(r"\bQ\.850\b[^,]*?;\s*cause\s*=\s*([0-9]{1,3})\b", re.IGNORECASE)


_STATUS: Final = {
    1: 404,
    2: 404,
    3: 404,
    17: 486,
    21: 403,
    22: 410,
    28: 484,
    34: 503,
    38: 503,
    41: 503,
    42: 503,
    47: 503,
    88: 488,
}
"""RFC 3398 7.2.4.1."""
_UNAVAILABLE: Final = 480


def status_of(cause: int) -> int:
    """Return the status with which a call that came in is refused."""
    return _STATUS.get(cause, _UNAVAILABLE)


def cause_of_refusal(response: Received) -> int:
    """Return the cause of a call that a final response of 300 or above ended: its Reason header says more."""
    status = response.status
    return cause_in_reason(response) or _BY_STATUS.get(status) or _BY_CLASS.get(status // 100, INTERWORKING)


def cause_in_reason(message: Received) -> int | None:
    """Return the cause in the Reason header of a request or of a response (RFC 3326, RFC 6432); None without one."""
    for value in message.message.headers.getlist("Reason"):
        found = _REASON.search(value)
        if found and 1 <= int(found.group(1)) <= CAUSES_MAX:
            return int(found.group(1))
    return None


def reason_header(cause: int) -> tuple[str, str]:
    """Return the Reason header that tells the other side the cause."""
    return "Reason", f"Q.850;cause={cause}"
