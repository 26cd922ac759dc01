"""Tests of the state that the engine's parts share."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.engine.state import PacedCampaigns

queues = st.frozensets(st.integers(1, 5))
changes = st.lists(st.tuples(st.integers(1, 6), st.none() | queues))


@given(changes, queues)
def test_campaigns_that_share_queues_are_found_as_by_a_full_scan(
    told: list[tuple[int, frozenset[int] | None]], asked: frozenset[int]
) -> None:
    """Campaigns open, close and change their queues in any order."""
    paced, known = PacedCampaigns(), dict[int, frozenset[int]]()
    for campaign_id, queue_ids in told:
        if queue_ids is None:
            paced.discard(campaign_id)
            known.pop(campaign_id, None)
        else:
            paced.add(campaign_id, queue_ids)
            known[campaign_id] = queue_ids
    assert sorted(paced.queue_ids) == sorted(known)
    assert len(paced.queue_ids) == len(known)
    assert paced.sharing(asked) == sorted(one for one, theirs in known.items() if theirs & asked)
