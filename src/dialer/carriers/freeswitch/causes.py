"""Q.850 causes of calls that end in FreeSWITCH.

Its names are those of `switch_channel_str2cause`. It has causes of its own above 127, and reports all of them as 16 in
`hangup_cause_q850`, so the name counts first.
"""

from typing import Final

from dialer.domain.words.enums import Cause

_NAMES: Final = {
    1: "UNALLOCATED_NUMBER DOES_NOT_EXIST_ANYWHERE",
    2: "NO_ROUTE_TRANSIT_NET",
    3: "NO_ROUTE_DESTINATION",
    6: "CHANNEL_UNACCEPTABLE",
    7: "CALL_AWARDED_DELIVERED",
    8: "PRE_EMPTED",
    16: (
        "NORMAL_CLEARING SUCCESS ORIGINATOR_CANCEL LOSE_RACE MANAGER_REQUEST BLIND_TRANSFER "
        "ATTENDED_TRANSFER ALLOTTED_TIMEOUT PICKED_OFF BOWOUT"
    ),
    17: "USER_BUSY BUSY_EVERYWHERE",
    18: "NO_USER_RESPONSE PROGRESS_TIMEOUT",
    19: "NO_ANSWER NO_PICKUP",
    20: "SUBSCRIBER_ABSENT USER_NOT_REGISTERED",
    21: (
        "CALL_REJECTED USER_CHALLENGE DECLINE UNWANTED NO_IDENTITY BAD_IDENTITY_INFO "
        "UNSUPPORTED_CERTIFICATE INVALID_IDENTITY STALE_DATE REJECT_ALL"
    ),
    22: "NUMBER_CHANGED",
    23: "REDIRECTION_TO_NEW_DESTINATION",
    25: "EXCHANGE_ROUTING_ERROR",
    27: "DESTINATION_OUT_OF_ORDER",
    28: "INVALID_NUMBER_FORMAT",
    29: "FACILITY_REJECTED",
    30: "RESPONSE_TO_STATUS_ENQUIRY",
    31: "NORMAL_UNSPECIFIED",
    34: "NORMAL_CIRCUIT_CONGESTION",
    38: "NETWORK_OUT_OF_ORDER INVALID_GATEWAY GATEWAY_DOWN INVALID_URL INVALID_PROFILE",
    41: "NORMAL_TEMPORARY_FAILURE CRASH SYSTEM_SHUTDOWN MEDIA_TIMEOUT SRTP_READ_ERROR",
    42: "SWITCH_CONGESTION",
    43: "ACCESS_INFO_DISCARDED",
    44: "REQUESTED_CHAN_UNAVAIL",
    50: "FACILITY_NOT_SUBSCRIBED",
    53: "OUTGOING_CALL_BARRED",
    55: "INCOMING_CALL_BARRED",
    57: "BEARERCAPABILITY_NOTAUTH",
    58: "BEARERCAPABILITY_NOTAVAIL",
    63: "SERVICE_UNAVAILABLE",
    65: "BEARERCAPABILITY_NOTIMPL",
    66: "CHAN_NOT_IMPLEMENTED",
    69: "FACILITY_NOT_IMPLEMENTED",
    79: "SERVICE_NOT_IMPLEMENTED",
    81: "INVALID_CALL_REFERENCE",
    88: "INCOMPATIBLE_DESTINATION NOT_ACCEPTABLE",
    95: "INVALID_MSG_UNSPECIFIED",
    96: "MANDATORY_IE_MISSING",
    97: "MESSAGE_TYPE_NONEXIST",
    98: "WRONG_MESSAGE",
    99: "IE_NONEXIST",
    100: "INVALID_IE_CONTENTS",
    101: "WRONG_CALL_STATE",
    102: "RECOVERY_ON_TIMER_EXPIRE",
    103: "MANDATORY_IE_LENGTH_ERROR",
    111: "PROTOCOL_ERROR",
    127: "INTERWORKING",
}
"""The names of each cause. The switch is told the first one to end a call."""
_BY_NAME: Final = {name: cause for cause, names in _NAMES.items() for name in names.split()}


def name_of(cause: Cause) -> str:
    """Return the switch's name of a cause with which a call is ended."""
    return _NAMES.get(cause, "NORMAL_UNSPECIFIED").partition(" ")[0]


def cause_of_hangup(name: str, q850: int) -> Cause:
    """Return the cause of a hangup, from the switch's name of it, else from its number."""
    return Cause(_BY_NAME.get(name) or q850 or Cause.TEMPORARY_FAILURE)
