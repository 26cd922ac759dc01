"""The enumerations of the API, with the values that its clients use."""

from enum import IntEnum, StrEnum


class CampaignStatus(IntEnum):
    """The status of a campaign."""

    NEW = 0
    START = 1
    PAUSE = 2
    ABORD = 3
    """The name that the API's texts have for `ABORT`."""
    END = 4
    ABORT = ABORD


class SubscriberStatus(IntEnum):
    """The status of a subscriber: one number of one campaign."""

    PENDING = 1
    PAUSE = 2
    ABORT = 3
    FAIL = 4
    SENT = 5
    IN_PROCESS = 6
    NOT_AUTHORIZED = 7
    COMPLETED = 8


class CallRequestStatus(IntEnum):
    """The status of one attempt to call one subscriber."""

    PENDING = 1
    FAILURE = 2
    RETRY = 3
    SUCCESS = 4
    ABORT = 5
    PAUSE = 6
    CALLING = 7


class LegType(IntEnum):
    """The side of a call that a CDR describes."""

    A_LEG = 1
    B_LEG = 2


class AmdStatus(IntEnum):
    """The result of answering-machine detection."""

    PERSON = 1
    MACHINE = 2
    UNSURE = 3


class AmdBehavior(IntEnum):
    """The kinds of callee for whom a campaign plays its survey, by the result of detection."""

    ALWAYS = 1
    HUMAN_ONLY = 2
    VOICEMAIL_ONLY = 3


class AmdSensitivity(IntEnum):
    """The readiness of detection to take an answer for that of a machine."""

    CAUTIOUS = 1
    BALANCED = 2
    EAGER = 3


class SectionType(IntEnum):
    """The type of a survey section."""

    PLAY_MESSAGE = 1
    MULTI_CHOICE = 2
    RATING = 3
    CAPTURE_DIGITS = 4
    RECORD_MESSAGE = 5
    CALL_TRANSFER = 6
    HANG_UP = 7
    CONFERENCE = 8
    DNC = 9
    SMS = 10


class QueueStrategy(IntEnum):
    """The order in which the agents of a queue are asked to take a call."""

    RING_ALL = 1
    LONGEST_IDLE_AGENT = 2
    ROUND_ROBIN = 3
    TOP_DOWN = 4
    AGENT_WITH_LEAST_TALK_TIME = 5
    AGENT_WITH_FEWEST_CALLS = 6
    SEQUENTIALLY_BY_AGENT_ORDER = 7
    RANDOM = 8
    RING_PROGRESSIVELY = 9


class AgentStatus(IntEnum):
    """An agent's availability for calls."""

    LOGGED_OUT = 1
    AVAILABLE = 2
    AVAILABLE_ON_DEMAND = 3
    ON_BREAK = 4


class AgentActivity(IntEnum):
    """The activity of an agent, as statistics count it. No time is counted while logged out."""

    LOGGED_OUT = 1
    AVAILABLE = 2
    TALKING = 3
    WRAPPING_UP = 4
    ON_BREAK = 5


class TransferStatus(IntEnum):
    """The status of a transfer of a call."""

    WAITING = 1
    """In a queue, or waiting for a turn on the gateway."""
    CONNECTED = 2
    OVER = 3


class MessageStatus(StrEnum):
    """The status of one text message."""

    UNSENT = "Unsent"
    SENT = "Sent"
    DELIVERED = "Delivered"
    FAILED = "Failed"
    NO_ROUTE = "No_Route"
    UNAUTHORIZED = "Unauthorized"


class AgentDisposition(StrEnum):
    """The outcome of a call in the words of the agent who took it."""

    SUCCESS = "success"
    NOT_INTERESTED = "not_interested"
    CALL_BACK = "call_back"
    WRONG_PERSON = "wrong_person"
    NO_CONVERSATION = "no_conversation"
    DO_NOT_CALL = "do_not_call"
    OTHER = "other"


class DialMethod(IntEnum):
    """The method by which a campaign decides when the next call is due."""

    FIXED_RATE = 1
    PROGRESSIVE = 2
    PREDICTIVE = 3


