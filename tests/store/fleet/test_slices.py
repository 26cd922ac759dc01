"""Tests of slices: calls per second rest, nothing exceeds the gateway, and a dead worker's slice is inherited."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, create_engine, insert

from dialer.domain.calls.plans import NOTHING_LENT, VOICE, GatewayKey, Lent
from dialer.store.fleet.leases import LEASE_MS, register, renew
from dialer.store.fleet.shards import create_shards, limit_channels, owners, take_over
from dialer.store.fleet.slices import (
    REST_MS,
    Demand,
    GatewayLimits,
    all_slices,
    lent_of,
    new_slice,
    settle_slice,
    wanted_of,
)
from dialer.store.tables import CallRequest, Row

NOW_MS = 1_795_000_000_000
LIMITS = GatewayLimits(GatewayKey(VOICE, 7), channels=10, cps=4)
FIRST, SECOND = 1, 2


@pytest.fixture
def connection() -> Iterator[Connection]:
    """Return a connection to a database with two workers."""
    engine = create_engine("sqlite://")
    with engine.begin() as one:
        Row.metadata.create_all(one)
        assert [register(one, name, NOW_MS, "") for name in ("w1", "w2")] == [FIRST, SECOND]
        yield one
    engine.dispose()


def demand(*, in_use: int = 0, recent: int = 0, waiting: int = 0, last_dial_ms: int = 0) -> Demand:
    return Demand(LIMITS, in_use, recent, waiting, 1, last_dial_ms)


def negotiate(connection: Connection, worker_id: int, asked: Demand, now_ms: int) -> tuple[int, int]:
    """Let a worker give back and take, and return its channels and calls per second."""
    slices = all_slices(connection).get(LIMITS.id, [])
    mine = next((one for one in slices if one.worker_id == worker_id), new_slice(worker_id, LIMITS.id, now_ms))
    settle_slice(connection, slices, asked, mine, wanted_of(slices, asked, mine, now_ms), now_ms)
    held = next(one for one in all_slices(connection)[LIMITS.id] if one.worker_id == worker_id)
    return held.channels, held.cps


def test_calls_per_second_rest_after_the_last_dial_of_their_giver(connection: Connection) -> None:
    last_dial_ms = NOW_MS + 500  # A B-leg whose turn lies ahead.
    assert negotiate(connection, FIRST, demand(waiting=1), NOW_MS) == (10, 4)
    assert negotiate(connection, SECOND, demand(waiting=1), NOW_MS) == (0, 0)
    assert negotiate(connection, FIRST, demand(waiting=1, recent=4, last_dial_ms=last_dial_ms), NOW_MS) == (5, 2)
    for rested_ms in (0, REST_MS - 1):
        assert negotiate(connection, SECOND, demand(waiting=1), last_dial_ms + rested_ms) == (5, 0)
    assert negotiate(connection, SECOND, demand(waiting=1), last_dial_ms + REST_MS) == (5, 2)


def test_channels_are_given_back_as_calls_end(connection: Connection) -> None:
    assert negotiate(connection, FIRST, demand(waiting=1), NOW_MS) == (10, 4)
    negotiate(connection, SECOND, demand(waiting=1), NOW_MS)
    held = [negotiate(connection, FIRST, demand(waiting=1, in_use=used), NOW_MS)[0] for used in (10, 8, 3)]
    assert held == [10, 8, 5]
    assert negotiate(connection, SECOND, demand(waiting=1), NOW_MS)[0] == 5


def test_nobody_dials_while_more_is_booked_than_the_gateway_has(connection: Connection) -> None:
    negotiate(connection, FIRST, demand(waiting=1), NOW_MS)
    slices = all_slices(connection)[LIMITS.id]
    assert lent_of(slices, LIMITS, FIRST) == Lent(10, 4)
    assert lent_of(slices, LIMITS._replace(channels=5, cps=3), FIRST) == NOTHING_LENT
    assert lent_of(slices, LIMITS, SECOND) == NOTHING_LENT


def test_a_new_limit_knows_the_calls_of_workers_that_have_reported_nothing(connection: Connection) -> None:
    """The first worker has 8 of 10 calls of a gateway that had no limit, and the second negotiates before it."""
    create_shards(connection, FIRST, NOW_MS)
    connection.execute(insert(CallRequest.__table__), [call(attempt) for attempt in range(1, 9)])
    limit_channels(connection, LIMITS.id, NOW_MS)
    (booked,) = all_slices(connection)[LIMITS.id]
    assert booked == new_slice(FIRST, LIMITS.id, NOW_MS)._replace(channels_in_use=8)
    assert negotiate(connection, SECOND, demand(waiting=1), NOW_MS)[0] == 2


def test_a_new_limit_of_a_gateway_without_calls_books_nothing(connection: Connection) -> None:
    create_shards(connection, FIRST, NOW_MS)
    limit_channels(connection, LIMITS.id, NOW_MS)
    assert all_slices(connection) == {}


def call(attempt: int) -> dict[str, object]:
    """Return the row of a call in progress over the gateway."""
    limits = {"ring_limit_ms": 45_000, "talk_limit_ms": 60_000, "hold": 0, "call_rate": 0}
    numbers = {"phone_number": "+12025550101", "dialled_number": "", "callerid": "", "gateway_id": LIMITS.id.id}
    whose = {"campaign_id": 1, "subscriber_id": attempt, "user_id": 1, "callid": f"call {attempt}"}
    moments = {"created_date": NOW_MS, "updated_date": NOW_MS, "started_ms": NOW_MS}
    return {**whose, **numbers, **limits, **moments, "attempt": attempt, "status": 7}


def test_the_slice_and_the_shards_of_a_dead_worker_are_inherited(connection: Connection) -> None:
    create_shards(connection, FIRST, NOW_MS)
    for used in (0, 6):
        negotiate(connection, FIRST, demand(waiting=1, in_use=used), NOW_MS)
    take_over(connection, SECOND, FIRST)
    (inherited,) = all_slices(connection)[LIMITS.id]
    assert (inherited.worker_id, inherited.channels, inherited.channels_in_use, inherited.cps) == (SECOND, 10, 6, 4)
    assert set(owners(connection).values()) == {SECOND}


def test_a_lease_that_has_ended_is_not_renewed(connection: Connection) -> None:
    assert renew(connection, FIRST, NOW_MS + LEASE_MS - 1, "")
    assert not renew(connection, SECOND, NOW_MS + LEASE_MS, "")
    assert register(connection, "w1 again", NOW_MS + LEASE_MS, "") not in {FIRST, SECOND}
