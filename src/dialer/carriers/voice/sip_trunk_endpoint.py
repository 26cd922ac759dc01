"""One SIP gateway on the network: its user agent, its transport and its prompts."""

import asyncio
import contextlib
import secrets
from collections.abc import Coroutine
from functools import partial
from typing import Any, Final, Protocol

import msgspec
import structlog

from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.media.sound_router import OrderDone, SoundLost
from dialer.carriers.sip import causes
from dialer.carriers.sip.flows import Address, Flow, Transport
from dialer.carriers.sip.incoming_invite import read_invitation
from dialer.carriers.sip.leg import read_handle
from dialer.carriers.sip.masking import masked
from dialer.carriers.sip.outputs import (
    DigitReported,
    Diverted,
    LegAnswered,
    LegArrived,
    LegNews,
    LegOver,
    LegRinging,
    LookUp,
    Output,
    Send,
    SoundAgreed,
    TrunkState,
)
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.sdp import LocalSound
from dialer.carriers.sip.sdp_security import fresh_security
from dialer.carriers.sip.timers import T1_MS
from dialer.carriers.sip.trunk import mark
from dialer.carriers.sip.user_agent import UserAgent
from dialer.carriers.voice.carrier_connection import CarrierConnection
from dialer.carriers.voice.carrier_servers import CarrierServers, FoundServers
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.dns_records import KEPT_S_MAX, KEPT_S_MIN, DnsRecords
from dialer.carriers.voice.flow_transport import OpenTransport
from dialer.carriers.voice.peer_names import PeerNames
from dialer.carriers.voice.sockets import address_towards, bind
from dialer.carriers.voice.sound_files import SoundFileError, SoundFiles
from dialer.carriers.voice.sound_room import SoundFailed, SoundNews, SoundOver, SoundRoom
from dialer.carriers.voice.sound_stores import SoundStores
from dialer.carriers.voice.speech import Speaker
from dialer.carriers.voice.udp_transport import UdpTransport
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Arrived,
    Arriving,
    Ask,
    Clear,
    Converse,
    Dialling,
    Ended,
    Hold,
    LegReport,
    Order,
    Play,
    Ringing,
    Speech,
)
from dialer.domain.words.enums import Cause

SECRET_BYTES: Final = 16
CLOSING_S: Final = 1.0
"""Time for the carrier to take a registration back, which it may want a password for."""
_LOGGER: Final = structlog.get_logger(__name__)


class EndpointOwner(Protocol):
    """The receiver of an endpoint's reports. No method may raise."""

    def hear(self, key: str, at_ms: int, heard: LegReport, because: str) -> None:
        """Hear of a leg, at a moment of `steady_ms`; `because` is the reason of an end in words."""

    def trunk_is(self, why_not: str) -> None:
        """Take the state of the trunk: an empty text if it answers, or why it does not."""

    def trace(self, data: bytes, flow: Flow, *, is_sent: bool) -> None:
        """Take a SIP message that was sent or received, for the trace."""

    def found(self, text: str) -> None:
        """Take how the carrier's servers were found, a line each, if its name has any records of servers."""

    def remark(self, key: str, text: str) -> None:
        """Take a remark about a leg as text: the destination of its messages, or the quality of its sound."""


