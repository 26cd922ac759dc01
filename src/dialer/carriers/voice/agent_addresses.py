"""The addresses of programs that talk, to which connections may be made."""

import asyncio
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, Protocol

import structlog

from dialer.domain.survey.agent_urls import agent_port, is_loopback, split_agent_url

ADDRESSES_MAX = 4
"""Addresses of a program that are tried."""
_LOOKING: Final = ThreadPoolExecutor(256, "names-of-programs")
"""Threads for lookups, which wait: more than one account may have under way, so that none holds up another."""
_log = structlog.get_logger(__name__)


class AgentAddresses(Protocol):
    """Returns those addresses of a host that may be connected, on the public internet or in listed networks."""

    def __call__(self, host: str, port: int, *, networks: Sequence[str], account_id: int) -> Sequence[str]:
        """Look them up for an account, which may take seconds. Any error means that there are none."""


class AddressesOf(Protocol):
    """Returns the addresses of a host that may be connected."""

    def __call__(self, host: str, port: int) -> Sequence[str]:
        """Look them up, which may take seconds. Any error means that there are none."""


def nobody(host: str, port: int, *, networks: Sequence[str], account_id: int) -> Sequence[str]:  # noqa: ARG001 - so
    """Return no address: only programs on this machine are connected."""
    return ()


async def agent_addresses(text: str, look_up: AddressesOf) -> tuple[str, ...]:
    """Return the addresses of a program; none if nothing may be connected there.

    A program on this machine is reached without a network, and only over `ws://`.
    """
    url = split_agent_url(text)
    host = "" if url is None else url.hostname or ""
    if url is None:
        return ()
    if url.scheme == "ws":
        is_name = host.lower().startswith("localhost")
        return () if not is_loopback(host) else ("127.0.0.1", "::1") if is_name else (host,)
    try:
        found = await asyncio.get_running_loop().run_in_executor(_LOOKING, look_up, host, agent_port(url))
    except (ValueError, OSError) as error:
        _log.warning("program_not_connected", host=host, reason=str(error))
        return ()
    return tuple(found[:ADDRESSES_MAX])


class SharedLookups:
    """Lookups of the programs of calls. Calls of an account that are answered at once share one."""

    def __init__(self, look_up: AgentAddresses = nobody) -> None:
        self._look_up: Final = look_up
        self._under_way: Final[dict[Hashable, asyncio.Task[tuple[str, ...]]]] = {}

    async def addresses(self, text: str, networks: tuple[str, ...], account_id: int) -> tuple[str, ...]:
        """Return the addresses of a program of an account, as `agent_addresses` does."""
        url = split_agent_url(text)
        if url is None:
            return ()
        key = (account_id, networks, url.scheme, url.hostname, agent_port(url))
        task = self._under_way.get(key)
        if task is None:
            look_up = partial(self._look_up, networks=networks, account_id=account_id)
            task = self._under_way[key] = asyncio.create_task(agent_addresses(text, look_up))
            task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(task)
