"""Tests of carriers with several servers, as a name server has them: traffic goes on when one is gone."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice import carrier_servers, dns_records, sip_trunk_endpoint
from dialer.carriers.voice.sound_room import Hear, SoundRoom
from dialer.carriers.voice.trial_call import Trial, TrialOrder, place_trial_call
from dialer.domain.sessions.leg_protocol import Clear
from tests.carriers.sip.sipp import BRANCHES, running
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.carrier import SmallCarrier
from tests.carriers.voice.name_server import NameServer, name_server
from tests.carriers.voice.stream_carrier import stream_carrier
from tests.carriers.voice.test_connections import NAME, Scene
from tests.optional_tools import find_tool

HERE: Final = "host.carrier.example"


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch, scene: Scene) -> AsyncIterator[NameServer]:
    """Return a name server that knows this machine."""
    async with name_server(monkeypatch, scene.watch.touch) as server:
        server.add(HERE, "A", "127.0.0.1")
        yield server


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """Return a line and what it hears."""
    async with AsyncExitStack() as stack:
        yield Scene(tmp_path, stack)


def _of(seen: list[tuple[str, str]], method: str) -> int:
    return sum(one == method for _, one in seen)


async def test_calls_go_on_at_the_next_server_when_one_is_gone(names: NameServer, scene: Scene) -> None:
    usual = {"server": NAME, "transport": "udp", "options": False, "inbound_hosts": ["127.0.0.0/8"]}
    with ExitStack() as stack, SmallCarrier(scene.watch.touch) as second:
        first = SmallCarrier(scene.watch.touch)
        names.add(f"_sip._udp.{NAME}", "SRV", f"1 1 {first.port} {HERE}.", f"2 1 {second.port} {HERE}.")
        with first:
            scene.open(0, 100, **usual)
            await scene.is_up()
            await scene.answered("before")
            assert (_of(first.seen, "INVITE"), second.seen) == (1, [])
            # Another one takes its port, and answers nothing.
            port = first.port
        stack.enter_context(_silent(port))
        await asyncio.gather(scene.answered("first"), scene.answered("second"))
        await scene.answered("third")
        assert _of(second.seen, "INVITE") == 3
        for key in ("first", "second", "third"):
            scene.line.perform(key, Clear(16))
        await scene.watch.until(lambda: _of(second.seen, "BYE") == 3)
    assert [key for key, kind in scene.worker.kinds if kind == "Answered"].count("first") == 1


def _silent(port: int) -> socket.socket:
    bound = socket.socket(type=socket.SOCK_DGRAM)
    bound.bind(("127.0.0.1", port))
    return bound


async def test_a_connection_is_opened_to_the_next_server_and_calls_go_on_there(names: NameServer, scene: Scene) -> None:
    settings = scene.carrier_settings()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(stream_carrier(scene.watch.touch, settings))
        second = await scene.carrier(scene.carrier_settings())
        nobody = free_port()
        ports = (nobody, first.port, second.port)
        records = (f"{place} 1 {port} {HERE}." for place, port in enumerate(ports))
        names.add(f"_sips._tcp.{NAME}", "SRV", *records)
        scene.open(0, 100, server=NAME, inbound_hosts=["127.0.0.1"])
        await scene.is_up()
        await scene.answered("call")
        assert (first.methods.count("INVITE"), second.methods) == (1, [])
    await scene.watch.until(lambda: "ACK" in second.methods and not scene.worker.why_not)
    # The certificate is that of the domain, and not of the server.
    assert [one.call_id for one in second.of("INVITE")] == ["call"]
    await scene.answered("next")
    for key in ("call", "next"):
        scene.line.perform(key, Clear(16))
    await scene.watch.until(lambda: second.methods.count("BYE") == 2)
    assert [kind for _, kind in scene.worker.kinds].count("Answered") == 2


async def test_a_server_with_a_certificate_for_others_gets_nothing_wherever_the_name_leads(
    names: NameServer, scene: Scene
) -> None:
    carrier = await scene.carrier(scene.carrier_settings())
    names.add("_sips._tcp.bank.example", "SRV", f"1 1 {carrier.port} {HERE}.")
    scene.open(0, 100, server="bank.example", domain="", inbound_hosts=["127.0.0.1"])
    assert "not for the name bank.example" in await scene.fails()
    assert carrier.seen == []


async def test_a_trial_says_what_was_found_and_reaches_the_server_that_answers(
    names: NameServer, tmp_path: Path
) -> None:
    port, shown = free_port(), list[str]()
    with _silent(0) as silent, running(find_tool("sipp"), tmp_path, port, BRANCHES, calls=1):
        gone = silent.getsockname()[1]
        names.add(f"_sip._udp.{NAME}", "SRV", f"1 1 {gone} {HERE}.", f"2 1 {port} {HERE}.", f"3 1 {port} a.example.")
        names.add("a.example", "A", "127.0.0.2")
        text = {"server": NAME, "inbound_hosts": ("127.0.0.1",), "session_expires": 0}
        trial = Trial(shown.append)
        await place_trial_call(SipParameters(**text), TrialOrder("1015", "", 20_000, 1_000), trial, t1_ms=100)  # type: ignore[arg-type]
    lines = [line[11:] for line in shown]
    found = (
        f"_sip._udp.{NAME}: 2 targets, {HERE}:{gone} (priority 1, weight 1) at 127.0.0.1, {HERE}:{port} (priority 2,"
        " weight 1) at 127.0.0.1"
    )
    left_out = (
        "a.example leads to 127.0.0.2, where no other machine can be, or no way leads. Nothing is sent there, unless"
        " inbound_hosts names it"
    )
    assert lines[:2] == [found, left_out]
    assert f"→ 127.0.0.1:{port} INVITE sip:1015@{NAME} SIP/2.0" in lines
    assert trial.outcome().answered_ms is not None


async def test_a_trial_without_any_server_says_so(names: NameServer) -> None:
    names.add(f"_sip._udp.{NAME}", "SRV", "0 0 0 .")
    parameters = SipParameters(**json.loads(json.dumps({"server": NAME})))
    with pytest.raises(OSError, match="the carrier has no server for UDP"):
        await place_trial_call(parameters, TrialOrder("1015", "", 1_000, 1_000), Trial(None), t1_ms=100)


async def test_calls_follow_records_that_change(
    names: NameServer, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (dns_records, sip_trunk_endpoint):
        monkeypatch.setattr(module, "KEPT_S_MIN", 0.01)
    names.lives_s = 0
    usual = {"server": NAME, "transport": "udp", "options": False, "inbound_hosts": ["127.0.0.1"]}
    with SmallCarrier(scene.watch.touch) as first, SmallCarrier(scene.watch.touch) as second:
        names.add(f"_sip._udp.{NAME}", "SRV", f"1 1 {first.port} {HERE}.")
        scene.open(0, 100, **usual)
        await scene.is_up()
        await scene.answered("call")
        names.add(f"_sip._udp.{NAME}", "SRV", f"1 1 {second.port} {HERE}.")
        asked = len(names.asked)
        # Three questions are one look, and one that was begun before may have the records of before.
        await scene.watch.until(lambda: len(names.asked) >= asked + 7)
        await scene.answered("next")
        scene.line.perform("call", Clear(16))
        await scene.watch.until(lambda: _of(first.seen, "BYE") == 1)
        assert (_of(first.seen, "INVITE"), _of(second.seen, "INVITE")) == (1, 1)


async def test_records_that_were_gone_once_are_followed_when_they_are_back(
    names: NameServer, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("KEPT_S_MIN", "KEPT_S_MAX", "NOTHING_KEPT_S"):
        monkeypatch.setattr(dns_records, name, 0.01)
    monkeypatch.setattr(sip_trunk_endpoint, "KEPT_S_MIN", 0.01)
    monkeypatch.setattr(sip_trunk_endpoint, "KEPT_S_MAX", 0.01)

    async def resolve(_address: object) -> tuple[socket.AddressFamily, tuple[str, int], tuple[str, ...]]:
        return socket.AddressFamily.AF_INET, ("127.0.0.1", 9), ()

    monkeypatch.setattr(carrier_servers, "resolve", resolve)
    usual = {"server": NAME, "transport": "udp", "options": False, "inbound_hosts": ["127.0.0.1"]}
    service = f"_sip._udp.{NAME}"
    with SmallCarrier(scene.watch.touch) as first, SmallCarrier(scene.watch.touch) as second:
        names.add(service, "SRV", f"1 1 {first.port} {HERE}.")
        scene.open(0, 100, **usual)
        await scene.is_up()
        del names.records[service, "SRV"]
        asked = names.asked.count((service, "SRV"))
        await scene.watch.until(lambda: names.asked.count((service, "SRV")) >= asked + 3)
        # The last servers that were found are used meanwhile.
        await scene.answered("call")
        names.add(service, "SRV", f"1 1 {second.port} {HERE}.")
        asked = names.asked.count((service, "SRV"))
        await scene.watch.until(lambda: names.asked.count((service, "SRV")) >= asked + 3)
        await scene.answered("next")
        assert (_of(first.seen, "INVITE"), _of(second.seen, "INVITE")) == (1, 1)


class TermsNoted(SoundRoom):
    """The sound of legs, whose terms are noted."""

    def __init__(self) -> None:
        """Prepare it, with no leg."""
        super().__init__()
        self.terms: Final[list[SoundTerms]] = []

    def add(self, key: str, place: tuple[socket.AddressFamily, range | None], hear: Hear, terms: SoundTerms) -> int:
        """Note the terms of a leg."""
        self.terms.append(terms)
        return super().add(key, place, hear, terms)


async def test_sound_may_come_from_servers_that_were_found_later(
    names: NameServer, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (dns_records, sip_trunk_endpoint):
        monkeypatch.setattr(module, "KEPT_S_MIN", 0.01)
    # There is a way to each machine, whatever the network of this one.
    monkeypatch.setattr(carrier_servers, "address_towards", lambda _family, _address: "198.51.100.1")
    names.lives_s, room = 0, TermsNoted()
    with SmallCarrier(scene.watch.touch) as carrier:
        first = f"1 1 {carrier.port} {HERE}."
        names.add(f"_sip._udp.{NAME}", "SRV", first)
        names.add(f"later.{NAME}", "A", "192.0.2.7")
        scene.open(0, 100, room, server=NAME, transport="udp", options=False, inbound_hosts=["127.0.0.1"])
        await scene.is_up()
        await scene.answered("call")
        names.add(f"_sip._udp.{NAME}", "SRV", first, f"2 1 5060 later.{NAME}.")
        asked = len(names.asked)
        await scene.watch.until(lambda: len(names.asked) >= asked + 9)
        await scene.answered("next")
    assert [one.is_carrier(("192.0.2.7", 4_000)) for one in room.terms] == [False, True]
