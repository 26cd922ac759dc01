"""Tests of `dialer gateway test`; calls that are really placed are in tests/carriers/sip/test_sipp.py."""

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from dialer.api.actions.trial_calls import TrialFailedError
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import read_message, write_response
from dialer.commands.trial_calls import place_for_api
from dialer.store.tables import Gateway
from tests.carriers.freeswitch.fake_channel import SwitchCallee
from tests.carriers.freeswitch.fake_switch import PASSWORD, FakeSwitch
from tests.commands.conftest import Run
from tests.runtime.house import House

VIRTUAL: Final = {
    "DIALER_CLOCK": "virtual",
    "DIALER_CLOCK_START": "2026-03-02T12:00:00Z",
    "DIALER_CALLING_HOURS": "off",
    "DIALER_ALLOW_ANY_HOUR": "yes-i-have-consent",
}


@pytest.fixture
def refusing() -> Iterator[int]:
    """Run a carrier that answers 486 to every request but ACK, and return its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as carrier:
        carrier.bind(("127.0.0.1", 0))

        def serve() -> None:
            while (found := carrier.recvfrom(65_535))[0]:
                request = read_message(found[0])
                if request.method != "ACK":
                    carrier.sendto(write_response(request, 486, "Busy Here", Flow(found[1]), to_tag="t"), found[1])

        thread = Thread(target=serve)
        thread.start()
        yield carrier.getsockname()[1]
        carrier.sendto(b"", carrier.getsockname())
        thread.join()


def test_a_call_is_shown_message_by_message_and_its_cause_in_words(run: Run, house: House, refusing: int) -> None:
    parameters = json.dumps({"server": f"127.0.0.1:{refusing}", "username": "anna", "password": "secret"})
    house.change(Gateway, house.gateway_id, protocol="sip", parameters=parameters, addprefix="9", removeprefix="+")
    found = run("gateway", "test", "1", "+12025550123", "--callerid", "+12025550150", "--full", **VIRTUAL)
    lines = {line[11:].replace(f"127.0.0.1:{refusing} ", "") for line in found.out.splitlines()}
    assert lines >= {
        *("→ INVITE sip:912025550123@127.0.0.1 SIP/2.0", "← SIP/2.0 486 Busy Here"),
        *("over: the carrier answered 486 Busy Here", " P-Asserted-Identity: <sip:+12025550150@127.0.0.1>"),
    }
    assert (found.code, found.err) == (1, "cause 17, user busy: the carrier answered 486 Busy Here\n")
    shown = run("gateway", "test", "1", "+12025550123", "--json", **VIRTUAL).data
    assert [shown["cause"], shown["rang_ms"], shown["answered_ms"], shown["keys"]] == [17, None, None, ""]


def test_a_call_over_freeswitch_is_shown_command_by_command(run: Run, house: House, tmp_path: Path) -> None:
    callees = {"12025550123": SwitchCallee(keys=["7"], hangs_up_in="play_and_get_digits")}
    with FakeSwitch(callees) as switch:
        given = {"port": switch.port, "password": PASSWORD, "dial_string": "user/{number}"}
        gateway = {"protocol": "freeswitch", "removeprefix": "+"}
        house.change(Gateway, house.gateway_id, **gateway, parameters=json.dumps(given))
        found = run("gateway", "test", "1", "+12025550123", **VIRTUAL)
        refused = run("gateway", "test", "1", "+12025550123", "--record", "r.wav", **VIRTUAL)
        (tmp_path / "a b.wav").touch()
        unplayable = run("gateway", "test", "1", "+12025550123", "--play", str(tmp_path / "a b.wav"), **VIRTUAL)
        house.change(Gateway, house.gateway_id, parameters=json.dumps({**given, "password": "wrong"}))
        wrong = run("gateway", "test", "1", "+12025550123", **VIRTUAL)
    lines = [line[11:] for line in found.out.splitlines()]
    assert [one for one in lines if not one.startswith(("→", "←"))] == [
        *("the carrier is there", "ringing", "answered", "key 7", "over: FreeSWITCH reports cause 16")
    ]
    assert any(one.startswith("→ bgapi originate {") for one in lines)
    assert PASSWORD not in found.out
    assert (found.code, found.err) == (0, "cause 16, normal clearing: FreeSWITCH reports cause 16\n")
    assert [switch.applications[0][2].split()[5], sum(switch.dialled.values())] == ["tone_stream://%(1000,0,440)", 1]
    assert [refused.code, unplayable.code, wrong.code] == [2, 1, 1]
    assert "the password is wrong" in wrong.err


def test_a_call_that_cannot_be_placed_is_refused(run: Run, house: House) -> None:
    asked = (["9", "1202"], ["1", "1202"])
    refused = [run("gateway", "test", *rest, **VIRTUAL) for rest in asked]
    house.change(Gateway, house.gateway_id, protocol="sip", parameters='{"server": ""}')
    refused += [run("gateway", "test", "1", number, **VIRTUAL) for number in ("112", "x", "1202", "+12025550123")]
    # Toll-free numbers may be anywhere from Guam to Puerto Rico, where it is never midnight at once.
    night = {**VIRTUAL, "DIALER_CALLING_HOURS": "00:00-00:01"}
    refused.append(run("gateway", "test", "1", "+18005550123", **night))
    assert [one.code for one in refused] == [1, 1, 2, 2, 2, 1, 1]
    assert [one.err.partition(". ")[0].partition(": server")[0].strip() for one in refused[:6]] == [
        "dialer: There is no gateway 9.",
        "dialer: Carrier 1 has the protocol sim",
        "dialer: '112' is an emergency number",
        "dialer: 'x' has no digits",
        "dialer: '1202' is not a possible phone number",
        "dialer: gateway 1",
    ]
    assert refused[6].err.startswith("dialer: It is outside of the calling hours")


async def test_the_api_gets_the_messages_that_the_command_prints(refusing: int) -> None:
    """A port that the service's own line has is left to it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.bind(("", 0))
        taken = line.getsockname()[1]
        parameters = json.dumps({"server": f"127.0.0.1:{refusing}", "local_port": taken})
        found = await place_for_api(TrialCall(1, "sip", parameters, "12025550123", "+12025550150"))
    said = [one[11:].replace(f"127.0.0.1:{refusing} ", "") for one in found.messages]
    assert said[0] == f"port {taken} is in use, so the call takes another"
    assert {"→ INVITE sip:12025550123@127.0.0.1 SIP/2.0", "← SIP/2.0 486 Busy Here"} <= set(said)
    assert (found.cause, found.cause_text, found.answered_ms) == (17, "user busy", None)
    with pytest.raises(TrialFailedError, match="server"):
        await place_for_api(TrialCall(1, "sip", '{"server": ""}', "12025550123", ""))


async def test_a_trial_that_is_cancelled_hangs_up() -> None:
    """A server that stops leaves no telephone ringing."""
    seen: list[str] = []
    is_ringing = asyncio.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as carrier:
        carrier.bind(("127.0.0.1", 0))
        carrier.settimeout(0)

        def take() -> None:
            data, source = carrier.recvfrom(65_535)
            request = read_message(data)
            seen.append(request.method)
            if request.method == "INVITE":
                carrier.sendto(write_response(request, 180, "Ringing", Flow(source), to_tag="t"), source)
                is_ringing.set()

        asyncio.get_running_loop().add_reader(carrier.fileno(), take)
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.getsockname()[1]}"})
        trial = asyncio.create_task(place_for_api(TrialCall(1, "sip", parameters, "12025550123", "")))
        await is_ringing.wait()
        await asyncio.wait([trial], timeout=0.1)
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trial
        asyncio.get_running_loop().remove_reader(carrier.fileno())
    assert "CANCEL" in seen
