"""Tests of calls that a service signs before they leave, over real sockets."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from dialer.carriers.parameters import ParametersError
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.leg import draft_of
from dialer.carriers.sip.messages import Outgoing
from dialer.carriers.sip.parameters import read_sip_parameters
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.voice import signed_calls
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Clear, Dialling, Ended
from dialer.domain.words.enums import Cause
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.voice.carrier import SmallCarrier

SIGNED: Final = "eyJhbGciOiJFUzI1NiJ9.e30.c2ln;info=<https://cert.example/a.pem>;alg=ES256;ppt=shaken"
GOOD: Final = json.dumps({"signingResponse": {"identity": SIGNED}})


class Signer:
    """A signing service that gives one answer, or none."""

    def __init__(self, status: int, body: str, *, is_silent: bool = False) -> None:
        self.asked: list[Any] = []
        self.url = ""
        self._answer = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        self._is_silent = is_silent

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower()[:15] == b"content-length:"
        )
        self.asked.append(json.loads(await reader.readexactly(length))["signingRequest"])
        if not self._is_silent:
            writer.write(self._answer)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def signing(signer: Signer) -> AsyncIterator[Signer]:
    server = await asyncio.start_server(signer.serve, "127.0.0.1", 0)
    signer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/stir/v1/signing"
    async with server:
        yield signer


class Called(NamedTuple):
    """A line, what it tells, and its carrier."""

    line: SipLine
    worker: Worker
    carrier: SmallCarrier
    watch: Watch


@asynccontextmanager
async def calling(folder: Path, signer: Signer, **more: object) -> AsyncIterator[Called]:
    """Yield a line whose calls a service signs."""
    watch = Watch()
    worker = Worker(watch)
    with SmallCarrier(watch.touch) as carrier:
        server = {"server": f"127.0.0.1:{carrier.port}", "session_expires": 0, "options": False}
        parameters = json.dumps({**server, "identity_url": signer.url, **more})
        line = SipLine(parameters, worker, SoundRoom(), SoundFiles(FolderMedia(folder)), t1_ms=100)
        await watch.until(lambda: not worker.why_not)
        yield Called(line, worker, carrier, watch)
        await line.close()


async def kinds(worker: Worker, watch: Watch, last: str) -> list[str]:
    """Return what is heard of the call, until the last."""
    await watch.until(lambda: any(kind == last for _, kind in worker.kinds))
    return [kind for _, kind in worker.kinds]


def cause_of(worker: Worker) -> Cause:
    """Return the cause of the end of the only call."""
    ended = worker.first(Ended)
    assert isinstance(ended, Ended)
    return ended.cause


CALL: Final = Dialling("call", "12025550101", "+12025550199", 60_000, 60_000)


async def test_a_call_leaves_with_its_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_calls, "ANSWER_S", 20)
    sent: list[str] = []

    def noted(trunk: Trunk, order: Dialling, offer: bytes) -> Outgoing:
        sent.append(order.identity)
        return draft_of(trunk, order, offer)

    async with (
        signing(Signer(200, GOOD)) as signer,
        calling(tmp_path, signer, identity_attest="B") as called,
    ):
        monkeypatch.setattr("dialer.carriers.sip.leg.draft_of", noted)
        called.line.dial(CALL)
        assert await kinds(called.worker, called.watch, "Answered") == ["Answered"]
    (asked,) = signer.asked
    assert (asked["attest"], asked["orig"], asked["dest"]) == ("B", {"tn": "12025550199"}, {"tn": ["12025550101"]})
    assert sent == [SIGNED]


def test_the_signature_is_a_header_of_the_invite() -> None:
    values = read_sip_parameters(json.dumps({"server": "192.0.2.1"}))
    trunk = values.trunk(Flow(("192.0.2.1", 5_060)), ("192.0.2.9", 5_060))
    order = Dialling("call", "1", "2", 1, 1, identity=SIGNED)
    assert f"Identity: {SIGNED}".encode() in draft_of(trunk, order, b"").encode().split(b"\r\n")


WRONG: Final = [
    Signer(500, "{}"),
    Signer(200, "{}"),
    Signer(200, json.dumps({"signingResponse": {"identity": "a\r\nX-Evil: 1"}})),
    Signer(200, GOOD + " " * 20_000),
    Signer(200, "", is_silent=True),
]


@pytest.mark.parametrize("signer", WRONG, ids=["refused", "other", "header", "long", "gone"])
@pytest.mark.parametrize("is_required", [False, True])
async def test_without_a_signature_a_call_goes_on_or_ends_as_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signer: Signer, *, is_required: bool
) -> None:
    monkeypatch.setattr(signed_calls, "ANSWER_S", 20)
    async with signing(signer), calling(tmp_path, signer, identity_required=is_required) as called:
        called.line.dial(CALL)
        await kinds(called.worker, called.watch, "Ended" if is_required else "Answered")
        assert called.carrier.seen == ([] if is_required else [("1", "INVITE")])
        if is_required:
            assert cause_of(called.worker) is Cause.TEMPORARY_FAILURE


async def test_a_call_that_is_hung_up_meanwhile_never_leaves(tmp_path: Path) -> None:
    async with signing(Signer(200, GOOD)) as signer, calling(tmp_path, signer) as called:
        called.line.dial(CALL)
        called.line.perform(CALL.key, Clear(1))
        assert await kinds(called.worker, called.watch, "Ended") == ["Ended"]
        assert (cause_of(called.worker), called.carrier.seen, signer.asked) == (Cause.NORMAL_CLEARING, [], [])


@pytest.mark.parametrize("wrong", [{"identity_url": "ftp://a"}, {"identity_required": True}, {"identity_attest": "D"}])
def test_wrong_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParametersError):
        read_sip_parameters(json.dumps({"server": "192.0.2.1", **wrong}))
