"""Q.850 causes of calls that end in FreeSWITCH.

Its names are those of `switch_channel_str2cause`. It has causes of its own above 127, and reports all of them as 16 in
`hangup_cause_q850`, so the name counts first.
"""

from typing import Final

from dialer.domain.enums import Cause

_BY_NAME: Final = {
    "UNALLOCATED_NUMBER": 1,
    "NO_ROUTE_TRANSIT_NET": 2,
    "NO_ROUTE_DESTINATION": 3,
    "CHANNEL_UNACCEPTABLE": 6,
    "CALL_AWARDED_DELIVERED": 7,
    "NORMAL_CLEARING": 16,
    "USER_BUSY": 17,
    "NO_USER_RESPONSE": 18,
    "NO_ANSWER": 19,
    "SUBSCRIBER_ABSENT": 20,
    "CALL_REJECTED": 21,
    "NUMBER_CHANGED": 22,
    "REDIRECTION_TO_NEW_DESTINATION": 23,
    "EXCHANGE_ROUTING_ERROR": 25,
    "DESTINATION_OUT_OF_ORDER": 27,
    "INVALID_NUMBER_FORMAT": 28,
    "FACILITY_REJECTED": 29,
    "RESPONSE_TO_STATUS_ENQUIRY": 30,
    "NORMAL_UNSPECIFIED": 31,
    "NORMAL_CIRCUIT_CONGESTION": 34,
    "NETWORK_OUT_OF_ORDER": 38,
    "NORMAL_TEMPORARY_FAILURE": 41,
    "SWITCH_CONGESTION": 42,
    "ACCESS_INFO_DISCARDED": 43,
    "REQUESTED_CHAN_UNAVAIL": 44,
    "PRE_EMPTED": 8,
    "FACILITY_NOT_SUBSCRIBED": 50,
    "OUTGOING_CALL_BARRED": 53,
    "INCOMING_CALL_BARRED": 55,
    "BEARERCAPABILITY_NOTAUTH": 57,
    "BEARERCAPABILITY_NOTAVAIL": 58,
    "SERVICE_UNAVAILABLE": 63,
    "BEARERCAPABILITY_NOTIMPL": 65,
    "CHAN_NOT_IMPLEMENTED": 66,
    "FACILITY_NOT_IMPLEMENTED": 69,
    "SERVICE_NOT_IMPLEMENTED": 79,
    "INVALID_CALL_REFERENCE": 81,
    "INCOMPATIBLE_DESTINATION": 88,
    "INVALID_MSG_UNSPECIFIED": 95,
    "MANDATORY_IE_MISSING": 96,
    "MESSAGE_TYPE_NONEXIST": 97,
    "WRONG_MESSAGE": 98,
    "IE_NONEXIST": 99,
    "INVALID_IE_CONTENTS": 100,
    "WRONG_CALL_STATE": 101,
    "RECOVERY_ON_TIMER_EXPIRE": 102,
    "MANDATORY_IE_LENGTH_ERROR": 103,
    "PROTOCOL_ERROR": 111,
    "INTERWORKING": 127,
    # FreeSWITCH's own
    "SUCCESS": 16,
    "ORIGINATOR_CANCEL": 16,
    "CRASH": 41,
    "SYSTEM_SHUTDOWN": 41,
    "LOSE_RACE": 16,
    "MANAGER_REQUEST": 16,
    "BLIND_TRANSFER": 16,
    "ATTENDED_TRANSFER": 16,
    "ALLOTTED_TIMEOUT": 16,
    "USER_CHALLENGE": 21,
    "MEDIA_TIMEOUT": 41,
    "PICKED_OFF": 16,
    "USER_NOT_REGISTERED": 20,
    "PROGRESS_TIMEOUT": 18,
    "INVALID_GATEWAY": 38,
    "GATEWAY_DOWN": 38,
    "INVALID_URL": 38,
    "INVALID_PROFILE": 38,
    "NO_PICKUP": 19,
    "SRTP_READ_ERROR": 41,
    "BOWOUT": 16,
    "BUSY_EVERYWHERE": 17,
    "DECLINE": 21,
    "DOES_NOT_EXIST_ANYWHERE": 1,
    "NOT_ACCEPTABLE": 88,
    "UNWANTED": 21,
    "NO_IDENTITY": 21,
    "BAD_IDENTITY_INFO": 21,
    "UNSUPPORTED_CERTIFICATE": 21,
    "INVALID_IDENTITY": 21,
    "STALE_DATE": 21,
    "REJECT_ALL": 21,
}


_NAMES: Final = {cause: name for name, cause in reversed(_BY_NAME.items())}


def name_of(cause: Cause) -> str:
    """Return the switch's name of a cause with which a call is ended."""
    return _NAMES.get(cause, "NORMAL_UNSPECIFIED")


def cause_of_hangup(name: str, q850: int) -> Cause:
    """Return the cause of a hangup, from the switch's name of it, else from its number."""
    return Cause(_BY_NAME.get(name) or q850 or Cause.TEMPORARY_FAILURE)
