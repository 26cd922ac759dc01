"""The enumerations of the API, with the values that its clients use."""

from enum import IntEnum

from dialer.domain.words.enum_descriptions import DescribedInt, DescribedText


class CampaignStatus(DescribedInt):
    """The status of a campaign."""

    NEW = 0, "It was created and has not been started."
    START = 1, "It dials, within its dates and its daily window."
    PAUSE = 2, "It dials nobody. Calls in progress finish. It can be started again."
    ABORD = 3, "It was aborted: calls in progress were hung up. It cannot be started again."
    """The name that the API's texts have for `ABORT`."""
    ABORT = ABORD
    END = 4, "It is over: calls in progress finish. It cannot be started again."


class SubscriberStatus(DescribedInt):
    """The status of a subscriber: one number of one campaign."""

    PENDING = 1, "To be dialled, for the first time or again."
    PAUSE = 2, "Not dialled until a user sets 1 again."
    ABORT = 3, "Will not be dialled, because a user or the end of the campaign said so."
    FAIL = 4, "Not reached, and no retries are left."
    SENT = (
        5,
        "Reached: a person answered, a message on a machine is enough, or the carrier took the text message.",
    )
    IN_PROCESS = 6, "In a call now, or a text message is on its way."
    NOT_AUTHORIZED = 7, "Refused before the dial, for example because of a do-not-call list."
    COMPLETED = (
        8,
        "Reached, and a person came to a section marked `completed`; to a transfer, once somebody took the call.",
    )


class CallRequestStatus(DescribedInt):
    """The status of one attempt to call one subscriber."""

    PENDING = 1, "Reserved. A call request begins when its call is dialled."
    FAILURE = 2, "The call reached nobody. `status_reason` says why."
    RETRY = 3, "Reserved. A further attempt is a call request of its own."
    SUCCESS = 4, "The call was answered."
    ABORT = 5, "The call was hung up because its campaign was aborted."
    PAUSE = 6, "Reserved. Only subscribers are paused."
    CALLING = 7, "The call is in progress."


class LegType(DescribedInt):
    """The side of a call that a CDR describes."""

    A_LEG = 1, "The call between the service and the callee."
    B_LEG = 2, "The call to the person to whom the callee was transferred."


class RecordingState(DescribedText):
    """The state of the recording of a whole call."""

    IN_PROGRESS = "in_progress", "The call goes on, and is recorded."
    WAITING = "waiting", "The call is over, and its recording can be heard. It is stored in a moment."
    STORED = "stored", "The recording is stored."
    FAILED = "failed", "Its sound could not be read for a day after the call, and is not looked for any more."
    REMOVED = "removed", "The recording is removed: deleted, erased, refused by the callee, or too old."


class TextState(DescribedText):
    """The state of what a recording says, as a text."""

    OFF = "off", "It is not written down."
    WAITING = "waiting", "It waits to be written down."
    DONE = "done", "It is written down; an empty text if nothing is said."
    FAILED = "failed", "It could not be written down, and is not tried any more."


class AmdStatus(DescribedInt):
    """The result of answering-machine detection."""

    PERSON = 1, "A person answered, or a callee who was taken for a machine pressed a key."
    MACHINE = 2, "An answering machine answered."
    UNSURE = 3, "Detection could not tell a person from a machine."


class AmdBehavior(DescribedInt):
    """The kinds of callee for whom a campaign plays its survey, by the result of detection."""

    ALWAYS = 1, "Play the survey to everybody who answers."
    HUMAN_ONLY = 2, "Play it to people only. A machine counts as not answered."
    VOICEMAIL_ONLY = 3, "Play it to answering machines only."


class AmdSensitivity(DescribedInt):
    """The readiness of detection to take an answer for that of a machine."""

    CAUTIOUS = 1, "Fewest people are taken for machines. About one machine in five is missed."
    BALANCED = 2, "Some people with long greetings are taken for machines, and few machines are missed."
    EAGER = 3, "Fewest machines are missed. More people are taken for machines."


