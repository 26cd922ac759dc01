"""The allowed changes of status of campaigns and subscribers: tables, and functions that raise for other changes."""

from typing import Final

from dialer.domain.words.enums import CampaignStatus as C
from dialer.domain.words.enums import SubscriberStatus as S
from dialer.domain.words.sentences import Listed, Sentence, StateName, template

CAMPAIGN_MOVES: Final[dict[C, frozenset[C]]] = {
    C.NEW: frozenset({C.START, C.ABORT, C.END}),
    C.START: frozenset({C.PAUSE, C.ABORT, C.END}),
    C.PAUSE: frozenset({C.START, C.ABORT, C.END}),
    C.ABORT: frozenset(),
    C.END: frozenset(),
}

SUBSCRIBER_MOVES_BY_CLIENT: Final[dict[S, frozenset[S]]] = {
    S.PENDING: frozenset({S.PAUSE, S.ABORT}),
    S.PAUSE: frozenset({S.PENDING, S.ABORT}),
    S.FAIL: frozenset({S.PENDING}),
    S.ABORT: frozenset(),
    S.SENT: frozenset(),
    S.IN_PROCESS: frozenset(),
    S.NOT_AUTHORIZED: frozenset(),
    S.COMPLETED: frozenset(),
}

OPEN_SUBSCRIBERS: Final = frozenset({S.PENDING, S.PAUSE, S.IN_PROCESS})
"""Statuses of subscribers who may still be called; the others are final unless a client changes them."""


RECYCLABLE_SUBSCRIBERS: Final = frozenset({S.PAUSE, S.ABORT, S.FAIL, S.SENT, S.NOT_AUTHORIZED, S.COMPLETED})
"""Statuses of subscribers whom clients can set back to PENDING, many at once: those who are not in the queue."""
RECYCLABLE_CAMPAIGNS: Final = frozenset({C.NEW, C.START, C.PAUSE})
"""Statuses of campaigns whose subscribers can be recycled: those that may still dial."""


class IllegalMoveError(Exception):
    """An error for a change of status that the table does not allow; the message names the allowed changes."""


def move_campaign(current: C, wanted: C) -> bool:
    """Return whether a campaign's status changes; a move to the current status changes nothing.

    Raises:
        IllegalMoveError: the table does not allow the move.
    """
    return _move(current, wanted, CAMPAIGN_MOVES[current], _CAMPAIGN_REFUSAL)


def move_subscriber(current: S, wanted: S) -> bool:
    """Return whether a subscriber's status changes when a client sets it; a move to the current status changes nothing.

    Raises:
        IllegalMoveError: the table does not allow the move.
    """
    return _move(current, wanted, SUBSCRIBER_MOVES_BY_CLIENT[current], _SUBSCRIBER_REFUSAL)


_CAMPAIGN_REFUSAL: Final = template("A campaign in %(current)s cannot change to %(wanted)s. Allowed: %(ways)s.")
_SUBSCRIBER_REFUSAL: Final = template("A subscriber in %(current)s cannot change to %(wanted)s. Allowed: %(ways)s.")


def _move(current: C | S, wanted: C | S, allowed: frozenset[C] | frozenset[S], refusal: str) -> bool:
    if wanted == current:
        return False
    if wanted in allowed:
        return True
    before, after, *ways = (StateName(type(current), state) for state in (current, wanted, *sorted(allowed)))
    raise IllegalMoveError(
        Sentence(refusal, current=before, wanted=after, ways=Listed(ways) or Sentence("no other status"))
    )
