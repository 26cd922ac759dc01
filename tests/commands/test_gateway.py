"""Tests of `dialer gateway test`; calls that are really placed are in tests/carriers/sip/test_sipp.py."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from dialer.carriers.sip.messages import read_message, write_response
from dialer.store.tables import Gateway
from tests.carriers.freeswitch.fake_channel import SwitchCallee
from tests.carriers.freeswitch.fake_switch import PASSWORD, FakeSwitch
from tests.commands.conftest import Run
from tests.runtime.house import House

VIRTUAL: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-03-02T12:00:00Z"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a service on the database that the command reads."""
    one = House(tmp_path)
    yield one
    one.database.close()


@pytest.fixture
def refusing() -> Iterator[int]:
    """Run a carrier that answers 486 to every request but ACK, and return its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as carrier:
        carrier.bind(("127.0.0.1", 0))

        def serve() -> None:
            while (found := carrier.recvfrom(65_535))[0]:
                request = read_message(found[0])
                if request.method != "ACK":
                    carrier.sendto(write_response(request, 486, "Busy Here", found[1], to_tag="t"), found[1])

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
        unplayable = run("gateway", "test", "1", "+1202", "--play", str(tmp_path / "a b.wav"), **VIRTUAL)
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
    refused = [run("gateway", "test", *rest, **VIRTUAL) for rest in (["9", "1"], ["1", "1"], ["1", "112"], ["1", "x"])]
    assert [one.code for one in refused] == [1, 1, 2, 2]
    assert [one.err.partition(";")[0] for one in refused] == [
        "dialer: there is no gateway 9\n",
        "dialer: gateway 1 has the protocol sim",
        "dialer: '112' is an emergency number, which is never dialled",
        "dialer: 'x' is not a number. Use digits, with a + before them",
    ]
    house.change(Gateway, house.gateway_id, protocol="sip", parameters='{"server": ""}')
    assert "gateway 1: " in run("gateway", "test", "1", "+12025550123", **VIRTUAL).err
