"""Tests of the addresses of programs that talk: those of webhooks, and this machine over ws:// alone."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import pytest

from dialer.carriers.voice.agent_addresses import agent_addresses, nobody
from dialer.commands.line import _allowed
from dialer.webhooks.addresses import AddressError, AddressGuard
from dialer.webhooks.names import LOOKUPS_OF_ACCOUNT_MAX, names_of


@pytest.mark.parametrize(
    ("url", "networks", "addresses"),
    [
        ("ws://127.0.0.1:8765/", (), ("127.0.0.1",)),
        ("ws://localhost:8765/", (), ("127.0.0.1", "::1")),
        ("ws://[::1]:8765/", (), ("::1",)),
        ("ws://192.0.2.7/", ("192.0.2.0/24",), ()),
        ("wss://127.0.0.1/", (), ()),
        ("wss://10.1.2.3/", (), ()),
        ("wss://10.1.2.3/", ("10.1.0.0/16",), ("10.1.2.3",)),
        ("wss://169.254.169.254/", (), ()),
        ("wss://8.8.8.8/", (), ("8.8.8.8",)),
        ("https://8.8.8.8/", (), ()),
        ("nonsense", (), ()),
    ],
)
def test_only_allowed_addresses_are_connected(url: str, networks: tuple[str, ...], addresses: tuple[str, ...]) -> None:
    guard = AddressGuard(networks, lambda host, _port: [host])
    assert asyncio.run(agent_addresses(url, guard.addresses)) == addresses


def test_a_line_that_is_told_of_nobody_connects_programs_of_this_machine_only() -> None:
    look_up = partial(nobody, networks=(), account_id=1)
    assert asyncio.run(agent_addresses("wss://8.8.8.8/", look_up)) == ()
    assert asyncio.run(agent_addresses("ws://127.0.0.1/", look_up)) == ("127.0.0.1",)


def test_names_that_do_not_answer_hold_up_the_programs_of_their_own_account_only() -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def hang(host: str, _port: int) -> Sequence[str]:
        begun.release()
        go_on.wait()
        return [host]

    def look_up() -> None:
        with names_of(1), suppress(AddressError):
            AddressGuard((), hang).addresses("never.example", 443)

    threads = [threading.Thread(target=look_up) for _ in range(LOOKUPS_OF_ACCOUNT_MAX)]
    for thread in threads:
        thread.start()
    for _ in threads:
        begun.acquire()
    try:
        with pytest.raises(AddressError, match="did not come in time"):
            _allowed("8.8.8.8", 443, networks=(), account_id=1)
        look_up_of_another = partial(_allowed, networks=(), account_id=2)
        assert asyncio.run(agent_addresses("wss://8.8.8.8/", look_up_of_another)) == ("8.8.8.8",)
    finally:
        go_on.set()
        for thread in threads:
            thread.join()
