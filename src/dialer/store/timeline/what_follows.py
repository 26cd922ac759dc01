"""The words after an attempt: whether another one follows, and why."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import structs
from sqlalchemy import RowMapping

from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES
from dialer.domain.engine.retry import NEVER_RETRIED
from dialer.domain.words.enums import MessageStatus, SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.domain.words.sentences import Length, Moment, Sentence, template
from dialer.store.timeline.parts import AttemptPart, moment

_WHY_NOT: Final = {
    SubscriberStatus.COMPLETED: template("not tried again: the survey was completed"),
    SubscriberStatus.SENT: template("not tried again: this attempt reached the person"),
    SubscriberStatus.ABORT: template("not tried again: the person or the campaign was called off"),
    SubscriberStatus.PAUSE: template("not tried again: a user has put the person on hold"),
    SubscriberStatus.NOT_AUTHORIZED: template("not tried again: the number may not be called"),
}
"""The reasons why no attempt follows the last one, by the status of the subscriber."""
_WHY_NOT_BY_REASON: Final[Mapping[str, str]] = {
    SubscriberReason.MESSAGE_LEFT: template("not tried again: an answering machine heard the message, which is enough"),
    SubscriberReason.NO_RECEIPT: template("not tried again: the carrier took the text message"),
    SubscriberReason.ABANDONED: template("not tried again: no agent took the call in time"),
}
"""The reasons that say more than the status."""


def with_what_follows(
    attempts: Sequence[AttemptPart], campaign: RowMapping, subscriber: RowMapping
) -> list[AttemptPart]:
    """Return the attempts at a subscriber, each with the words for what follows it."""
    outgoing = [one for one in attempts if one.attempt > 0]
    then: dict[int, str] = {one.attempt: _then(one, later) for one, later in pairwise(outgoing)}
    if outgoing:
        then[outgoing[-1].attempt] = _after_the_last(outgoing[-1], campaign, subscriber)
    return [structs.replace(one, then=then.get(one.attempt, "")) for one in attempts]


def _then(one: AttemptPart, later: AttemptPart) -> Sentence:
    length = Length((later.at - (one.ended or one.at)).total_seconds())
    return Sentence("tried again %(length)s after its end", length=length)


def _after_the_last(one: AttemptPart, campaign: RowMapping, subscriber: RowMapping) -> str:
    status = SubscriberStatus(subscriber["status"])
    if one.ended is None:
        return ""
    if status is SubscriberStatus.PENDING:
        return _when_due(subscriber)
    why = _WHY_NOT_BY_REASON.get(subscriber["status_reason"]) or _WHY_NOT.get(status)
    if why is not None:
        return Sentence(why)
    if status is not SubscriberStatus.FAIL:
        return Sentence("not tried again: the subscriber is %(status)s", status=status.name)
    return _why_it_failed(one, campaign)


def _when_due(subscriber: RowMapping) -> Sentence:
    due = Moment(f"{moment(subscriber['due_ms']):%Y-%m-%d %H:%M:%S} UTC")
    if subscriber["abandoned_count"]:
        return Sentence("to be tried again with an agent who is kept for the call, due %(due)s", due=due)
    return Sentence("to be tried again, due %(due)s", due=due)


def _why_it_failed(last: AttemptPart, campaign: RowMapping) -> Sentence:
    if last.hangup_cause_q850 in {int(cause) for cause in NEVER_RETRIED} or last.status == MessageStatus.NO_ROUTE:
        return Sentence("not tried again: the number is wrong")
    is_of_carrier = last.hangup_cause_q850 in CARRIER_FAILURES
    count = campaign["maxretry"] + (campaign["carrier_maxretry"] if is_of_carrier else 0)
    return Sentence("not tried again: further attempts that the campaign allows: %(count)s", count=count)
