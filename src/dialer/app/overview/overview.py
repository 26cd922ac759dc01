"""The overview of a user, or of all: the present, the figures of today, and the campaigns in progress."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.app.overview.live_overview import LiveOverview, read_live_overview
from dialer.domain.figures.statistics import Figures, Grouping, SubscriberState
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls, count_tests
from dialer.store.rows.subscriber_counts import subscribers_of_campaigns
from dialer.store.tables import User


class People(NamedTuple):
    """The people of a campaign, counted by their progress: reached, waiting, not reached, and others."""

    reached: int = 0
    """Those who answered, whose machine heard a message that is enough, or who got the text message."""
    waiting: int = 0
    """Those to be called, or in a call."""
    unreached: int = 0
    """Those who were not reached, with no retries left: nobody answered, or the line was busy."""
    machines: int = 0
    """Those whose answering machine answered last, with no retries left."""
    refused: int = 0
    """Those who must not be called, and those who were called off."""

    @property
    def total(self) -> int:
        """Return the number of people in all states together."""
        return sum(self)


class Overview(NamedTuple):
    """The overview; money in integers of 1e-5."""

    situation: LiveOverview
    today: Figures
    tests: Figures
    """Those of today's tests of campaigns, which are not in `today`."""
    people: dict[int, People]
    """The people of each campaign in progress, by its id."""
    balance: int
    """The balance of the user who looks, without what calls in progress hold."""


def read_overview(connection: Connection, now_ms: int, viewer_id: int, today: Hours, *, of_all: bool) -> Overview:
    """Return the overview of a user, or of all users. Its cost does not grow with the calls that are over."""
    scope = WhoseCalls(user_id=None if of_all else viewer_id)
    situation = read_live_overview(connection, now_ms, scope.user_id)
    totals = count_calls(connection, scope, Grouping.TOTAL, today, 1, by_hour=False)
    free = select(User.balance - User.held).where(User.id == viewer_id)
    return Overview(
        situation,
        totals[0].figures if totals else Figures(),
        count_tests(connection, scope, today),
        people_of_campaigns(connection, [now.campaign.id for now in situation.campaigns]),
        int(connection.scalar(free) or 0),
    )


_PLACES = {
    SubscriberStatus.SENT: 0,
    SubscriberStatus.COMPLETED: 0,
    SubscriberStatus.PENDING: 1,
    SubscriberStatus.IN_PROCESS: 1,
    SubscriberStatus.PAUSE: 1,
    SubscriberStatus.FAIL: 2,
}
_MACHINE: Final = People._fields.index("machines")


def people_of_campaigns(connection: Connection, campaign_ids: Collection[int]) -> dict[int, People]:
    """Return the people of each of the campaigns by how far it has come with them."""
    states = subscribers_of_campaigns(connection, campaign_ids)
    return {campaign_id: people_in(counts) for campaign_id, counts in states.items()}


def people_in(states: Iterable[SubscriberState]) -> People:
    """Return people by how far a campaign has come with them, from their numbers in each state."""
    counts = [0] * len(People._fields)
    for state in states:
        is_machine = state.status == SubscriberStatus.FAIL and state.status_reason == SubscriberReason.MACHINE
        place = _MACHINE if is_machine else _PLACES.get(state.status, len(counts) - 1)  # type: ignore[call-overload]
        counts[place] += state.subscribers
    return People(*counts)
