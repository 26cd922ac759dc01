"""Claims of subscribers that are not answered yet, and the decisions that wait for the answers."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from dialer.domain.calls.campaign_effects import ClaimAgain, ClaimFresh, ClaimOffered, ClaimRetries
from dialer.domain.calls.campaign_events import FreshClaimed, RetriesClaimed
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.state import EngineState


class Claims:
    """The claims of all campaigns. No decision is made until all are answered."""

    def __init__(self, engine_state: EngineState) -> None:
        self._state: Final = engine_state
        self.under_way = 0
        """Number of claims without an answer."""
        self._chunks: Final = set[ClaimFresh | ClaimRetries]()
        """The claims of chunks that were made since all were answered last: another one would read the same people."""
        self._deferred: deque[Callable[[int], None]] = deque()
        """Decisions that wait, in order, for the answer to a claim.

        The order of dials must not depend on which subscribers happen to be in memory.
        """

    def make(self, claim: ClaimFresh | ClaimRetries | ClaimAgain | ClaimOffered) -> None:
        """Claim subscribers, unless this claim is open already. No decision is made until they are read."""
        if isinstance(claim, ClaimFresh | ClaimRetries):
            if claim in self._chunks:
                return
            self._chunks.add(claim)
        self.under_way += 1
        self._state.emit(claim)

    def are_open(self) -> bool:
        """Return whether a claim is without an answer, possibly one made during the current decision."""
        return self.under_way > 0

    def defer(self, decision: Callable[[int], None]) -> None:
        """Make a decision after those that wait already."""
        self._deferred.append(decision)

    def defer_first(self, decision: Callable[[int], None]) -> None:
        """Continue with a decision, which needs a claim, before those that wait already."""
        self._deferred.appendleft(decision)

    def answered(self, now_ms: int) -> None:
        """Continue with the decisions that waited for a claim, until one of them needs another claim."""
        self.under_way -= 1
        if not self.under_way:
            self._chunks.clear()
        while self._deferred and not self.under_way:
            self._deferred.popleft()(now_ms)

    def fill_fresh(self, now_ms: int, event: FreshClaimed) -> None:
        """Add claimed subscribers who were never called to the campaign's hopper."""
        campaign = self._state.campaigns.get(event.campaign_id)
        if campaign is not None:  # The campaign may have ended since its claim.
            if campaign.plan.ruled:
                self._note_read(event.subscribers)
            campaign.hopper.add_fresh(event.zone, event.subscribers, is_last=event.is_last)
        self.answered(now_ms)

    def fill_retries(self, now_ms: int, event: RetriesClaimed) -> None:
        """Add claimed subscribers who wait for a retry to the campaign's hopper."""
        campaign = self._state.campaigns.get(event.campaign_id)
        if campaign is not None:
            if campaign.plan.ruled:
                self._note_read(event.subscribers)
            campaign.hopper.add_retries(event.zone, event.subscribers, is_last=event.is_last)
        self.answered(now_ms)

    def _note_read(self, subscribers: Iterable[Subscriber]) -> None:
        """Note up to which contact people were read, whose contacts a rule counts."""
        for subscriber in subscribers:
            subscriber.read_at = self._state.contacts.last
