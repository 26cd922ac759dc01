"""Tests of the names of programs in calls: addresses are kept for a moment, and each account has its own."""

import threading
from collections.abc import Sequence
from threading import Event

import pytest

from dialer.webhooks import names
from dialer.webhooks.addresses import AddressError
from dialer.webhooks.call_names import KEPT_MAX, KEPT_S, CallNames
from dialer.webhooks.names import SLOW_S


class Served:
    """Names that lead where they are told, after a while if they are slow."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.leads_to = ["10.1.2.3", "8.8.8.8"]
        self.is_slow = False
        self.goes_on = Event()
        self.now_s = 100.0
        self.names = CallNames(self._resolve, lambda: self.now_s)

    def _resolve(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        if self.is_slow:
            self.goes_on.wait(30)
        return self.leads_to

    def found(self, networks: Sequence[str] = (), account_id: int = 1, host: str = "agent.example") -> Sequence[str]:
        return self.names.addresses(host, 443, networks=networks, account_id=account_id)


def test_addresses_serve_the_next_calls_of_their_account_for_a_moment() -> None:
    served = Served()
    assert [served.found() for _ in range(20)] == [["8.8.8.8"]] * 20
    assert len(served.asked) == 1
    assert served.found(account_id=2) == ["8.8.8.8"]
    assert len(served.asked) == 2
    served.leads_to = ["9.9.9.9"]
    served.now_s += KEPT_S
    assert served.found() == ["9.9.9.9"]


def test_addresses_that_were_kept_are_checked_again_and_others_are_not_kept() -> None:
    served = Served()
    served.leads_to = ["10.1.2.3"]
    assert served.found(["10.1.0.0/16"]) == ["10.1.2.3"]
    for _ in range(2):
        with pytest.raises(AddressError, match="no public address"):
            served.found()
    assert len(served.asked) == 3
    served.leads_to = ["8.8.8.8"]
    assert served.found() == ["8.8.8.8"]


def test_names_that_are_kept_have_a_limit() -> None:
    served = Served()
    for place in range(KEPT_MAX + 1):
        served.found(host=f"{place}.example")
    served.found(host=f"{KEPT_MAX}.example")
    served.found(host="0.example")
    assert len(served.asked) == KEPT_MAX + 2


def test_a_slow_name_is_slow_for_its_account_until_its_addresses_come(monkeypatch: pytest.MonkeyPatch) -> None:
    before, served = set(threading.enumerate()), Served()
    served.is_slow = True
    monkeypatch.setattr(names, "NAME_S", 0.01)
    for account_id in (1, 1, 2):
        with pytest.raises(AddressError, match="did not come in time"):
            served.found(account_id=account_id)
    assert len(served.asked) == 2
    monkeypatch.setattr(names, "NAME_S", 30.0)
    served.is_slow = False
    assert served.found(account_id=3) == ["8.8.8.8"]
    served.goes_on.set()
    for thread in set(threading.enumerate()) - before:
        thread.join()
    assert served.found() == ["8.8.8.8"]
    assert len(served.asked) == 4


def test_a_name_that_never_answers_is_asked_for_again_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served()
    served.is_slow = True
    monkeypatch.setattr(names, "NAME_S", 0.01)
    for wait_s in (0.0, SLOW_S - 1, 1.0):
        served.now_s += wait_s
        with pytest.raises(AddressError, match="did not come in time"):
            served.found()
    served.goes_on.set()
    assert len(served.asked) == 2
