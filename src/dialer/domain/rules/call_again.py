"""Calling again: the people of a campaign that is over whom a new campaign may call, by what came of their calls."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from dialer.domain.words.enums import AgentDisposition, AmdBehavior, AmdStatus, SubscriberStatus
from dialer.domain.words.reasons import Reason, SubscriberReason


class AgainOutcome(Reason):
    """The outcomes by which people of an ended campaign can be called again. Each person has exactly one."""

    NOT_CALLED = "not_called", "they were not called yet"
    BUSY = SubscriberReason.BUSY.value, SubscriberReason.BUSY.meaning
    NO_ANSWER = SubscriberReason.NO_ANSWER.value, SubscriberReason.NO_ANSWER.meaning
    MACHINE = "machine", "an answering machine answered"
    ABANDONED = SubscriberReason.ABANDONED.value, "they waited for an agent, and none came in time"
    CALL_BACK = "call_back", "they were to be called back, and were not"
    CARRIER_FAILURE = SubscriberReason.CARRIER_FAILURE.value, SubscriberReason.CARRIER_FAILURE.meaning
    NOT_DELIVERED = SubscriberReason.NOT_DELIVERED.value, SubscriberReason.NOT_DELIVERED.meaning
    NOT_COMPLETED = "not_completed", "they hung up before the end of the survey"
    NOT_SERVED = SubscriberReason.NOT_SERVED.value, "they were to be transferred, and nobody took the call"
    NO_CONVERSATION = "no_conversation", "the agent heard silence or a machine, or they hung up at once"
    REJECTED = "rejected", "they rejected the call"
    ABORTED = "aborted", "the campaign was aborted during a call to them, or before the next one"
    PAUSED = "paused", "a user had put them on hold"
    NO_ROUTE = SubscriberReason.NO_ROUTE.value, SubscriberReason.NO_ROUTE.meaning
    NO_TEXT = "no_text", "the text message to them was empty"
    INVALID_NUMBER = SubscriberReason.INVALID_NUMBER.value, SubscriberReason.INVALID_NUMBER.meaning
    NUMBER_CHANGED = SubscriberReason.NUMBER_CHANGED.value, SubscriberReason.NUMBER_CHANGED.meaning
    DESTINATION = "destination", "the account was not allowed to call their numbers, or their country"
    TZ_UNKNOWN = SubscriberReason.TZ_UNKNOWN.value, SubscriberReason.TZ_UNKNOWN.meaning
    CONSENTED = "consented", "they had not given the consent that the campaign needs, and have since"


class NotAgain(Reason):
    """The reasons why people are not called again, whichever outcomes are chosen."""

    DONE = "done", "they were reached"
    MESSAGE_LEFT = "message_left", "an answering machine heard the message, which is enough for the campaign"
    REFUSED = "refused", "an agent noted that they declined, or that somebody else has the number"
    DNC = "dnc", "the number is on a do-not-call list"
    NO_CONSENT = "no_consent", "there is no consent of them that the campaign needs"
    DELETED = "deleted", "the contact was deleted or erased, or has another number now"
    EMERGENCY = "emergency", "the number is an emergency number, which is never dialled"
    STOPPED = "stopped", "a user has taken them out of the campaign"
    IN_PROGRESS = "in_progress", "a call or a message is in progress"
    CALLED_AGAIN = "called_again", "they are in another campaign that calls people of this one again"
    TOO_OLD = "too_old", "the records of calls to them may have been removed, so what came of them is unknown"


USUAL: Final = frozenset(
    {
        AgainOutcome.NOT_CALLED,
        AgainOutcome.BUSY,
        AgainOutcome.NO_ANSWER,
        AgainOutcome.MACHINE,
        AgainOutcome.ABANDONED,
        AgainOutcome.NOT_SERVED,
        AgainOutcome.CALL_BACK,
        AgainOutcome.CARRIER_FAILURE,
        AgainOutcome.NOT_DELIVERED,
        AgainOutcome.CONSENTED,
    }
)
"""The outcomes of people who were not reached, through no wish of theirs: a form proposes these."""
_REFUSALS: Final = frozenset(
    {AgentDisposition.NOT_INTERESTED, AgentDisposition.WRONG_PERSON, AgentDisposition.DO_NOT_CALL}
)
_BY_REASON: Final[Mapping[str, AgainOutcome]] = {
    **{
        reason.value: AgainOutcome(reason)
        for reason in (
            SubscriberReason.BUSY,
            SubscriberReason.NO_ANSWER,
            SubscriberReason.MACHINE,
            SubscriberReason.CARRIER_FAILURE,
            SubscriberReason.NOT_DELIVERED,
            SubscriberReason.NOT_COMPLETED,
            SubscriberReason.NOT_SERVED,
            SubscriberReason.ABANDONED,
            SubscriberReason.REJECTED,
            SubscriberReason.NO_ROUTE,
            SubscriberReason.NO_TEXT,
            SubscriberReason.INVALID_NUMBER,
            SubscriberReason.NUMBER_CHANGED,
            SubscriberReason.DESTINATION,
            SubscriberReason.TZ_UNKNOWN,
        )
    },
    SubscriberReason.NO_CONSENT.value: AgainOutcome.CONSENTED,
}
_BY_REASON_OF_REFUSAL: Final[Mapping[str, NotAgain]] = {
    SubscriberReason.DNC: NotAgain.DNC,
    SubscriberReason.EMERGENCY: NotAgain.EMERGENCY,
    SubscriberReason.CONTACT_DELETED: NotAgain.DELETED,
    SubscriberReason.NUMBER_CORRECTED: NotAgain.DELETED,
    SubscriberReason.ERASED: NotAgain.DELETED,
}


_AT_REST: Final = frozenset(SubscriberStatus) - {SubscriberStatus.IN_PROCESS}


class CallsOfPerson(NamedTuple):
    """The calls that one person had, as far as they matter: the last one, and the words of agents about any."""

    amd_status: int | None = None
    """The `AmdStatus` of the last call."""
    waited_in_vain: bool = False
    """True if the last call waited for an agent, and none took it."""
    last_disposition: str = ""
    dispositions: frozenset[str] = frozenset()
    has_called_in: bool = False
    """True if they completed the survey in a call of their own."""
    is_completed_by_machine: bool = False
    """True if the last call was completed by a machine, as earlier versions allowed."""
    has_consented: bool = False
    """True if there is a consent of them now that the campaign needs."""


NO_CALLS: Final = CallsOfPerson()


class PlayedTo(NamedTuple):
    """The settings of the campaign by which its calls are judged."""

    has_completion: bool
    """True if its survey has a section marked `completed`."""
    amd_behavior: int
    machine_is_reached: bool = False
    """True if a message on an answering machine is enough."""

    @property
    def is_message_enough(self) -> bool:
        """Return whether people are reached by a message that their answering machine has heard."""
        return self.machine_is_reached or self.amd_behavior == AmdBehavior.VOICEMAIL_ONLY


_ANSWERED: Final = frozenset({SubscriberStatus.SENT, SubscriberStatus.COMPLETED})


def judge(
    status: int, reason: str, attempts: int, calls: CallsOfPerson, played_to: PlayedTo
) -> AgainOutcome | NotAgain:
    """Return the outcome with which a subscriber can be called again, or why they are not.

    A status that this version does not know counts as a call in progress.
    """
    never = _never(status, reason, calls)
    if never is not None:
        return never
    if status in _ANSWERED:
        return _after_answer(reason, calls, played_to)
    if status == SubscriberStatus.PAUSE:
        return AgainOutcome.PAUSED
    if status == SubscriberStatus.ABORT:
        return AgainOutcome.ABORTED if attempts else AgainOutcome.NOT_CALLED
    if status == SubscriberStatus.PENDING and calls.last_disposition == AgentDisposition.CALL_BACK:
        return AgainOutcome.CALL_BACK
    is_waiting = status == SubscriberStatus.PENDING
    return _BY_REASON.get(reason, AgainOutcome.NOT_CALLED if is_waiting else AgainOutcome.CARRIER_FAILURE)


def _never(status: int, reason: str, calls: CallsOfPerson) -> NotAgain | None:
    """Return why a subscriber is not called again, whatever the outcome of the last call; None if nothing says so."""
    is_completed = status == SubscriberStatus.COMPLETED and not calls.is_completed_by_machine
    if is_completed or calls.has_called_in or AgentDisposition.SUCCESS in calls.dispositions:
        return NotAgain.DONE
    if calls.dispositions & _REFUSALS:
        return NotAgain.REFUSED
    if reason == SubscriberReason.NO_CONSENT and not calls.has_consented:
        return NotAgain.NO_CONSENT
    if reason in _BY_REASON_OF_REFUSAL:
        return _BY_REASON_OF_REFUSAL[reason]
    if status == SubscriberStatus.ABORT and reason != SubscriberReason.ABORTED:
        return NotAgain.STOPPED
    return None if status in _AT_REST else NotAgain.IN_PROGRESS


def _after_answer(reason: str, calls: CallsOfPerson, played_to: PlayedTo) -> AgainOutcome | NotAgain:
    """Return the outcome of a call that was answered: an answer alone does not say that a person was reached."""
    if calls.last_disposition == AgentDisposition.CALL_BACK:
        return AgainOutcome.CALL_BACK
    if calls.last_disposition == AgentDisposition.NO_CONVERSATION:
        return AgainOutcome.NO_CONVERSATION
    if calls.waited_in_vain:
        return AgainOutcome.ABANDONED
    if reason == SubscriberReason.NOT_SERVED and not calls.last_disposition:
        return AgainOutcome.NOT_SERVED
    if reason == SubscriberReason.MESSAGE_LEFT or calls.amd_status == AmdStatus.MACHINE:
        is_enough = reason == SubscriberReason.MESSAGE_LEFT or played_to.is_message_enough
        return NotAgain.MESSAGE_LEFT if is_enough else AgainOutcome.MACHINE
    return _after_person(calls, played_to)


def _after_person(calls: CallsOfPerson, played_to: PlayedTo) -> AgainOutcome | NotAgain:
    is_finished = not played_to.has_completion or bool(calls.last_disposition)
    return NotAgain.DONE if is_finished else AgainOutcome.NOT_COMPLETED
