"""Tests of the addresses of programs that talk: those of webhooks, and this machine over ws:// alone."""

import asyncio
from functools import partial

import pytest

from dialer.carriers.voice.agent_addresses import agent_addresses, nobody
from dialer.webhooks.addresses import AddressGuard


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
