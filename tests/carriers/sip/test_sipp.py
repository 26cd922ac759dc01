"""Calls to sipp, a SIP telephone that nobody here wrote. It judges each of our messages by its scenario."""

import asyncio
import contextlib
import socket
from pathlib import Path
from typing import Final

from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice.trial_call import Trial, TrialOrder, place_trial_call
from dialer.domain.sessions.leg_protocol import Ask, Dialling, Done
from tests.carriers.sip.sipp import BRANCHES, running
from tests.carriers.voice.listener import Listener
from tests.optional_tools import find_tool

ANSWERED: Final = ["answered", "over 16"]
HEARD: Final = {
    "1001": ["rings", "answered", "over 16"],
    "1002": ["rings", "answered", "over 27"],
    "1003": ["rings", "over 19"],
    "1004": ["rings", "over 19"],
    "1005": ["over 17"],
    "1006": ["over 1"],
    "1007": ["over 41"],
    "1008": ["over 42"],
    "1009": ANSWERED,
    "1010": ANSWERED,
    "1011": ["answered", "over 27"],
    "1012": ANSWERED,
    "1013": ["rings", "answered", "over 16"],
    "1014": ANSWERED,
    "1016": ["rings", "answered", "over 16"],
    "1017": ["rings", "answered", "over 16"],
}
PRESS_5: Final = ("1012", "1016")
ASK: Final = Ask(1, (), 1, 60_000)
TRIAL: Final = {
    *("→ INVITE sip:1015@127.0.0.1 SIP/2.0", "← SIP/2.0 180 Ringing", "ringing", "← SIP/2.0 200 OK", "answered"),
    *("key 7", "over: it talked for as long as it may", "the carrier is there"),
}


def free_port() -> int:
    """Return a port that was free just now, for UDP and TCP, and the next one for TLS: a telephone listens to all."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as stream, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
            port = int(stream.getsockname()[1])
            with contextlib.suppress(OSError, OverflowError), socket.socket() as secured:
                datagrams.bind(("127.0.0.1", port))
                secured.bind(("127.0.0.1", port + 1))
                return port


async def test_every_number_is_called_as_the_other_side_expects(tmp_path: Path) -> None:
    port, sipp, listener, shown = free_port(), find_tool("sipp"), Listener(ASK), list[str]()
    trial = Trial(shown.append)
    parameters = SipParameters(
        server=f"127.0.0.1:{port}", username="anna", password="secret, with a comma", session_expires=0
    )
    with running(sipp, tmp_path, port, BRANCHES, calls=len(BRANCHES) + 2) as process:
        dials = [Dialling(number, number, "+12025550150", 1_500, 2_000) for number in HEARD]
        order = TrialOrder("1015", "", 5_000, 1_000)
        await asyncio.gather(
            listener.call(parameters, tmp_path, *dials), place_trial_call(parameters, order, trial, t1_ms=2_000)
        )
        code = await asyncio.to_thread(process.wait, 20)
    errors = tmp_path / "errors.log"
    assert (errors.read_text() if errors.exists() else "", code) == ("", 0)
    assert listener.heard == HEARD
    dones = {number: done for number, done in listener.done.items() if done}
    assert dones == {number: [Done(1, 0, answer="5")] for number in PRESS_5}
    assert {line[11:].replace(f"127.0.0.1:{port} ", "") for line in shown} >= TRIAL
    assert trial.outcome().keys == "7"