class SupervisionMode(DescribedText):
    """The people who hear a supervisor in a call. The supervisor hears both sides in each mode."""

    LISTEN = "listen", "Nobody hears the supervisor."
    WHISPER = "whisper", "The agent hears the supervisor, and the callee does not."
    JOIN = "join", "Both the agent and the callee hear the supervisor."


class ConsultationMode(DescribedText):
    """The people who talk with an agent who consults a third person during a call."""

    THIRD = "third", "The agent talks with the third person, and the callee is on hold."
    CALLEE = "callee", "The agent talks with the callee, and the third person is on hold."
    ALL = "all", "All three hear each other."
    HAND_OVER = "hand_over", "The agent leaves, and the callee talks with the third person."
    END = "end", "The third person is hung up, and the agent talks with the callee."


class Consulted(DescribedInt):
    """The part of a consultation in a transfer."""

    NOT = 0, "A transfer of the callee."
    ASKED = 1, "An agent has called a third person during the call."
    HANDED_OVER = 2, "The agent has handed the callee over to the third person."


class SectionType(DescribedInt):
    """The type of a survey section."""

    PLAY_MESSAGE = 1, "Play a message."
    MULTI_CHOICE = 2, "Ask for one key out of `key_0` to `key_9`."
    RATING = 3, "Ask for a number from 1 to `rating_laps`."
    CAPTURE_DIGITS = 4, "Ask for a number of `number_digits` digits."
    RECORD_MESSAGE = 5, "Record what the callee says."
    CALL_TRANSFER = 6, "Transfer the call to `queue`, or to `phonenumber`."
    HANG_UP = 7, "Play the message, and hang up."
    CONFERENCE = 8, "Put the callee into the conference room named by `conference`."
    DNC = 9, "Put the number on the campaign's do-not-call list, play the message, and hang up."
    SMS = 10, "Send the text message `sms_text` to the callee."
    CONVERSATION = 12, "Let the program at `agent_url` talk with the callee."


class QueueStrategy(DescribedInt):
    """The order in which the agents of a queue are asked to take a call."""

    RING_ALL = 1, "All free agents at the same time."
    LONGEST_IDLE_AGENT = 2, "The agent who has been free for the longest time."
    ROUND_ROBIN = 3, "The agents in turn, after the one who was asked last."
    TOP_DOWN = 4, "The agents by level and position, always from the first one."
    AGENT_WITH_LEAST_TALK_TIME = 5, "The agent who has talked the least."
    AGENT_WITH_FEWEST_CALLS = 6, "The agent who has taken the fewest calls."
    SEQUENTIALLY_BY_AGENT_ORDER = 7, "The agent who was offered a call the longest time ago."
    RANDOM = 8, "Any free agent, by chance."
    RING_PROGRESSIVELY = 9, "One agent by level and position, and one more every 10 seconds."


class AgentStatus(DescribedInt):
    """An agent's availability for calls."""

    LOGGED_OUT = 1, "Takes no calls."
    AVAILABLE = 2, "Takes calls."
    AVAILABLE_ON_DEMAND = 3, "Takes one call, and is then on a break until set to 2 or 3 again."
    ON_BREAK = 4, "Takes no calls for now."


class AgentTelephone(DescribedText):
    """The telephone with which an agent takes calls over lines."""

    CONTACT = "contact", "The number or the extension in `contact`."
    BROWSER = "browser", "The desk of the console, or another page with WebRTC: `POST /rest-api/agent/<id>/telephone/`."


class AgentActivity(IntEnum):
    """The activity of an agent, as statistics count it. No time is counted while logged out."""

    LOGGED_OUT = 1
    AVAILABLE = 2
    TALKING = 3
    WRAPPING_UP = 4
    ON_BREAK = 5