class Cause(IntEnum):
    """The reason for the end of a call: all cause values of ITU-T Q.850. Any other value counts as 41."""

    UNALLOCATED_NUMBER = 1
    NO_ROUTE_TO_TRANSIT_NETWORK = 2
    NO_ROUTE_TO_DESTINATION = 3
    SPECIAL_INFORMATION_TONE = 4
    MISDIALLED_TRUNK_PREFIX = 5
    CHANNEL_UNACCEPTABLE = 6
    CALL_AWARDED = 7
    PREEMPTION = 8
    CIRCUIT_RESERVED = 9
    PORTED_NUMBER = 14
    NORMAL_CLEARING = 16
    USER_BUSY = 17
    NO_USER_RESPONDING = 18
    NO_ANSWER = 19
    SUBSCRIBER_ABSENT = 20
    CALL_REJECTED = 21
    NUMBER_CHANGED = 22
    REDIRECTED = 23
    REJECTED_BY_FEATURE = 24
    EXCHANGE_ROUTING_ERROR = 25
    NON_SELECTED_USER = 26
    DESTINATION_OUT_OF_ORDER = 27
    INVALID_NUMBER_FORMAT = 28
    FACILITY_REJECTED = 29
    RESPONSE_TO_STATUS_ENQUIRY = 30
    NORMAL_UNSPECIFIED = 31
    NO_CIRCUIT = 34
    NETWORK_OUT_OF_ORDER = 38
    CONNECTION_OUT_OF_SERVICE = 39
    CONNECTION_OPERATIONAL = 40
    TEMPORARY_FAILURE = 41
    SWITCH_CONGESTION = 42
    ACCESS_INFORMATION_DISCARDED = 43
    CIRCUIT_UNAVAILABLE = 44
    PRECEDENCE_CALL_BLOCKED = 46
    RESOURCE_UNAVAILABLE = 47
    QUALITY_UNAVAILABLE = 49
    FACILITY_NOT_SUBSCRIBED = 50
    OUTGOING_CALLS_BARRED = 53
    INCOMING_CALLS_BARRED = 55
    BEARER_NOT_AUTHORIZED = 57
    BEARER_UNAVAILABLE = 58
    INCONSISTENT_ACCESS_INFORMATION = 62
    SERVICE_UNAVAILABLE = 63
    BEARER_NOT_IMPLEMENTED = 65
    CHANNEL_TYPE_NOT_IMPLEMENTED = 66
    FACILITY_NOT_IMPLEMENTED = 69
    RESTRICTED_DIGITAL_ONLY = 70
    SERVICE_NOT_IMPLEMENTED = 79
    INVALID_CALL_REFERENCE = 81
    UNKNOWN_CHANNEL = 82
    UNKNOWN_CALL_IDENTITY = 83
    CALL_IDENTITY_IN_USE = 84
    NO_CALL_SUSPENDED = 85
    CLEARED_CALL_IDENTITY = 86
    NOT_IN_GROUP = 87
    INCOMPATIBLE_DESTINATION = 88
    UNKNOWN_GROUP = 90
    INVALID_TRANSIT_NETWORK = 91
    INVALID_MESSAGE = 95
    ELEMENT_MISSING = 96
    UNKNOWN_MESSAGE_TYPE = 97
    MESSAGE_OUT_OF_PLACE = 98
    UNKNOWN_ELEMENT = 99
    INVALID_ELEMENT = 100
    INCOMPATIBLE_STATE = 101
    TIMER_EXPIRY = 102
    UNKNOWN_PARAMETER_PASSED_ON = 103
    UNKNOWN_PARAMETER_DISCARDED = 110
    PROTOCOL_ERROR = 111
    INTERWORKING = 127

    @classmethod
    def _missing_(cls, value: object) -> "Cause | None":
        """Return cause 41 for an integer that Q.850 does not define."""
        return cls.TEMPORARY_FAILURE if isinstance(value, int) else None
