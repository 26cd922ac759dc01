"""Tests of SIP over TCP and TLS, with a carrier whose connections can be cut and whose certificate may be wrong."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from cryptography import x509

from dialer.carriers.line_port import Alive, LiveLeg
from dialer.carriers.sip.message_stream import PING
from dialer.carriers.voice import carrier_connection
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.line_factory import sip_lines
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Answered, Clear, Dialling
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.sip.calling import invitation
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.stream_carrier import StreamCarrier, of_carrier, stream_carrier
from tests.carriers.voice.test_line_process import process_of
from tests.certificates import Authority, dns, uri

NAME: Final = "carrier.example"
PAST: Final = datetime.now(UTC) - timedelta(days=1)


class Scene:
    """A line, the worker that hears it, and the folder of its certificates."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.watch = Watch()
        self.worker = Worker(self.watch)
        self.authority = Authority(folder)
        self.line: SipLine

    def carrier_settings(self, *, wants: str = "") -> ssl.SSLContext:
        """Return the settings of a carrier whose certificate is right."""
        return of_carrier(*self.authority.sign("carrier", uri(NAME)), wants=wants)

    async def carrier(self, settings: ssl.SSLContext | None = None, port: int = 0) -> StreamCarrier:
        """Run a carrier."""
        return await self._stack.enter_async_context(stream_carrier(self.watch.touch, settings, port))

    def open(self, port: int, t1_ms: int = 100, room: SoundRoom | None = None, /, **parameters: object) -> None:
        """Open the line of a gateway over TLS, unless told otherwise."""
        usual = {"server": f"127.0.0.1:{port}", "domain": NAME, "ca_file": self.authority.file, "session_expires": 0}
        text = json.dumps({"transport": "tls", "srtp": "off", **usual, **parameters})
        room, files = room or SoundRoom(), SoundFiles(FolderMedia(self.folder))
        self.line = SipLine(text, self.worker, room, files, t1_ms=t1_ms)
        self._stack.callback(room.close)
        self._stack.push_async_callback(self.line.close)

    async def is_up(self) -> None:
        """Wait until the line is up."""
        await self.watch.until(lambda: not self.worker.why_not)

    async def fails(self) -> str:
        """Wait until the line says why it does not work, and return that."""
        await self.watch.until(lambda: self.worker.why_not not in {"nothing was heard", "it is being opened", ""})
        return self.worker.why_not

    async def answered(self, key: str) -> None:
        """Place a call, and wait until it is answered and acknowledged."""
        self.line.dial(Dialling(key, "1001", "+12025550150", 20_000, 60_000))
        await self.watch.until(lambda: (key, "Answered") in self.worker.kinds)
        self.line.settled(self.worker.heard_of[-1][0])


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """Return a scene."""
    async with AsyncExitStack() as stack:
        yield Scene(tmp_path, stack)


@pytest.mark.parametrize("transport", ["tcp", "tls"])
async def test_a_call_goes_over_one_connection_whatever_its_uris_say(scene: Scene, transport: str) -> None:
    carrier = await scene.carrier(scene.carrier_settings() if transport == "tls" else None)
    scene.open(carrier.port, transport=transport, username="anna", password="secret", register=True)
    await scene.is_up()
    await scene.answered("call")
    scene.line.perform("call", Clear(16))
    await scene.watch.until(lambda: "BYE" in carrier.methods)
    # The Contact of the answer names UDP and another port. Nothing is sent there.
    assert carrier.methods == ["REGISTER", "INVITE", "ACK", "BYE"]
    assert len(carrier.writers) == 1
    here = "{}:{}".format(*carrier.writers[0].get_extra_info("peername"))
    assert {
        (one.via.transport, f"{one.via.host}:{one.via.port}", "alias" in one.via.parameters) for one in carrier.seen
    } == {(transport.upper(), here, True)}
    assert carrier.of("INVITE")[0].header("Contact") == f"<sip:anna@{here};transport={transport}>"


async def test_nothing_is_repeated_over_a_connection(scene: Scene) -> None:
    carrier = await scene.carrier()
    carrier.statuses = {"INVITE": 0, "OPTIONS": 0}
    scene.open(carrier.port, 10, transport="tcp")
    await scene.is_up()
    scene.line.dial(Dialling("call", "1001", "", 20_000, 60_000))
    # Timer B is 64 times 10 ms. By then, a datagram would have been sent seven times.
    await scene.watch.until(lambda: ("call", "Ended") in scene.worker.kinds)
    assert carrier.methods == ["OPTIONS", "INVITE"]