class TransferStatus(DescribedInt):
    """The status of a transfer of a call."""

    WAITING = 1, "In a queue, or waiting for a free channel of the gateway."
    """In a queue, or waiting for a turn on the gateway."""
    CONNECTED = 2, "The callee talks with an agent or with the number."
    OVER = 3, "The transfer has ended."


class MessageStatus(DescribedText):
    """The status of one text message."""

    UNSENT = "Unsent", "Not sent yet."
    SENT = "Sent", "The carrier took the message. Its delivery is not known yet."
    DELIVERED = "Delivered", "The message arrived."
    FAILED = "Failed", "The carrier could not deliver the message."
    NO_ROUTE = "No_Route", "The carrier has no route to the number."
    UNAUTHORIZED = "Unauthorized", "The carrier refused the message."


class AgentDisposition(DescribedText):
    """The outcome of a call in the words of the agent who took it."""

    SUCCESS = "success", "The aim of the call was reached."
    NOT_INTERESTED = "not_interested", "The callee declined."
    CALL_BACK = "call_back", "The callee is to be called again, at a certain time if one is given."
    WRONG_PERSON = "wrong_person", "Somebody else has the number."
    NO_CONVERSATION = "no_conversation", "Silence, a machine, or the callee hung up at once."
    DO_NOT_CALL = "do_not_call", "No more calls are wanted. The number goes on the campaign's do-not-call list."
    OTHER = "other", "Anything else; the note says it."


class DialMethod(DescribedInt):
    """The method by which a campaign decides when the next call is due."""

    FIXED_RATE = 1, "Dial `frequency` calls a minute."
    PROGRESSIVE = 2, "Dial `agent_dial_rate` calls for each free agent of the survey's queues."
    PREDICTIVE = 3, "Dial ahead of free agents, and keep abandoned calls under `abandon_rate_max`."
    PREVIEW = 4, "Show each person to a free agent first, who calls or skips them."


