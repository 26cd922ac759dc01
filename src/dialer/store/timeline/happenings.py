"""The moments of an attempt in their order, from the answer on: what a person who was there heard."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import Enum
from operator import attrgetter
from typing import Final

import msgspec

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.words.reasons import TransferReason
from dialer.store.timeline.parts import (
    AnswerPart,
    AttemptPart,
    DncPart,
    MessagePart,
    OrderPart,
    OutcomePart,
    ReceivedPart,
    TransferPart,
    VisitedSection,
)

_ABANDONED_AFTER: Final = timedelta(milliseconds=ABANDONED_AFTER_MS)
_REACHED: Final = frozenset({"", TransferReason.NOT_HANDED_OVER.value})
"""The reasons of transfers whose person was reached, once somebody answered."""


class HappeningKind(Enum):
    """The kinds of moments in a call."""

    ANSWER = "answer"
    """The callee answered a question, or made a recording."""
    SECTION = "section"
    """The call came to a section that has no answer: a message, or a question to which nothing was said."""
    JOINED = "joined"
    """The call joined a queue."""
    ABANDONED = "abandoned"
    """No agent took the call within the two seconds that regulation allows."""
    DIALLED = "dialled"
    """A number was dialled for the callee."""
    TAKEN = "taken"
    """An agent, or the person at the number, took the call."""
    UNSERVED = "unserved"
    """The call stopped waiting, the number could not be reached, or the person there did not get the callee."""
    MESSAGE = "message"
    """A text message was sent."""
    ORDER = "order"
    """The callee was on hold, or a supervisor heard the call."""
    OUTCOME = "outcome"
    """The agent said what came of the call."""
    WISH = "wish"
    """The person asked not to be called again."""
    RECEIVED = "received"
    """A text message came in from the person."""


class Happening(msgspec.Struct, frozen=True):
    """A moment of an attempt, and the part of the story to which it belongs."""

    at: datetime
    kind: HappeningKind
    part: AnswerPart | VisitedSection | TransferPart | OrderPart | OutcomePart | MessagePart | DncPart | ReceivedPart


def happenings_of(attempt: AttemptPart) -> list[Happening]:
    """Return the moments of an attempt from its answer on, in their order.

    The answer of a transfer only repeats where the call went, so it is left out beside its transfer.
    """
    found = [
        *(moment for transfer in attempt.transfers for moment in _of_transfer(transfer)),
        *(
            Happening(answer.at, HappeningKind.ANSWER, answer)
            for answer in attempt.answers
            if not (answer.is_transfer and attempt.transfers)
        ),
        *(Happening(section.at, HappeningKind.SECTION, section) for section in attempt.sections),
        *(Happening(order.at, HappeningKind.ORDER, order) for order in attempt.orders),
        *(Happening(outcome.at, HappeningKind.OUTCOME, outcome) for outcome in attempt.outcomes),
        *(Happening(message.at, HappeningKind.MESSAGE, message) for message in attempt.messages),
        *(Happening(text.at, HappeningKind.RECEIVED, text) for text in attempt.received),
        *(Happening(wish.since, HappeningKind.WISH, wish) for wish in attempt.wishes if wish.since is not None),
    ]
    return sorted(found, key=attrgetter("at"))


def wait_of(attempt: AttemptPart) -> TransferPart | None:
    """Return the wait of a call for an agent: the first abandoned one, else the last one; None if it had none."""
    waits = [transfer for transfer in attempt.transfers if transfer.has_queued or transfer.queue]
    return next((one for one in waits if one.is_abandoned), waits[-1] if waits else None)


def _of_transfer(transfer: TransferPart) -> Iterator[Happening]:
    if transfer.has_queued:
        yield Happening(transfer.at, HappeningKind.JOINED, transfer)
    elif not transfer.reason or transfer.started is not None:
        yield Happening(transfer.at, HappeningKind.DIALLED, transfer)
    if transfer.is_abandoned:
        yield Happening(transfer.at + _ABANDONED_AFTER, HappeningKind.ABANDONED, transfer)
    if transfer.answered is not None and transfer.reason in _REACHED:
        yield Happening(transfer.answered, HappeningKind.TAKEN, transfer)
    if transfer.reason:
        yield Happening(transfer.ended or transfer.answered or transfer.at, HappeningKind.UNSERVED, transfer)