async def test_after_a_lost_connection_the_line_registers_and_refreshes_its_calls(scene: Scene) -> None:
    carrier = await scene.carrier(scene.carrier_settings())
    scene.open(carrier.port, username="anna", password="secret", register=True)
    await scene.is_up()
    for key in ("first", "second"):
        await scene.answered(key)
    carrier.seen.clear()
    carrier.cut()
    await scene.watch.until(lambda: carrier.methods.count("ACK") == 2 and not scene.worker.why_not)
    assert sorted(carrier.methods) == ["ACK", "ACK", "INVITE", "INVITE", "REGISTER"]
    here = "{}:{}".format(*carrier.writers[0].get_extra_info("peername"))
    assert {one.header("Contact") for one in carrier.seen if one.method != "ACK"} == {
        f"<sip:anna@{here};transport=tls>"
    }
    assert {one.call_id for one in carrier.of("INVITE")} == {"first", "second"}
    assert [kind for _, kind in scene.worker.kinds if kind == "Ended"] == []
    scene.line.perform("second", Clear(16))
    await scene.watch.until(lambda: [one.call_id for one in carrier.of("BYE")] == ["second"])


async def test_a_request_that_got_lost_with_its_connection_is_sent_again(scene: Scene) -> None:
    carrier = await scene.carrier(scene.carrier_settings())
    scene.open(carrier.port, options=False)
    await scene.is_up()
    await scene.answered("call")
    carrier.statuses = {"BYE": 0, "INVITE": 0}
    scene.line.perform("call", Clear(16))
    scene.line.dial(Dialling("next", "1001", "", 20_000, 60_000))
    await scene.watch.until(lambda: {"BYE"} <= set(carrier.methods) and len(carrier.of("INVITE")) == 2)
    carrier.statuses = {}
    carrier.cut()
    await scene.watch.until(lambda: ("next", "Answered") in scene.worker.kinds and len(carrier.of("BYE")) == 2)
    for method in ("BYE", "INVITE"):
        assert len({one.branch for one in carrier.of(method)[-2:]}) == 1
    assert len(carrier.of("INVITE")) == 3


