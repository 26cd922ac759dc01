"""Tests of the sockets at which something has arrived."""

import select
import socket
from contextlib import ExitStack, closing
from typing import Final

import pytest

from dialer.carriers.voice import waiting_sockets
from dialer.carriers.voice.waiting_sockets import WaitingSockets

MANY: Final = 1_100
"""More sockets than the system tells at once by itself."""


@pytest.fixture(params=["epoll", "poll"], autouse=True)
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test as on Linux, and as on a system that has no epoll."""
    if request.param == "poll":
        monkeypatch.setattr(waiting_sockets, "_HAS_EPOLL", False)
        monkeypatch.delattr(select, "epoll")


def test_a_process_without_legs_waits_for_nothing() -> None:
    with closing(WaitingSockets()) as waiting:
        assert waiting.ready() == []


def test_all_sockets_with_something_are_told_at_once() -> None:
    with ExitStack() as until_the_end:
        waiting = until_the_end.enter_context(closing(WaitingSockets()))
        near, far = socket.socketpair()
        until_the_end.enter_context(near)
        until_the_end.enter_context(far)
        owners = [(str(number), False) for number in range(MANY)]
        for owner in owners:
            waiting.register(until_the_end.enter_context(near.dup()), owner)
        assert waiting.ready() == []
        far.send(b"\0")
        assert sorted(waiting.ready()) == sorted(owners)
