"""Calls to sipp, a SIP telephone that nobody here wrote. It judges each of our messages by its scenario."""

import asyncio
import socket
from pathlib import Path
from typing import Final

from dialer.carriers.sip.parameters import SipParameters
from dialer.domain.line import Ask, Dialling, Done
from tests.carriers.sip.sipp import BRANCHES, answering
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
}
ASK: Final = Ask(1, (), 1, 60_000)


def free_port() -> int:
    """Return a UDP port that was free just now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_every_number_is_called_as_the_other_side_expects(tmp_path: Path) -> None:
    port, sipp, listener = free_port(), find_tool("sipp"), Listener(ASK)
    parameters = SipParameters(
        server=f"127.0.0.1:{port}", username="anna", password="secret, with a comma", session_expires=0
    )
    with answering(sipp, tmp_path, port) as process:
        dials = [Dialling(number, number, "+12025550150", 1_500, 2_000) for number in BRANCHES]
        await listener.call(parameters, tmp_path, *dials)
        code = await asyncio.to_thread(process.wait, 20)
    errors = tmp_path / "errors.log"
    assert (errors.read_text() if errors.exists() else "", code) == ("", 0)
    assert listener.heard == HEARD
    assert {number: done for number, done in listener.done.items() if done} == {"1012": [Done(1, 0, keys="5")]}
