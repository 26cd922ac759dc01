"""Q.850 causes of calls that end over SIP."""

import re
from typing import Final

from dialer.carriers.sip.messages import Received

NORMAL: Final = 16
NOT_RESPONDING: Final = 18
"""No user responding: neither ringing nor an answer in time."""
NO_ANSWER: Final = 19
"""It rang, and nobody answered."""
REJECTED: Final = 21
NO_CIRCUIT: Final = 34
OUT_OF_SERVICE: Final = 39
"""Something of ours has failed: no cause that would end the use of a carrier that is well."""
TEMPORARY_FAILURE: Final = 41
INCOMPATIBLE: Final = 88
"""Incompatible destination: no codec in common."""
TIMER_EXPIRY: Final = 102
INTERWORKING: Final = 127
CAUSES_MAX: Final = 127

_STATUSES: Final = {
    1: (404, 485, 604),
    17: (486, 600),
    18: (480,),
    21: (401, 402, 403, 407, 603, 607, 608),
    22: (301, 410),
    25: (482, 483),
    28: (484,),
    31: (487,),
    38: (502,),
    41: (400, 481, 500, 503),
    47: (580,),
    63: (405,),
    79: (406, 415, 501),
    88: (488, 606),
    102: (408, 504),
    127: (413, 414, 416, 420, 421, 423, 505, 513),
}
"""RFC 3398 8.2.6.1. A redirection to another number (301) is Q.850's number changed; RFC 8197 and 8688 for 607 and 608.
"""
_BY_STATUS: Final = {status: cause for cause, statuses in _STATUSES.items() for status in statuses}
_BY_CLASS: Final = {3: INTERWORKING, 4: INTERWORKING, 5: 41, 6: 21}
_REASON: Final = re.compile(r"\bQ\.850\b[^,]*?;\s*cause\s*=\s*([0-9]{1,3})\b", re.IGNORECASE)

_REFUSALS: Final = {
    403: (21,),
    404: (1, 2, 3),
    410: (22,),
    484: (28,),
    486: (17,),
    488: (88,),
    503: (34, 38, 41, 42, 47),
}
"""RFC 3398 7.2.4.1."""
_STATUS: Final = {cause: status for status, causes in _REFUSALS.items() for cause in causes}
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
        match = _REASON.search(value)
        if match and 1 <= int(match.group(1)) <= CAUSES_MAX:
            return int(match.group(1))
    return None


def reason_header(cause: int) -> tuple[str, str]:
    """Return the Reason header with a Q.850 cause."""
    return "Reason", f"Q.850;cause={cause}"
