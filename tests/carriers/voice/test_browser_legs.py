"""Tests of agents' telephones in browsers, over real sockets: the exchange, and the legs of a line that lead there."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.line_port import Alive, LiveLeg
from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.line_process import alone
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.carriers.voice.telephone_client import ask_exchange
from dialer.carriers.voice.telephone_exchange import KEPT_MS, TELEPHONES_OF_USER_MAX, TelephoneExchange
from dialer.carriers.voice.telephone_frames import (
    AnswerOffer,
    AskTelephone,
    FromExchange,
    HangUpTelephone,
    TelephoneAnswered,
    TelephoneDone,
    TelephoneRefusal,
    TelephoneRefused,
    TelephoneState,
    exchange_path,
)
from dialer.carriers.voice.telephone_process import TelephoneProcess
from dialer.domain.numbers.agent_contacts import browser_of
from dialer.domain.sessions.leg_protocol import Answered, Bridge, Clear, Dialling, Ended
from dialer.domain.words.enums import Cause
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import WAIT_S, Watch, Worker
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.browser_peer import BrowserPeer
from tests.carriers.voice.carrier import SmallCarrier

WORD: Final = bytes(range(160))
ANSWER: Final = bytes(range(160))[::-1]
AGENT: Final = 4
CALLEE_LEG: Final = Dialling("callee", "1", "", 60_000, 60_000)
AGENT_LEG: Final = Dialling("agent", browser_of(AGENT), "", 60_000, 60_000)


class Machine:
    """A clock that a test moves on."""

    ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms


@asynccontextmanager
async def exchanging(folder: Path, machine: Machine) -> AsyncIterator[TelephoneExchange]:
    """Run an exchange in this process, behind its socket."""
    path = exchange_path(folder)
    exchange, stop = TelephoneExchange(machine.now_ms), asyncio.Event()
    # A process that is started because the socket is not there yet ends at once.
    with alone(path.parent) as is_alone:
        assert is_alone
        serving = asyncio.create_task(TelephoneProcess(exchange).serve(path, stop))
        try:
            yield exchange
        finally:
            stop.set()
            await serving


async def opened(folder: Path, port: int, token: str = "", user_id: int = 1) -> tuple[BrowserPeer, str]:
    """Return a browser that is connected, and the token of its telephone."""
    peer = BrowserPeer()
    answered = await ask_exchange(folder, AnswerOffer(AGENT, user_id, peer.offer, port, "127.0.0.1", token))
    assert isinstance(answered, TelephoneAnswered)
    await peer.connect(answered.answer)
    return peer, answered.token


async def state_of(folder: Path) -> FromExchange | None:
    return await ask_exchange(folder, AskTelephone(AGENT), starts=False)


def count(worker: Worker, kind: str) -> int:
    return [heard for _, heard in worker.kinds].count(kind)


def has_heard(worker: Worker, key: str, kind: str) -> bool:
    return (key, kind) in worker.kinds


async def heard_by(callee: socket.socket, word: bytes) -> None:
    async with asyncio.timeout(WAIT_S):
        while read_packet(await asyncio.get_running_loop().sock_recv(callee, 2_000)).data != word:
            pass


async def talk(callee: socket.socket, peer: BrowserPeer, start: int) -> None:
    """Let both say a word, again and again, until the other one hears it."""

    async def speak() -> None:
        for sequence in range(start, start + 1_000):
            callee.send(write_packet(RtpPacket(0, sequence, 160 * sequence, 7, WORD)))
            peer.say(ANSWER)
            await asyncio.sleep(0.02)

    speaking = asyncio.create_task(speak())
    await heard_by(callee, ANSWER)
    while (await peer.hear()).data != WORD:
        pass
    speaking.cancel()


async def test_an_agent_talks_in_a_browser_though_network_processes_and_pages_change(tmp_path: Path) -> None:
    watch, machine, port = Watch(), Machine(), free_port()
    worker, again = Worker(watch), Worker(watch)
    with ExitStack() as stack:
        carrier = stack.enter_context(SmallCarrier(watch.touch))
        callee = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        files = SoundFiles(FolderMedia(tmp_path))
        line = SipLine(parameters, worker, SoundRoom(), files, t1_ms=100, telephones=exchange_path(tmp_path))
        await watch.until(lambda: not worker.why_not)
        async with exchanging(tmp_path, machine):
            peer, token = await opened(tmp_path, port)
            assert await state_of(tmp_path) == TelephoneState("connected", 0)
            line.dial(CALLEE_LEG)
            line.dial(AGENT_LEG)
            await watch.until(lambda: count(worker, "Answered") == 2)
            line.settled(worker.heard_of[-1][0])
            assert [kind for key, kind in worker.kinds if key == "agent"] == ["Ringing", "Answered"]
            callee.settimeout(0)
            callee.connect(("127.0.0.1", carrier.ports[0]))
            line.perform("callee", Bridge(1, "agent"))
            await talk(callee, peer, 1)
            # Another page, or the same one in another network.
            peer, _ = await opened(tmp_path, port, token)
            await talk(callee, peer, 2_000)
        # The exchange has ended, and another one takes its place.
        async with exchanging(tmp_path, machine):
            peer, token = await opened(tmp_path, port)
            await talk(callee, peer, 4_000)
            # So has the process of the lines.
            await line.close()
            line = SipLine(parameters, again, SoundRoom(), files, t1_ms=100, telephones=exchange_path(tmp_path))
            await watch.until(lambda: not again.why_not)
            handles = {key: heard.handle for _, key, heard in worker.heard_of if isinstance(heard, Answered)}
            legs = [LiveLeg(leg, 10**6, 0, handles[leg.key]) for leg in (CALLEE_LEG, AGENT_LEG)]
            assert await line.find(legs) == [Alive(), Alive()]
            line.perform("callee", Bridge(1, "agent"))
            await talk(callee, peer, 6_000)
            assert await ask_exchange(tmp_path, HangUpTelephone(AGENT, "other")) == TelephoneRefused(
                TelephoneRefusal.UNKNOWN
            )
            assert await ask_exchange(tmp_path, HangUpTelephone(AGENT, token)) == TelephoneDone()
            await watch.until(lambda: count(again, "Ended") == 1)
            ended = again.first(Ended)
            assert isinstance(ended, Ended)
            assert (ended.cause, ended.sound is not None) == (Cause.NORMAL_CLEARING, True)
            assert await state_of(tmp_path) == TelephoneState()
        await line.close()


async def test_only_an_open_telephone_is_called_and_a_call_waits_for_a_lost_one(tmp_path: Path) -> None:
    watch, machine, port = Watch(), Machine(), free_port()
    worker = Worker(watch)
    with SmallCarrier(watch.touch) as carrier:
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        files = SoundFiles(FolderMedia(tmp_path))
        line = SipLine(parameters, worker, SoundRoom(), files, t1_ms=100, telephones=exchange_path(tmp_path))
        await watch.until(lambda: not worker.why_not)
        line.dial(AGENT_LEG)
        await watch.until(lambda: worker.kinds == [("agent", "Ended")])
        async with exchanging(tmp_path, machine) as exchange:
            for key in ("early", "late", "cleared"):
                peer, token = await opened(tmp_path, port)
                line.dial(Dialling(key, browser_of(AGENT), "", 60_000, 60_000))
                await watch.until(partial(has_heard, worker, key, "Answered"))
                if key == "cleared":
                    line.perform(key, Clear(1))
                else:
                    peer.leave()
                    while await state_of(tmp_path) != TelephoneState("lost", 0):
                        pass
                    exchange.look()
                    machine.ms += KEPT_MS - 1
                    exchange.look()
                    assert (key, "Ended") not in worker.kinds
                    if key == "early":
                        peer, token = await opened(tmp_path, port, token)
                        exchange.look()
                        machine.ms += 1
                        exchange.look()
                        assert (key, "Ended") not in worker.kinds
                        line.perform(key, Clear(1))
                    machine.ms += 1
                    exchange.look()
                await watch.until(partial(has_heard, worker, key, "Ended"))
        await line.close()


async def test_strangers_get_nothing_and_leave_nothing(tmp_path: Path) -> None:
    machine, port = Machine(), free_port()
    async with exchanging(tmp_path, machine):
        peer, _ = await opened(tmp_path, port)
        with socket.socket(type=socket.SOCK_DGRAM) as stranger:
            stranger.settimeout(0)
            hello = b"\x16\xfe\xff" + bytes(200)
            for sent in (hello, b"\x00\x01\x00\x00\x21\x12\xa4\x42" + bytes(12), b"\x80" + bytes(171), b"\xff", b""):
                for _ in range(50):
                    stranger.sendto(sent, ("127.0.0.1", port))
            # An answer to any of them would come before the answer to this one.
            peer.knock()
            while (heard := (await peer.receive())[:2]) == b"\x80\xc9":
                pass  # A report about the peer's sound, which the time may bring.
            assert heard == b"\x01\x01"
            with pytest.raises(BlockingIOError):
                stranger.recv(2_000)
        # Another browser's certificate at the address of a telephone is no telephone.
        thief = BrowserPeer()
        thief.offer = BrowserPeer().offer.replace("ice-ufrag:", f"ice-ufrag:{thief.ufrag}").replace("\r\nx", "")
        answered = await ask_exchange(tmp_path, AnswerOffer(AGENT, 1, thief.offer, port, "127.0.0.1"))
        assert isinstance(answered, TelephoneAnswered)
        assert await state_of(tmp_path) == TelephoneState("connecting", 0)


async def test_offers_have_places_and_a_share_for_each_user(tmp_path: Path) -> None:
    machine, port = Machine(), free_port()
    async with exchanging(tmp_path, machine):

        async def offer(agent_id: int, user_id: int, text: str | None = None, token: str = "") -> FromExchange | None:
            body = BrowserPeer().offer if text is None else text
            return await ask_exchange(tmp_path, AnswerOffer(agent_id, user_id, body, port, "127.0.0.1", token))

        peer = BrowserPeer()
        for agent_id in range(TELEPHONES_OF_USER_MAX):
            assert isinstance(await offer(agent_id, 1, peer.offer), TelephoneAnswered)
        assert await offer(500, 1) == TelephoneRefused(TelephoneRefusal.FULL)
        assert isinstance(await offer(0, 1), TelephoneAnswered)
        assert isinstance(await offer(501, 2), TelephoneAnswered)
        refused = await offer(502, 2, "v=0")
        assert refused == TelephoneRefused(TelephoneRefusal.OFFER, "The body is no session description with media.")
        assert await offer(501, 2, token="none") == TelephoneRefused(TelephoneRefusal.UNKNOWN)
        with socket.socket(type=socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            found = await offer(503, 2)
            assert isinstance(found, TelephoneRefused)
            assert found.reason is TelephoneRefusal.PORT


async def test_offers_that_come_at_once_open_one_port_and_end_no_other(tmp_path: Path) -> None:
    async with exchanging(tmp_path, Machine()) as exchange:
        port, peers = free_port(), [BrowserPeer() for _ in range(5)]
        asked = [AnswerOffer(10 + place, 1, peer.offer, port, "localhost") for place, peer in enumerate(peers)]
        answers = await asyncio.gather(*map(exchange.answer, asked))
        assert [type(one) for one in answers] == [TelephoneAnswered] * 5
        assert [exchange.state(one.agent_id).state for one in asked] == ["connecting"] * 5