class Cause(DescribedInt):
    """The reason for the end of a call: all cause values of ITU-T Q.850. Any other value counts as 41."""

    UNALLOCATED_NUMBER = 1, "the number does not exist"
    NO_ROUTE_TO_TRANSIT_NETWORK = 2, "no route to a network on the way"
    NO_ROUTE_TO_DESTINATION = 3, "the carrier has no route to the number"
    SPECIAL_INFORMATION_TONE = 4, "the network played a special information tone"
    MISDIALLED_TRUNK_PREFIX = 5, "the number has a wrong trunk prefix"
    CHANNEL_UNACCEPTABLE = 6, "the channel is not acceptable"
    CALL_AWARDED = 7, "the call was delivered in an existing channel"
    PREEMPTION = 8, "the call was pre-empted"
    CIRCUIT_RESERVED = 9, "the call was pre-empted, and its circuit is reserved"
    PORTED_NUMBER = 14, "the number was ported to another network"
    NORMAL_CLEARING = 16, "the call was answered and ended normally"
    USER_BUSY = 17, "busy"
    NO_USER_RESPONDING = 18, "the line does not respond"
    NO_ANSWER = 19, "nobody answered within `calltimeout`"
    SUBSCRIBER_ABSENT = 20, "the mobile is switched off or out of reach"
    CALL_REJECTED = 21, "the callee rejected the call"
    NUMBER_CHANGED = 22, "the number has changed"
    REDIRECTED = 23, "the call was redirected to another number"
    REJECTED_BY_FEATURE = 24, "a feature of the callee's line rejected the call"
    EXCHANGE_ROUTING_ERROR = 25, "the carrier's exchange made a routing error"
    NON_SELECTED_USER = 26, "another line of the callee took the call"
    DESTINATION_OUT_OF_ORDER = 27, "the callee's line is out of order"
    INVALID_NUMBER_FORMAT = 28, "the number is incomplete or malformed"
    FACILITY_REJECTED = 29, "the network refused a facility"
    RESPONSE_TO_STATUS_ENQUIRY = 30, "the answer to a status enquiry"
    NORMAL_UNSPECIFIED = 31, "the call ended normally, for no stated reason"
    NO_CIRCUIT = 34, "the carrier has no free circuit"
    NETWORK_OUT_OF_ORDER = 38, "the carrier's network is out of order"
    CONNECTION_OUT_OF_SERVICE = 39, "a permanent connection is out of service"
    CONNECTION_OPERATIONAL = 40, "a permanent connection is operational"
    TEMPORARY_FAILURE = 41, "the carrier failed for the moment"
    SWITCH_CONGESTION = 42, "the carrier's switch is congested"
    ACCESS_INFORMATION_DISCARDED = 43, "the network discarded access information"
    CIRCUIT_UNAVAILABLE = 44, "the requested circuit is not available"
    PRECEDENCE_CALL_BLOCKED = 46, "calls with precedence are in progress"
    RESOURCE_UNAVAILABLE = 47, "the carrier lacks resources"
    QUALITY_UNAVAILABLE = 49, "the quality of service is not available"
    FACILITY_NOT_SUBSCRIBED = 50, "the account has not subscribed to the facility"
    OUTGOING_CALLS_BARRED = 53, "outgoing calls are barred"
    INCOMING_CALLS_BARRED = 55, "the callee takes no incoming calls"
    BEARER_NOT_AUTHORIZED = 57, "the account may not use this kind of call"
    BEARER_UNAVAILABLE = 58, "this kind of call is not available now"
    INCONSISTENT_ACCESS_INFORMATION = 62, "the access information is inconsistent"
    SERVICE_UNAVAILABLE = 63, "the service is not available"
    BEARER_NOT_IMPLEMENTED = 65, "this kind of call is not supported"
    CHANNEL_TYPE_NOT_IMPLEMENTED = 66, "the type of channel is not supported"
    FACILITY_NOT_IMPLEMENTED = 69, "the facility is not supported"
    RESTRICTED_DIGITAL_ONLY = 70, "only restricted digital calls are possible"
    SERVICE_NOT_IMPLEMENTED = 79, "the service is not supported"
    INVALID_CALL_REFERENCE = 81, "the call reference is invalid"
    UNKNOWN_CHANNEL = 82, "the channel does not exist"
    UNKNOWN_CALL_IDENTITY = 83, "no suspended call has this identity"
    CALL_IDENTITY_IN_USE = 84, "the call identity is in use"
    NO_CALL_SUSPENDED = 85, "no call is suspended"
    CLEARED_CALL_IDENTITY = 86, "the suspended call was cleared"
    NOT_IN_GROUP = 87, "the callee is not in the closed user group"
    INCOMPATIBLE_DESTINATION = 88, "the callee's line cannot take this kind of call"
    UNKNOWN_GROUP = 90, "the closed user group does not exist"
    INVALID_TRANSIT_NETWORK = 91, "a network on the way is invalid"
    INVALID_MESSAGE = 95, "a message was invalid"
    ELEMENT_MISSING = 96, "a message lacked a mandatory element"
    UNKNOWN_MESSAGE_TYPE = 97, "the type of a message is unknown"
    MESSAGE_OUT_OF_PLACE = 98, "a message does not fit the state of the call"
    UNKNOWN_ELEMENT = 99, "a message had an unknown element"
    INVALID_ELEMENT = 100, "an element of a message was invalid"
    INCOMPATIBLE_STATE = 101, "a message does not fit the call's state"
    TIMER_EXPIRY = 102, "the carrier did not respond in time"
    UNKNOWN_PARAMETER_PASSED_ON = 103, "an unknown parameter was passed on"
    UNKNOWN_PARAMETER_DISCARDED = 110, "a message with an unknown parameter was discarded"
    PROTOCOL_ERROR = 111, "protocol error"
    INTERWORKING = 127, "a network on the way gave no cause"

    @classmethod
    def _missing_(cls, value: object) -> "Cause | None":
        """Return cause 41 for an integer that Q.850 does not define."""
        return cls.TEMPORARY_FAILURE if isinstance(value, int) else None
