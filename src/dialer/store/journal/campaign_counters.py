"""The growth of a campaign's counters within a step."""

from dialer.store.journal.rows import CampaignGrowth


class GrowingCampaign:
    """Growth of a campaign's counters since the last flush."""

    __slots__ = ("abandoned", "answered", "calls", "completed", "cost", "live_answered", "next_dial_us")

    def __init__(self) -> None:
        self.calls = self.answered = self.completed = self.cost = self.live_answered = self.abandoned = 0
        self.next_dial_us: int | None = None

    def row(self, campaign_id: int) -> CampaignGrowth:
        """Return the growth as values of an UPDATE."""
        return CampaignGrowth(
            self.calls,
            self.answered,
            self.completed,
            self.cost,
            self.live_answered,
            self.abandoned,
            self.next_dial_us,
            campaign_id,
        )
