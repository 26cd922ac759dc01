"""Tests of status changes: every pair of statuses, listed a second time."""

from itertools import product

import pytest

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.states import IllegalMoveError, move_campaign, move_subscriber

CAMPAIGN_MOVES = {
    (CampaignStatus.NEW, CampaignStatus.START),
    (CampaignStatus.NEW, CampaignStatus.ABORT),
    (CampaignStatus.NEW, CampaignStatus.END),
    (CampaignStatus.START, CampaignStatus.PAUSE),
    (CampaignStatus.START, CampaignStatus.ABORT),
    (CampaignStatus.START, CampaignStatus.END),
    (CampaignStatus.PAUSE, CampaignStatus.START),
    (CampaignStatus.PAUSE, CampaignStatus.ABORT),
    (CampaignStatus.PAUSE, CampaignStatus.END),
}
SUBSCRIBER_MOVES = {
    (SubscriberStatus.PAUSE, SubscriberStatus.PENDING),
    (SubscriberStatus.FAIL, SubscriberStatus.PENDING),
    (SubscriberStatus.PENDING, SubscriberStatus.PAUSE),
    (SubscriberStatus.PENDING, SubscriberStatus.ABORT),
    (SubscriberStatus.PAUSE, SubscriberStatus.ABORT),
}


@pytest.mark.parametrize(("current", "wanted"), list(product(CampaignStatus, repeat=2)))
def test_a_campaign_moves_as_listed_and_no_other_way(current: CampaignStatus, wanted: CampaignStatus) -> None:
    if current is wanted or (current, wanted) in CAMPAIGN_MOVES:
        assert move_campaign(current, wanted) is (current is not wanted)
    else:
        with pytest.raises(IllegalMoveError):
            move_campaign(current, wanted)


@pytest.mark.parametrize(("current", "wanted"), list(product(SubscriberStatus, repeat=2)))
def test_a_client_moves_a_subscriber_as_listed_and_no_other_way(
    current: SubscriberStatus, wanted: SubscriberStatus
) -> None:
    if current is wanted or (current, wanted) in SUBSCRIBER_MOVES:
        assert move_subscriber(current, wanted) is (current is not wanted)
    else:
        with pytest.raises(IllegalMoveError):
            move_subscriber(current, wanted)


@pytest.mark.parametrize(
    ("current", "wanted", "message"),
    [
        (
            CampaignStatus.START,
            CampaignStatus.NEW,
            "A campaign in 1 (START) cannot change to 0 (NEW). Allowed: 2 (PAUSE), 3 (ABORD), 4 (END).",
        ),
        (
            CampaignStatus.END,
            CampaignStatus.START,
            "A campaign in 4 (END) cannot change to 1 (START). Allowed: no other status.",
        ),
    ],
)
def test_a_refusal_names_the_moves_there_are(current: CampaignStatus, wanted: CampaignStatus, message: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        move_campaign(current, wanted)
    assert str(caught.value) == message
