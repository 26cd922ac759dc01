"""Tests of the counts of wrong passwords by user name and address, in tables of bounded size."""

import pytest

from dialer.api.http.throttle import (
    ADDRESS_FAILURES_MAX,
    NAME_FAILURES_MAX,
    NAME_WAIT_S,
    PAIR_FAILURES_MAX,
    SUBJECTS_MAX,
    WINDOW_S,
    Throttle,
    client_address,
)

HERE, THERE = "10.0.0.1", "10.0.0.2"


def fail(throttle: Throttle, times: int, username: str = "alice", address: str = HERE) -> None:
    for _ in range(times):
        throttle.failed(username, address)


def test_a_name_that_failed_at_an_address_is_blocked_there_alone() -> None:
    throttle = Throttle(lambda: 0.0)
    fail(throttle, PAIR_FAILURES_MAX - 1)
    assert throttle.retry_after_s("alice", HERE) == 0
    fail(throttle, 1)
    assert throttle.retry_after_s("alice", HERE) == WINDOW_S
    assert throttle.retry_after_s("bob", HERE) == 0
    assert throttle.retry_after_s("alice", THERE) == 0


def test_an_address_that_failed_much_more_often_is_blocked_for_every_name() -> None:
    throttle = Throttle(lambda: 0.0)
    for number in range(ADDRESS_FAILURES_MAX - 1):
        fail(throttle, 1, f"user {number}")
    assert throttle.retry_after_s("alice", HERE) == 0
    fail(throttle, 1, "one more")
    assert throttle.retry_after_s("alice", HERE) == WINDOW_S
    assert throttle.retry_after_s("alice", THERE) == 0


def test_the_tables_of_failures_are_bounded() -> None:
    throttle = Throttle(lambda: 0.0)
    fail(throttle, ADDRESS_FAILURES_MAX)
    assert throttle.retry_after_s("alice", HERE) == throttle.retry_after_s("bob", HERE) == WINDOW_S
    for number in range(SUBJECTS_MAX):
        fail(throttle, 1, "alice", f"address {number}")
    known = throttle.retry_after_s("alice", HERE, is_known=True), throttle.retry_after_s("bob", HERE)
    assert known == (0, 0)


def test_a_name_that_is_guessed_from_many_addresses_is_heard_slowly_everywhere() -> None:
    """One who has a thousand addresses, or makes them up, tries one password in a while, and not ten at each."""
    now = [0.0]
    throttle = Throttle(lambda: now[0])
    for number in range(NAME_FAILURES_MAX - 1):
        fail(throttle, 1, "alice", f"address {number}")
    assert throttle.retry_after_s("alice", "new address") == 0
    fail(throttle, 1, "alice", "one more")
    assert throttle.retry_after_s("alice", "new address") == NAME_WAIT_S
    assert throttle.retry_after_s("alice", "new address", is_known=True) == 0
    assert throttle.retry_after_s("bob", "new address") == 0
    now[0] += NAME_WAIT_S
    assert throttle.retry_after_s("alice", "new address") == 0
    fail(throttle, 1, "alice", "new address")
    assert throttle.retry_after_s("alice", "newer address") == NAME_WAIT_S


def test_an_address_that_is_known_is_blocked_for_its_own_failures() -> None:
    throttle = Throttle(lambda: 0.0)
    fail(throttle, PAIR_FAILURES_MAX)
    assert throttle.retry_after_s("alice", HERE, is_known=True) == WINDOW_S


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("2001:db8:1:3::9", "2001:db8:1:3::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
        ("x" * 10_000, "x" * 45),
    ],
)
def test_a_client_is_counted_by_its_address_or_its_ipv6_network(host: str, address: str) -> None:
    assert client_address(host) == address