class SipTrunkEndpoint:
    """The user agent of one SIP gateway with its sockets and its sound. Open it before the first call."""

    def __init__(
        self,
        parameters: SipParameters,
        room: SoundRoom,
        files: SoundFiles,
        owner: EndpointOwner,
        t1_ms: int = T1_MS,
        speaker: Speaker | None = None,
        records: DnsRecords | None = None,
    ) -> None:
        """Prepare the telephone. Without `speaker`, it plays recordings only. `records` remembers answers of DNS."""
        self._parameters: Final = parameters
        self._servers: Final = CarrierServers(parameters, records or DnsRecords(), owner.found)
        self._room: Final = room
        self._files: Final = files
        self._speaker: Final = speaker
        self._owner: Final = owner
        self._t1_ms: Final = t1_ms
        self._tasks: set[asyncio.Task[None]] = set()
        self._wake: asyncio.TimerHandle | None = None
        self._stores: Final = SoundStores(room)
        self._unheard: Final[dict[str, int]] = {}
        """The turn of the last order of each leg with sound, by its key, of which nothing could be played; else 0."""
        self.tape: Final = self._stores.order
        """Change what becomes of the sound in the recording of a leg."""
        self._is_closed = False
        self._cut_because = ""
        """Why the connection to the carrier is lost, while it is."""
        self._is_taken_back: Final = asyncio.Event()

    async def open(self) -> None:
        """Find the carrier, and open the socket for SIP or the connection.

        Raises:
            OSError: the carrier's name is unknown, there is no way to it, the port is taken, or TLS fails.
        """
        found = await self._servers.find()
        self._family = found.family
        server = self._servers.in_order(found)[0]
        carrier, here = await self._open_transport(server)
        self._trunk = self._parameters.trunk(carrier, here, self._servers.hosts)
        if isinstance(self._transport, CarrierConnection):
            try:
                self._transport.listen(lambda host: self._trunk.is_of((host, 0)))
            except OSError:
                self._transport.close()
                raise
        self._names = PeerNames(self._family, self._found)
        self._agent = UserAgent(self._trunk, secrets.token_hex(SECRET_BYTES), self._t1_ms)
        if self._parameters.kind is Transport.UDP and found.until_s is not None:
            self._follow(found)
            self._later(self._look_again(found))
        self._perform(self._agent.open(steady_ms()))

    async def _open_transport(self, server: Address) -> tuple[Flow, Address]:
        """Open the transport, and return the flow to the carrier and our address on it."""
        self._transport: OpenTransport
        if self._parameters.kind is Transport.UDP:
            here = address_towards(self._family, server)
            self._transport = udp = UdpTransport(bind(self._family, self._parameters.local_port), self._take)
            return await udp.open(server), (here, udp.port)
        self._transport = connection = CarrierConnection(self._parameters, self._take, self)
        return await connection.open(self._family, server, partial(self._servers.addresses, self._family))

    def _follow(self, found: FoundServers) -> None:
        """Send calls to the servers that were found, from now on."""
        if found.has_records:
            self._trunk = self._parameters.trunk(
                self._trunk.server, (self._trunk.machine, self._trunk.here[1]), self._servers.hosts
            )
            self._agent.know(self._trunk, found.targets)

    async def _look_again(self, found: FoundServers) -> None:
        """Look the servers up again each time that the answer is old. One that is no good changes nothing."""
        until_s = found.until_s
        while True:
            now_s = asyncio.get_running_loop().time()
            # Records that are gone now may be there again later.
            await asyncio.sleep(max(KEPT_S_MIN, (now_s + KEPT_S_MAX if until_s is None else until_s) - now_s))
            try:
                found = await self._servers.find(self._family)
            except OSError as error:
                _LOGGER.warning("the servers of a carrier are not known anew", reason=str(error))
                continue
            self._follow(found)
            until_s = found.until_s

    def cut(self, why: str) -> None:
        """Hear that the connection to the carrier is lost. Calls in progress go on: their sound goes other ways."""
        self._cut_because = why
        self._perform(self._agent.cut(steady_ms()))
        self._owner.trunk_is(why)

    def joined(self, here: Address, *, is_same_server: bool) -> None:
        """Go on over another connection to the carrier."""
        self._cut_because = ""
        self._trunk = self._parameters.trunk(self._trunk.server, here, self._servers.hosts)
        self._perform(self._agent.reopen(steady_ms(), self._trunk, is_same_server=is_same_server))

    async def close(self) -> None:
        """Remove the registration, and close the sockets. Calls in progress are not ended."""
        self._perform(self._agent.close(steady_ms()))
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_S):
                    await self._is_taken_back.wait()
        finally:
            self._shut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _shut(self) -> None:
        self._is_closed = True
        if self._wake is not None:
            self._wake.cancel()
        self._transport.close()
        self._names.close()
        for task in tuple(self._tasks):
            task.cancel()

    def dial(self, dialling: Dialling) -> bool:
        """Place a call, and return True; False if too many wait for their turn."""
        if not self._agent.has_turn(dialling.cps_max):
            return False
        local = self._open_sound(dialling.key, self._parameters.ports)
        if local is None:
            self._hear_end(LegOver(dialling.key, steady_ms(), causes.NO_CIRCUIT, "no port for sound is free"))
        else:
            self._remember_store(dialling)
            self._perform(self._agent.dial(steady_ms(), dialling, local))
        return True

    def answer(self, arriving: Arriving) -> bool:
        """Answer a call if it still rings. Return False if it rang elsewhere, and its handle cannot be read."""
        now_ms, key = steady_ms(), arriving.key
        try:
            rings = self._agent.rings(arriving)
        except ValueError:
            return False
        local = self._open_sound(key, self._parameters.ports) if rings else None
        if local is not None:
            self._remember_store(arriving)
            self._perform(self._agent.answer(now_ms, arriving, local))
        elif rings:
            self._perform(self._agent.clear(now_ms, key, causes.NO_CIRCUIT, "no port for sound is free"))
        return True

    def take_up(self, order: Dialling | Arriving, handle: str, age_ms: int) -> bool:
        """Continue an answered leg of another process on the same port, `age_ms` after its answer, and return True.

        If the port is taken, the leg is hung up. Return False then, and if the handle cannot be read.
        """
        try:
            dialog = read_handle(handle)
            if isinstance(order, Arriving):
                read_invitation(order.handle)
        except ValueError:
            return False
        has_sound = self._open_sound(order.key, range(dialog.local.port, dialog.local.port + 1)) is not None
        self._perform(self._agent.take_up(steady_ms(), order, dialog, age_ms))
        self._remember_store(order)
        self._begin_sound(order.key)
        if not has_sound:
            self._perform(self._agent.clear(steady_ms(), order.key, causes.NO_CIRCUIT, "its port is taken"))
        return has_sound

    def withdraw(self, dialling: Dialling) -> None:
        """Cancel a call that another process may have placed."""
        local = self._local(self._transport.port, 0)
        self._perform(self._agent.withdraw(steady_ms(), dialling, local))

    def acknowledge(self, key: str) -> None:
        """Send the ACK for the answer of the other side."""
        self._perform(self._agent.acknowledge(steady_ms(), key))

    def perform(self, key: str, order: Order) -> None:
        """Give an order to a leg."""
        if isinstance(order, Clear):
            self._perform(self._agent.clear(steady_ms(), key, order.cause, "hung up"))
        elif isinstance(order, (Play, Ask, Converse)) and order.speeches:
            self._later(self._play(key, order, order.speeches))
        elif isinstance(order, Hold) and order.file:
            self._later(self._play(key, order, (Speech(order.file),)))
        else:
            self._room.perform(key, order, b"")

    def _open_sound(self, key: str, ports: range | None) -> LocalSound | None:
        """Open a socket for the sound of a leg; return None if no port is free."""
        place = (self._family, ports)
        try:
            port = self._room.add(key, place, self._sounded, self._terms())
        except OSError:
            return None
        self._unheard[key] = 0
        return self._local(port, int(mark(key, "session")[:8], 16))

    def _terms(self) -> SoundTerms:
        """Return the terms of the sound of a call that begins now, at the carrier as it is known now."""
        return SoundTerms(
            is_symmetric=self._parameters.symmetric,
            # A helper that carries sound gets the terms: it does not need the password.
            is_carrier=msgspec.structs.replace(self._trunk, credentials=None).is_of,
            hears_tones=self._parameters.inband_keys,
            timeout_ms=self._parameters.sound_timeout * 1_000,
        )

    def _local(self, port: int, session: int) -> LocalSound:
        """Return our side of a call, with keys of its own."""
        security = fresh_security(self._parameters.encryption, secrets.token_bytes)
        return LocalSound(self._trunk.here[0], port, self._trunk.codecs, session, security)

    async def _play(self, key: str, order: Order, speeches: tuple[Speech, ...]) -> None:
        speeches = speeches if self._speaker is None else await self._speaker.as_files(speeches)
        prompt = await asyncio.to_thread(self._prompt, speeches)
        if not prompt and key in self._unheard:
            self._unheard[key] = order.turn
        self._room.perform(key, order, prompt)

    def _prompt(self, speeches: tuple[Speech, ...]) -> bytes:
        parts: list[bytes] = []
        for speech in speeches:
            try:
                parts.append(self._files.read(speech.file) if speech.file else b"")
            except SoundFileError as error:
                _LOGGER.warning("a prompt cannot be played", file=speech.file, error=str(error))
        return b"".join(parts)

    def _sounded(self, news: SoundNews) -> None:
        """Take what the sound of a leg tells."""
        at_ms = steady_ms()
        match news:
            case OrderDone():
                is_unheard = self._unheard.get(news.key) == news.done.turn
                done = msgspec.structs.replace(news.done, is_unheard=True) if is_unheard else news.done
                self._hear(news.key, at_ms, done, news.recording)
            case SoundLost():
                because = f"neither sound nor a report came for {self._parameters.sound_timeout} s"
                self._perform(self._agent.clear(at_ms, news.key, causes.TIMER_EXPIRY, because))
            case SoundFailed():
                because = "the process that carried its sound has ended"
                self._perform(self._agent.clear(at_ms, news.key, causes.OUT_OF_SERVICE, because))

    def _hear(
        self, key: str, at_ms: int, heard: LegReport, recording: tuple[str, bytes] | None = None, because: str = ""
    ) -> None:
        """Tell the owner what was heard, after a recording is saved."""
        if recording is None:
            self._owner.hear(key, at_ms, heard, because)
        else:
            self._later(self._save(key, at_ms, heard, recording, because))

    async def _save(self, key: str, at_ms: int, heard: LegReport, recording: tuple[str, bytes], because: str) -> None:
        try:
            await asyncio.to_thread(self._files.write, *recording)
        except SoundFileError as error:
            _LOGGER.warning("a recording cannot be saved", file=recording[0], error=str(error))
        self._owner.hear(key, at_ms, heard, because)

    def _take(self, data: bytes, flow: Flow) -> None:
        now_ms = steady_ms()
        if not self._agent.hears(now_ms, flow, len(data)):
            return
        self._owner.trace(data, flow, is_sent=False)
        self._perform(self._agent.receive(now_ms, data, flow))

    def _run(self) -> None:
        self._wake = None
        self._perform(self._agent.run(steady_ms()))

    def _perform(self, outputs: list[Output]) -> None:
        for output in outputs:
            self._perform_one(output)
        if self._agent.is_closed:
            self._is_taken_back.set()
        due_ms = self._agent.next_ms()
        if self._wake is not None:
            self._wake.cancel()
        if due_ms is not None and not self._is_closed:
            wait_s = max(0, due_ms - steady_ms()) / 1_000
            self._wake = asyncio.get_running_loop().call_later(wait_s, self._run)

    def _perform_one(self, output: Output) -> None:
        match output:
            case Send():
                self._owner.trace(output.data, output.flow, is_sent=True)
                self._transport.send(output.data, output.flow)
            case LookUp():
                self._names.add(output)
            case Diverted():
                self._owner.remark(output.key, _in_words(output))
            case SoundAgreed():
                self._room.agree(output.key, output.sound)
            case DigitReported():
                self._room.press(output.key, output.digit)
            case LegArrived() | LegRinging() | LegAnswered() | LegOver():
                self._tell(output)
            case TrunkState():
                self._owner.trunk_is(self._cut_because or output.why_not)

    def _tell(self, news: LegNews) -> None:
        match news:
            case LegArrived():
                self._hear(news.key, news.at_ms, Arrived(news.called, news.caller, news.handle))
            case LegRinging():
                self._hear(news.key, news.at_ms, Ringing(0))
            case LegAnswered():
                self._begin_sound(news.key)
                self._hear(news.key, news.at_ms, Answered(0, news.handle))
            case LegOver():
                self._hear_end(news)

    def _remember_store(self, order: Dialling | Arriving) -> None:
        if order.sound_store is not None:
            self._stores.add(order.key, order.sound_store)

    def _begin_sound(self, key: str) -> None:
        """Watch and record a leg, which is answered."""
        self._room.watch(key)
        self._stores.answered(key)

    def _hear_end(self, ended: LegOver) -> None:
        self._stores.forget(ended.key)
        self._unheard.pop(ended.key, None)
        self._room.finish(ended.key, partial(self._hear_over, ended))

    def _hear_over(self, ended: LegOver, over: SoundOver) -> None:
        if over.quality:
            self._owner.remark(ended.key, over.quality)
        recording_ms = None if over.recording is None else len(over.recording[1]) // 8
        wanted_ms, sound = ended.retry_after_ms, over.figures
        heard = Ended(0, Cause(ended.cause), recording_ms=recording_ms, retry_after_ms=wanted_ms, sound=sound)
        self._hear(ended.key, ended.at_ms, heard, over.recording, ended.because)

    def _found(self, output: LookUp, host: str) -> None:
        """Send to a host whose address was looked up, or to the carrier if it has none."""
        if not self._is_closed:
            self._perform(self._agent.resolved(steady_ms(), output, host))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _in_words(diverted: Diverted) -> str:
    """Return where the messages of a leg go, and why."""
    (host, port), (carrier, carrier_port) = diverted.meant.address, diverted.to.address
    return (
        f"nothing can be sent to {masked(host)}:{port}, which the other side has named:"
        f" messages go to {carrier}:{carrier_port} instead"
    )
