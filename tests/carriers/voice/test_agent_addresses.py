"""Tests of the addresses of programs that talk: those of webhooks, and this machine over ws:// alone."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import pytest

from dialer.carriers.voice.agent_addresses import SharedLookups, agent_addresses, nobody
from dialer.commands.line import _allowed
from dialer.webhooks.addresses import AddressError, AddressGuard
from dialer.webhooks.call_names import CallNames
from dialer.webhooks.names import LOOKUPS_OF_ACCOUNT_MAX


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
        if host.startswith("never"):
            begun.release()
            go_on.wait()
        return [host]

    names = CallNames(hang)

    def look_up(place: int) -> None:
        with suppress(AddressError):
            names.addresses(f"never{place}.example", 443, networks=(), account_id=1)

    threads = [threading.Thread(target=look_up, args=(place,)) for place in range(LOOKUPS_OF_ACCOUNT_MAX)]
    for thread in threads:
        thread.start()
    for _ in threads:
        begun.acquire()
    try:
        with pytest.raises(AddressError, match="did not come in time"):
            names.addresses("8.8.8.8", 443, networks=(), account_id=1)
        look_up_of_another = partial(names.addresses, networks=(), account_id=2)
        assert asyncio.run(agent_addresses("wss://8.8.8.8/", look_up_of_another)) == ("8.8.8.8",)
    finally:
        go_on.set()
        for thread in threads:
            thread.join()


def test_calls_that_are_answered_at_once_share_a_lookup_with_those_of_their_account() -> None:
    asked: list[tuple[str, int, int]] = []
    burst = LOOKUPS_OF_ACCOUNT_MAX + 5

    async def answered() -> list[tuple[str, ...]]:
        loop, both = asyncio.get_running_loop(), asyncio.Event()
        go_on = threading.Event()

        def look_up(host: str, port: int, *, networks: Sequence[str], account_id: int) -> Sequence[str]:
            asked.append((host, port, account_id))
            if len(asked) == 2:
                loop.call_soon_threadsafe(both.set)
            go_on.wait(30)
            return [f"192.0.2.{account_id}", *networks]

        lookups = SharedLookups(look_up)
        orders = [(f"wss://agent.example/{place}", 1 + place % 2) for place in range(2 * burst)]
        calls = [asyncio.create_task(lookups.addresses(url, (), account_id)) for url, account_id in orders]
        await both.wait()
        calls[0].cancel()
        go_on.set()
        await asyncio.wait(calls)
        last = await lookups.addresses("wss://agent.example/", (), 1)
        return [*(call.result() for call in calls[1:]), last]

    addresses = asyncio.run(answered())
    assert addresses == [(f"192.0.2.{1 + place % 2}",) for place in range(1, 2 * burst)] + [("192.0.2.1",)]
    assert sorted(asked) == [("agent.example", 443, account_id) for account_id in (1, 1, 2)]


def test_a_line_process_looks_programs_up_as_it_is_told() -> None:
    assert _allowed("8.8.8.8", 443, networks=(), account_id=1) == ["8.8.8.8"]
    with pytest.raises(AddressError, match="no public address"):
        _allowed("10.1.2.3", 443, networks=(), account_id=1)
