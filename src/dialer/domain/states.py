"""What may become of a campaign and of a subscriber: tables; an illegal move raises."""

from typing import Final

from dialer.domain.enums import CampaignStatus as C
from dialer.domain.enums import SubscriberStatus as S

CAMPAIGN_MOVES: Final[dict[C, frozenset[C]]] = {
    C.NEW: frozenset({C.START, C.ABORD, C.END}),
    C.START: frozenset({C.PAUSE, C.ABORD, C.END}),
    C.PAUSE: frozenset({C.START, C.ABORD, C.END}),
    C.ABORD: frozenset(),
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
"""Those of whom something may still come; all others are final until a client says otherwise."""


class IllegalMoveError(Exception):
    """Raised for a change of state that the table does not list; the message names the moves it does."""


def move_campaign(current: C, wanted: C) -> bool:
    """Whether anything changes; a move to the same state changes nothing.

    Raises:
        IllegalMoveError: the table does not list the move.
    """
    return _move(current, wanted, CAMPAIGN_MOVES[current], "campaign")


def move_subscriber(current: S, wanted: S) -> bool:
    """The same for what a client may do to a subscriber."""
    return _move(current, wanted, SUBSCRIBER_MOVES_BY_CLIENT[current], "subscriber")


def _move(current: C | S, wanted: C | S, allowed: frozenset[C] | frozenset[S], noun: str) -> bool:
    if wanted == current:
        return False
    if wanted in allowed:
        return True
    ways = ", ".join(f"{state.value} ({state.name})" for state in sorted(allowed)) or "nothing else"
    raise IllegalMoveError(f"A {noun} in {current.value} ({current.name}) may go to: {ways}.")
