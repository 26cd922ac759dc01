"""Tests of slow names: the other end of a call may name any host, and that must hold up nobody else."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Final

import pytest

from dialer.carriers.sip.flows import NextHop
from dialer.carriers.sip.outputs import LookUp
from dialer.carriers.voice import peer_names
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.peer_names import AT_ONCE, NAMES_MAX, SENDS_MAX, PeerNames
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Dialling
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.voice.carrier import SmallCarrier

CALLS: Final = 4


class Names:
    """A server of names that answers for those that begin with `slow` when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.goes_on = Event()
        self._real: Callable[..., Sequence[tuple[object, ...]]] = socket.getaddrinfo

    def look_up(self, host: str, *more: object, **named: object) -> Sequence[tuple[object, ...]]:
        if not host.endswith(".example"):
            return self._real(host, *more, **named)
        self.asked.append(host)
        if host.startswith("slow"):
            self.goes_on.wait(30)
        if host.startswith("none"):
            raise OSError("no such name")
        return [(socket.AF_INET, socket.SOCK_DGRAM, 17, "", ("192.0.2.7", 0))]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    served = Names()
    monkeypatch.setattr(socket, "getaddrinfo", served.look_up)
    monkeypatch.setattr(peer_names, "NAME_S", 0.05)
    yield served
    served.goes_on.set()


def send(host: str, data: bytes = b"") -> LookUp:
    return LookUp(NextHop((host, 5060)), data)


class Lookups:
    """The names of a line, and the answers of messages."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[str, bytes, str]] = asyncio.Queue()
        self.names = PeerNames(socket.AF_INET, self._found)

    def _found(self, message: LookUp, host: str) -> None:
        self._queue.put_nowait((message.hop.address[0], message.data, host))

    async def answers(self, *messages: LookUp) -> list[tuple[str, bytes, str]]:
        """Look up the names of some messages, and return host, data and address of each as they come."""
        for one in messages:
            self.names.add(one)
        async with asyncio.timeout(20):
            return [await self._queue.get() for _ in messages]


async def test_a_slow_name_holds_up_no_prompt_and_its_messages_go_to_the_carrier(tmp_path: Path, names: Names) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(CALLS - 1))
    watch = Watch()
    worker = Worker(watch)
    with SmallCarrier(watch.touch, contact="slow.example") as carrier:
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0, "options": False})
        line = SipLine(parameters, worker, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), t1_ms=100)
        await watch.until(lambda: not worker.why_not)
        for place in range(CALLS):
            line.dial(Dialling(str(place) * 8, "1", "", 60_000, 60_000))
        await watch.until(lambda: [kind for _, kind in worker.kinds].count("Answered") == CALLS)
        line.settled(worker.heard_of[-1][0])
        async with asyncio.timeout(20):
            # The thread of a prompt.
            await asyncio.to_thread(str)
        await watch.until(lambda: carrier.seen.count(("1", "ACK")) >= CALLS)
        await line.close()
    assert names.asked == ["slow.example"]


async def test_each_message_goes_to_its_host_or_to_none_in_its_order(names: Names) -> None:
    lookups = Lookups()
    sends = (send("one.example", b"1"), send("none.example"), send("one.example", b"2"), send("one.example", b"3"))
    answers = await lookups.answers(*sends)
    of_one = [answer for answer in answers if answer[0] == "one.example"]
    assert of_one == [("one.example", b"%d" % number, "192.0.2.7") for number in (1, 2, 3)]
    assert [answer for answer in answers if answer not in of_one] == [("none.example", b"", "")]
    assert sorted(names.asked) == ["none.example", "one.example"]
    lookups.names.close()


async def test_names_and_messages_beyond_the_limits_wait_for_nothing(names: Names) -> None:
    lookups = Lookups()
    sends = [send(f"slow{place}.example") for place in range(NAMES_MAX + 2)]
    sends += [send("slow0.example") for _ in range(SENDS_MAX + 1)]
    assert {host for _, _, host in await lookups.answers(*sends)} == {""}
    assert len(names.asked) == AT_ONCE
    names.goes_on.set()
    lookups.names.close()
