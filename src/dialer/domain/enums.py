"""The enumerations of the API, with the values its clients know."""

from enum import IntEnum, StrEnum


class CampaignStatus(IntEnum):
    """Where a campaign stands in its life."""

    NEW = 0
    START = 1
    PAUSE = 2
    ABORD = 3
    END = 4


class SubscriberStatus(IntEnum):
    """Where one number of one campaign stands."""

    PENDING = 1
    PAUSE = 2
    ABORT = 3
    FAIL = 4
    SENT = 5
    IN_PROCESS = 6
    NOT_AUTHORIZED = 7
    COMPLETED = 8


class CallRequestStatus(IntEnum):
    """Where one attempt to call one subscriber stands."""

    PENDING = 1
    FAILURE = 2
    RETRY = 3
    SUCCESS = 4
    ABORT = 5
    PAUSE = 6
    CALLING = 7


class LegType(IntEnum):
    """Which side of a call a CDR is about."""

    A_LEG = 1
    B_LEG = 2


class AmdStatus(IntEnum):
    """What answering-machine detection took the callee for."""

    PERSON = 1
    MACHINE = 2
    UNSURE = 3


class AmdBehavior(IntEnum):
    """Whom a campaign plays its survey to, once detection has spoken."""

    ALWAYS = 1
    HUMAN_ONLY = 2
    VOICEMAIL_ONLY = 3


class SectionType(IntEnum):
    """What a section of a survey does."""

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
    """Which agent is offered a call first."""

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
    """Whether an agent takes calls."""

    LOGGED_OUT = 1
    AVAILABLE = 2
    AVAILABLE_ON_DEMAND = 3
    ON_BREAK = 4


class TransferStatus(IntEnum):
    """Where a transfer of a call stands."""

    WAITING = 1
    """In a queue, or for its turn on the gateway."""
    CONNECTED = 2
    OVER = 3


class MessageStatus(StrEnum):
    """Where one text message stands."""

    UNSENT = "Unsent"
    SENT = "Sent"
    DELIVERED = "Delivered"
    FAILED = "Failed"
    NO_ROUTE = "No_Route"
    UNAUTHORIZED = "Unauthorized"


class DialMethod(IntEnum):
    """How a campaign decides when the next call is due."""

    FIXED_RATE = 1
    PROGRESSIVE = 2
    PREDICTIVE = 3


class Cause(IntEnum):
    """Why a call ended: ITU-T Q.850 cause values."""

    UNALLOCATED_NUMBER = 1
    NORMAL_CLEARING = 16
    USER_BUSY = 17
    NO_USER_RESPONDING = 18
    NO_ANSWER = 19
    CALL_REJECTED = 21
    NUMBER_CHANGED = 22
    INVALID_NUMBER_FORMAT = 28
    NO_CIRCUIT = 34
    NETWORK_OUT_OF_ORDER = 38
    TEMPORARY_FAILURE = 41
    SWITCH_CONGESTION = 42
    TIMER_EXPIRY = 102
    PROTOCOL_ERROR = 111
    INTERWORKING = 127
