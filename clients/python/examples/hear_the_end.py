"""Start a campaign, and hear its end by events: DIALER_API_KEY=dk_… python hear_the_end.py URL CAMPAIGN."""

import os
import sys

from dialer_client import connect, done, follow
from dialer_client.api.campaigns import change_campaign, read_campaign
from dialer_client.api.events import switch_events
from dialer_client.models import (
    CallEndedEvent,
    CampaignAbortedEvent,
    CampaignChange,
    CampaignEndedEvent,
    CampaignPausedEvent,
    CampaignStatus,
    EventsChange,
)


def main(url: str, campaign: int) -> None:
    """Start the campaign, print how each call ends, and return when no more calls come."""
    with connect(url, os.environ["DIALER_API_KEY"]) as client:
        done(switch_events.sync_detailed(client=client, body=EventsChange(enabled=True)))
        with follow(client, campaign=campaign) as events:
            start = CampaignChange(status=CampaignStatus.START)
            done(change_campaign.sync_detailed(campaign, client=client, body=start))
            for event in events:
                if isinstance(event, CallEndedEvent):
                    print(f"Call {event.data.call}: {event.data.state}, cause {event.data.cause}", flush=True)
                elif isinstance(event, CampaignEndedEvent | CampaignPausedEvent | CampaignAbortedEvent):
                    record = done(read_campaign.sync_detailed(campaign, client=client))
                    print(f"{event.data.state}: {event.data.reason}. {record.answered} answered.")
                    return


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