async def test_a_carrier_that_pings_and_answers_no_pings_keeps_its_connection(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PROVEN_S", "PING_EVERY_S", "PONG_S"):
        monkeypatch.setattr(carrier_connection, name, 0.05)
    carrier = await scene.carrier()
    carrier.answers_pings = False
    scene.open(carrier.port, transport="tcp", options=False)
    await scene.is_up()
    pongs, pings = carrier.pongs, carrier.pings
    carrier.writers[0].write(PING)
    # A ping in one piece comes to the carrier as two line ends, of which the first might be an answer.
    await scene.watch.until(lambda: carrier.pongs > pongs and carrier.pings >= pings + 3)
    assert len(carrier.writers) == 1


class Wrong(NamedTuple):
    """A gateway over TLS with something that is wrong, and the words for it."""

    words: str
    names: tuple[x509.GeneralName, ...] = (uri(NAME),)
    """The names in the carrier's certificate."""
    until: datetime | None = None
    parameters: Mapping[str, str] = {}


WRONG: Final = {
    "another name": Wrong("not for the name carrier.ex", (uri("other.example"), dns("sip.carrier.example"))),
    "a wildcard": Wrong("is for *.example, and not for the name", (dns("*.example"),)),
    "the name of a user": Wrong("is for nobody", (uri(f"anna@{NAME}"),)),
    "another name is set": Wrong("not for the name b.example", parameters={"server_name": "b.example"}),
    "an unknown authority": Wrong("authority that is not known here", parameters={"ca_file": ""}),
    "an expired certificate": Wrong("certificate of the carrier has expired", until=PAST),
    "no file": Wrong("ca_file cannot be read: No such file", parameters={"ca_file": "/none"}),
    "a directory": Wrong("ca_file cannot be read: Is a directory", parameters={"ca_file": "/"}),
    "no authority": Wrong("holds no certificate of an authority", parameters={"ca_file": "{key}"}),
    "no key": Wrong("certificate is set, and key is not", parameters={"certificate": "{us}"}),
    "no certificate": Wrong("key is set, and certificate is not", parameters={"key": "{key}"}),
    "another key": Wrong("is not the key of certificate", parameters={"certificate": "{us}", "key": "{other}"}),
    "no PEM file": Wrong("no PEM file of its kind", parameters={"certificate": "{key}", "key": "{key}"}),
    "nothing for calls": Wrong("needs certificate and key", parameters={"local_port": "{port}"}),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_line_says_what_is_wrong_with_a_certificate(scene: Scene, case: str) -> None:
    wrong = WRONG[case]
    carrier = await scene.carrier(of_carrier(*scene.authority.sign("carrier", *wrong.names, until=wrong.until)))
    us, key = scene.authority.sign("us", dns("us.example"))
    _, other = scene.authority.sign("other", dns("us.example"))
    known: dict[str, object] = {"{us}": us, "{key}": key, "{other}": other, "{port}": free_port()}
    scene.open(carrier.port, **{name: known.get(value, value) for name, value in wrong.parameters.items()})
    why = await scene.fails()
    assert why.startswith("it cannot be opened: ")
    assert wrong.words in why
    # No request has left: neither the number that is called nor the account.
    assert carrier.seen == []


@pytest.mark.parametrize(
    "names", [(uri(NAME.upper()),), (dns("other.example"), dns(NAME)), (dns("a.example"), uri(NAME))]
)
async def test_a_certificate_is_right_with_the_name_of_the_domain(
    scene: Scene, names: tuple[x509.GeneralName, ...]
) -> None:
    carrier = await scene.carrier(of_carrier(*scene.authority.sign("carrier", *names)))
    scene.open(carrier.port)
    await scene.is_up()


def _shake_hands(listener: socket.socket, settings: ssl.SSLContext) -> None:
    """Take one connection, as blocking servers do: the event loop's own sends no word when it refuses one."""
    accepted, _ = listener.accept()
    with accepted, contextlib.suppress(OSError), settings.wrap_socket(accepted, server_side=True) as secure:
        secure.recv(1)


@pytest.mark.parametrize(("signer", "words"), [("", "certificate required"), ("stranger", "unknown ca")])
async def test_a_carrier_that_refuses_our_certificate_is_quoted(scene: Scene, signer: str, words: str) -> None:
    settings, ours = scene.carrier_settings(wants=scene.authority.file), dict[str, str]()
    if signer:
        ours = dict(zip(("certificate", "key"), Authority(scene.folder, signer).sign("them"), strict=True))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        shaking = asyncio.get_running_loop().run_in_executor(None, _shake_hands, listener, settings)
        scene.open(listener.getsockname()[1], **ours)
        assert await scene.fails() == f"it cannot be opened: the carrier refuses the connection: {words}"
        await shaking


async def test_a_carrier_that_knows_us_by_our_certificate_takes_our_requests(scene: Scene) -> None:
    carrier = await scene.carrier(scene.carrier_settings(wants=scene.authority.file))
    certificate, key = scene.authority.sign("us", dns("us.example"))
    scene.open(carrier.port, certificate=certificate, key=key)
    await scene.is_up()
    await scene.watch.until(lambda: carrier.methods == ["OPTIONS"])


async def test_a_port_that_does_not_speak_tls_or_nobody_has_is_told_in_words(scene: Scene) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"SIP/2.0 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    scene.open(server.sockets[0].getsockname()[1])
    assert await scene.fails() == "it cannot be opened: the carrier does not speak TLS at this port"
    server.close()
    await scene.line.close()
    scene.open(free_port(), transport="tcp")
    await scene.watch.until(lambda: "onnect call failed" in scene.worker.why_not or "refused" in scene.worker.why_not)


@asynccontextmanager
async def _calling(
    port: int, settings: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=settings)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("by", ["our connection", "our port"])
async def test_calls_of_the_carrier_come_by_our_connection_or_to_our_port(scene: Scene, by: str) -> None:
    carrier = await scene.carrier(scene.carrier_settings())
    certificate, key = scene.authority.sign("us", dns("us.example"))
    port = free_port() if by == "our port" else 0
    scene.open(carrier.port, certificate=certificate, key=key, local_port=port)
    await scene.is_up()
    await scene.watch.until(lambda: carrier.writers)
    if by == "our port":
        trusting = ssl.create_default_context(cafile=scene.authority.file)
        trusting.check_hostname = False
        async with _calling(port, trusting) as (reader, writer):
            writer.write(invitation())
            assert (await reader.readuntil(b"\r\n")) == b"SIP/2.0 180 Ringing\r\n"
    else:
        carrier.writers[0].write(invitation())
    await scene.watch.until(lambda: [kind for _, kind in scene.worker.kinds] == ["Arrived"])


async def test_strangers_at_our_port_are_hung_up_on_before_the_handshake(scene: Scene) -> None:
    carrier, port = await scene.carrier(), free_port()
    # The carrier is at 127.0.0.1, and the stranger at 127.0.0.2.
    scene.open(carrier.port, transport="tcp", local_port=port)
    await scene.is_up()
    with socket.socket() as stranger:
        stranger.settimeout(0)
        stranger.bind(("127.0.0.2", 0))
        loop = asyncio.get_running_loop()
        await loop.sock_connect(stranger, ("127.0.0.1", port))
        assert await loop.sock_recv(stranger, 1) == b""


HOSTILE: Final = {
    "rubbish": b"\x00" * 20_000,
    "no length": b"OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP a\r\n\r\n",
    "an endless body": b"OPTIONS sip:a@b SIP/2.0\r\nContent-Length: 99999999\r\n\r\n",
}


@pytest.mark.parametrize("case", HOSTILE)
async def test_hostile_bytes_close_their_connection_and_no_other(scene: Scene, case: str) -> None:
    carrier, port = await scene.carrier(), free_port()
    scene.open(carrier.port, transport="tcp", local_port=port)
    await scene.is_up()
    await scene.answered("call")
    async with _calling(port) as (reader, writer):
        # A message that is none in itself is dropped, and the next one is read.
        writer.write(b"x y z\r\nContent-Length: 0\r\n\r\n" + b"\r\n\r\n")
        assert await reader.readexactly(2) == b"\r\n"
        writer.write(HOSTILE[case])
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(1)
    scene.line.perform("call", Clear(16))
    await scene.watch.until(lambda: "BYE" in carrier.methods)
    assert len(carrier.writers) == 1


async def test_a_call_over_tls_outlives_its_process(scene: Scene) -> None:
    carrier, dialling = await scene.carrier(scene.carrier_settings()), Dialling("call", "1", "", 60_000, 60_000)
    parameters = {"server": f"127.0.0.1:{carrier.port}", "transport": "tls", "ca_file": scene.authority.file}
    text = json.dumps({**parameters, "srtp": "off", "server_name": NAME, "session_expires": 0})
    line = sip_lines(scene.folder, scene.folder)(1, text, scene.worker)
    try:
        await scene.is_up()
        line.dial(dialling)
        await scene.watch.until(lambda: ("call", "Answered") in scene.worker.kinds)
        answered = scene.worker.first(Answered)
        assert isinstance(answered, Answered)
        os.kill(process_of(scene.folder), signal.SIGKILL)
        await scene.fails()
        carrier.seen.clear()
        await scene.is_up()
        assert await line.find([LiveLeg(dialling, 10**6, 0, answered.handle)]) == [Alive()]
        # The other process acknowledges the answer, and tells where it is now.
        await scene.watch.until(lambda: carrier.methods.count("ACK") == 2)
        here = "{}:{}".format(*carrier.writers[-1].get_extra_info("peername"))
        assert [one.header("Contact") for one in carrier.of("INVITE")] == [f"<sip:dialer@{here};transport=tls>"]
        line.perform("call", Clear(1))
        await scene.watch.until(lambda: "BYE" in carrier.methods)
    finally:
        await line.close()
        os.kill(process_of(scene.folder), signal.SIGTERM)


async def test_a_renewed_certificate_is_shown_to_the_next_caller_once_both_files_are_there(scene: Scene) -> None:
    carrier, port = await scene.carrier(scene.carrier_settings()), free_port()
    files = scene.authority.sign("us", dns("before.example"))
    scene.open(carrier.port, certificate=files[0], key=files[1], local_port=port)
    await scene.is_up()
    trusting = ssl.create_default_context(cafile=scene.authority.file)
    trusting.check_hostname = False

    async def shown() -> list[tuple[str, str]]:
        async with _calling(port, trusting) as (_, writer):
            names = writer.get_extra_info("peercert")["subjectAltName"]
            return [(str(kind), str(name)) for kind, name in names]

    assert await shown() == [("DNS", "before.example")]
    renewed = scene.authority.sign("again", dns("after.example"))
    shutil.copy(renewed[0], files[0])
    # Its key is still that of the one before.
    assert await shown() == [("DNS", "before.example")]
    shutil.copy(renewed[1], files[1])
    assert await shown() == [("DNS", "after.example")]
    os.unlink(files[1])  # noqa: PTH108 - a path would be read in the event loop all the same
    assert await shown() == [("DNS", "after.example")]
    # Our own connection to the carrier was never in the way.
    assert len(carrier.writers) == 1
