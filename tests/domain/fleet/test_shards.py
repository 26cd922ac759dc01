"""Tests that shards are spread evenly over workers."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.fleet.shards import ALL_SHARDS, SHARDS, gift_of, shard_of

WORKERS_MAX = 9


@st.composite
def owners(draw: st.DrawFn) -> dict[int, set[int]]:
    """Return workers with all shards in any distribution."""
    ids = draw(st.lists(st.integers(1, 50), min_size=1, max_size=WORKERS_MAX, unique=True))
    owned: dict[int, set[int]] = {one: set() for one in ids}
    for shard in range(SHARDS):
        owned[draw(st.sampled_from(ids))].add(shard)
    return owned


def test_an_account_is_in_the_shard_of_its_id() -> None:
    assert [shard_of(user_id) for user_id in (1, 63, 64, 65)] == [1, 63, 0, 1]


@given(owners(), st.randoms())
def test_gifts_end_with_an_even_distribution(owned: dict[int, set[int]], turns: object) -> None:
    shuffle = turns.shuffle  # type: ignore[attr-defined] # a Random
    gifts = 0
    while any(gift_of(owned, one) for one in owned):
        givers = sorted(owned)
        shuffle(givers)
        for giver in givers:
            gift = gift_of(owned, giver)
            if gift is not None:
                assert owned[giver] >= set(gift.shards)
                owned[giver] -= set(gift.shards)
                owned[gift.to] |= set(gift.shards)
                gifts += 1
        assert gifts <= WORKERS_MAX**2
    assert frozenset().union(*owned.values()) == ALL_SHARDS
    assert sum(map(len, owned.values())) == SHARDS
    sizes = [len(shards) for shards in owned.values()]
    assert max(sizes) - min(sizes) <= 1


def test_a_worker_alone_gives_nothing() -> None:
    assert gift_of({3: ALL_SHARDS}, 3) is None


def test_a_worker_that_joins_gets_half() -> None:
    gift = gift_of({3: ALL_SHARDS, 4: ()}, 3)
    assert gift is not None
    assert (gift.to, len(gift.shards)) == (4, SHARDS // 2)
