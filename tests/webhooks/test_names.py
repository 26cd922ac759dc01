"""Tests of slow names: they cost their own account only, and for a short time."""

from collections.abc import Iterator, Sequence
from threading import Event

import pytest

from dialer.webhooks import names
from dialer.webhooks.names import LOOKUPS_OF_ACCOUNT_MAX, SLOW_S, NameLookups, SlowNameError, names_of


class SlowNames:
    """A server of names that answers for those that begin with `slow` when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.goes_on = Event()

    def resolve(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        if host.startswith("slow"):
            self.goes_on.wait(30)
        if host == "none":
            raise OSError("no such name")
        return ["192.0.2.7"]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowNames]:
    monkeypatch.setattr(names, "NAME_S", 0.01)
    served = SlowNames()
    yield served
    served.goes_on.set()


def looked_up(lookups: NameLookups, served: SlowNames, host: str, account_id: int) -> Sequence[str]:
    with names_of(account_id):
        return lookups.addresses(served.resolve, host, 443)


def test_slow_names_of_one_account_use_no_places_of_another(slow: SlowNames, monkeypatch: pytest.MonkeyPatch) -> None:
    lookups = NameLookups()
    for place in range(LOOKUPS_OF_ACCOUNT_MAX + 5):
        with pytest.raises(SlowNameError):
            looked_up(lookups, slow, f"slow{place}", 1)
    assert len(slow.asked) == LOOKUPS_OF_ACCOUNT_MAX
    monkeypatch.setattr(names, "NAME_S", 30.0)
    assert looked_up(lookups, slow, "quick", 2) == ["192.0.2.7"]


def test_a_slow_name_is_not_asked_for_again_for_a_minute(slow: SlowNames, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    lookups = NameLookups(lambda: now_s)
    for account_id in (1, 2):
        with pytest.raises(SlowNameError):
            looked_up(lookups, slow, "slow", account_id)
    assert slow.asked == ["slow"]
    slow.goes_on.set()
    monkeypatch.setattr(names, "NAME_S", 30.0)
    now_s += SLOW_S
    assert looked_up(lookups, slow, "slow", 1) == ["192.0.2.7"]


def test_a_name_without_an_address_may_get_one_at_once(slow: SlowNames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "NAME_S", 30.0)
    lookups = NameLookups()
    for _ in range(2):
        with pytest.raises(OSError, match="no such name"):
            looked_up(lookups, slow, "none", 1)
    assert slow.asked == ["none", "none"]
