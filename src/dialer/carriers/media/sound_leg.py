"""The sound of one leg: its packets in both directions, and the order in progress."""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.media import g711
from dialer.carriers.media.bridged_stream import Numbers
from dialer.carriers.media.call_quality import Quality
from dialer.carriers.media.call_tape import CallTape
from dialer.carriers.media.dtmf_events import Rfc4733Dtmf
from dialer.carriers.media.dtmf_inband import InbandDtmf
from dialer.carriers.media.media_address import Address, Peer
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.rtcp import REPORT_MS, RtcpError, Sent
from dialer.carriers.media.rtp import (
    FRAME_MS,
    FRAME_SAMPLES,
    RATE_HZ,
    SEQUENCES,
    TIMESTAMPS,
    RtpError,
    RtpPacket,
)
from dialer.carriers.media.rtp_frames import Framer
from dialer.carriers.media.supervision import QUIET_FRAMES_MIN, Supervising, add
from dialer.carriers.media.transform import Plain, Transform, transform_of
from dialer.carriers.sip.sdp import KEYS_PAYLOAD, PORTS, AgreedSound, Codec, Direction
from dialer.domain.calls.sound_quality import SoundQuality

COMFORT_NOISE: Final = 13
"""The payload type of what is sent instead of silence (RFC 3389)."""
SAME_KEY_MS: Final = 500
"""Time after a key in the sound in which the same key as an event is the same: the tone has begun before the event."""
LOOKS_EVERY_MS: Final = 1_000
_SENDS: Final = frozenset({Direction.SENDRECV, Direction.SENDONLY})


def _is_nobody(_: Address) -> bool:
    return False


class SoundTerms(msgspec.Struct, frozen=True):
    """The settings of a leg's sound, from its trunk."""

    is_symmetric: bool = True
    """True if sound goes back to where it comes from, as NAT needs it."""
    is_carrier: Callable[[Address], bool] = _is_nobody
    """Says whether an address belongs to the carrier."""
    hears_tones: bool = False
    """True if keys in the sound count although events were agreed on."""
    timeout_ms: int = 0
    """Time without any packet after which the other side is gone; 0: for ever."""


class SoundLeg:
    """The sound of one leg: packets in and out, keys, and the order in progress.

    `chance` is a random number, from which the numbers of the packets begin, as nobody is to guess them.
    """

    def __init__(self, key: str, chance: int, terms: SoundTerms) -> None:
        self.key: Final = key
        self.activity = Activity(0)
        self.bridged: SoundLeg | None = None
        self.supervision: Supervising | None = None
        """The order of a supervisor who hears this leg."""
        self._quiet_frames = 0
        """Frames since the bridged leg has said something."""
        self.packets_sent = 0
        self._octets_sent = 0
        self.peer: Final = Peer(terms.is_carrier, is_symmetric=terms.is_symmetric)
        self.look_ms = 0
        """The moment of the next `look`."""
        self._terms: Final = terms
        self._ssrc: Final = chance & 0xFFFFFFFF
        self._numbers: Final = Numbers(chance >> 32 & 0x7FFF, chance >> 47 & 0xFFFFFFFF)
        self.quality: Final = Quality(self._ssrc, f"{chance & 0xFFFFFFFFFFFF:012x}")
        self._reception: Final = self.quality.reception
        self._sound: AgreedSound | None = None
        self._use(Plain())
        self._tables: dict[int, bytes | None] = {}
        """The tables from payload types of sound to µ-law."""
        self._key_payloads: frozenset[int] = frozenset()
        self.rest: list[tuple[int, bytes, Address]] = []
        """The other pieces of the packet that was made last, if the other side takes short ones only.

        Each has its time after the first one, in samples, and its destination. The router takes them away.
        """
        self.tape: CallTape | None = None
        """The recording of both sides in progress."""
        self._keys = Rfc4733Dtmf()
        self._framer = Framer()
        self._tones = InbandDtmf()
        self._tone: tuple[str, int] = ("", 0)
        self._has_events = False
        self._watched = False
        self._alive_ms = 0
        self._report_ms: int | None = None

    def agree(self, now_ms: int, sound: AgreedSound) -> None:
        """Send to and hear from this place from now on."""
        self.peer.agree(now_ms, (sound.host, sound.port))
        self._sound = sound
        self._use(transform_of(sound, self.quality.transform))
        spoken = sound.spoken or ((sound.payload, sound.codec),)
        self._tables = {payload: _TO_ULAW[codec] for payload, codec in spoken}
        # The other side sends with the payload type that we have named; some use their own (RFC 3264 5.1).
        keys = sound.keys_payload
        self._key_payloads = frozenset() if keys is None else frozenset({keys, KEYS_PAYLOAD}) - self._tables.keys()
        self._alive_ms = now_ms
        if self._report_ms is None:
            self._report_ms = now_ms + REPORT_MS // 2 + self._ssrc % (REPORT_MS // 2)

    def _use(self, transform: Transform) -> None:
        """Send and hear datagrams of a transform from now on."""
        # Python is slower with an object of more than 29 attributes, so the rest of the transform is kept elsewhere.
        self.quality.transform = transform
        self._read, self._write = transform.read, transform.write

    def watch(self, now_ms: int) -> None:
        """Start to watch for silence of the other side, because the call is answered."""
        self._watched, self._alive_ms = True, now_ms

    def begin(self, activity: Activity) -> None:
        """Replace the order in progress. Keys from before do not count."""
        self.activity = activity
        self._tones = InbandDtmf()
        self._framer = Framer()

    def join(self, other: "SoundLeg | None") -> None:
        """Connect the leg with another one, or with none."""
        self.bridged = other
        self._numbers.begin()

    def next_packet(self) -> tuple[bytes, Address] | None:
        """Return the packet for the next 20 ms and its destination; None while the leg sends no sound."""
        sound, remote, tape = self._sound, self.peer.remote, self.tape
        if tape is not None:
            tape.tick()
        if self.bridged is not None and self.supervision is None:
            return None
        if sound is None or remote is None or sound.direction not in _SENDS:
            self.activity.pass_time()
            return None
        frame = self.activity.next_frame() if self.bridged is None else self._voice_alone()
        if not frame:
            return None
        numbers = self._numbers
        numbers.timestamp = (numbers.timestamp + FRAME_SAMPLES) % TIMESTAMPS
        if tape is not None:
            tape.say(numbers.timestamp, frame)
        if sound.codec is Codec.PCMA:
            frame = frame.translate(g711.ALAW_OF_ULAW)
        numbers.sequence = (numbers.sequence + 1) % SEQUENCES
        is_marked, self._numbers.is_first = self._numbers.is_first, False
        packet = RtpPacket(sound.payload, numbers.sequence, numbers.timestamp, self._ssrc, frame, is_marked)
        if sound.packet_ms < FRAME_MS:
            return self._in_pieces(packet, sound.packet_ms, remote)
        # As `_written`: this runs 50 times a second for each call, so it calls little.
        write = self._write
        datagram = write(packet)
        if datagram:
            self.packets_sent += 1
            self._octets_sent += len(frame)
        return datagram, remote

    def _written(self, packet: RtpPacket) -> bytes:
        """Return the datagram of a packet, and count it. An empty one is not sent."""
        write = self._write
        datagram = write(packet)
        if datagram:
            self.packets_sent += 1
            self._octets_sent += len(packet.data)
        return datagram

    def _in_pieces(self, packet: RtpPacket, length_ms: int, remote: Address) -> tuple[bytes, Address]:
        """Return the first piece of a packet, and keep the others. Packets that follow are numbered after them."""
        size, sound = length_ms * RATE_HZ // 1_000, packet.data
        for begin in range(size, len(sound), size):
            sequence = (packet.sequence + begin // size) % SEQUENCES
            timestamp = (packet.timestamp + begin) % TIMESTAMPS
            piece = RtpPacket(packet.payload, sequence, timestamp, packet.ssrc, sound[begin : begin + size])
            self.rest.append((begin, self._written(piece), remote))
        self._numbers.move_on(len(self.rest))
        return self._written(replace(packet, data=sound[:size])), remote

    def _voice_alone(self) -> bytes:
        """Return the next 20 ms of a supervisor's voice if the bridged leg says nothing to which it could be added."""
        self._quiet_frames += 1
        if self.supervision is None or self._quiet_frames <= QUIET_FRAMES_MIN:
            return b""
        frame = self.supervision.voice_for(self.key)
        if frame:
            # The bridged leg goes on after what is sent now.
            self._numbers.begin()
        return frame

    def skip(self, frames: int) -> None:
        """Leave out frames for which there was no time: their moments are over (RFC 3550 5.1)."""
        if self.tape is not None:
            self.tape.tick(frames)
        if self.bridged is not None:
            return
        if self._sound is not None and self._sound.direction in _SENDS:
            self._numbers.timestamp = (self._numbers.timestamp + frames * FRAME_SAMPLES) % TIMESTAMPS
            self._numbers.is_first = True
            self.activity.skip(frames)
        else:
            for _ in range(frames):
                self.activity.pass_time()

    def receive(self, now_ms: int, data: bytes, source: Address) -> RtpPacket | None:
        """Take a datagram of the other side. Return its packet if it carries sound or a key, decoded if needed.

        Bytes that are no RTP, or come from somebody else, are dropped. For strangers, ask `peer` first.
        """
        # This runs 50 times a second for each call, so it calls little.
        read = self._read
        try:
            packet = read(data)
        except RtpError:
            return None
        payload = packet.payload
        if payload not in self._tables:
            return self._receive_other(now_ms, packet, source)
        if not self.peer.believes(now_ms, source, packet, is_key=False, is_agreed=True):
            return None
        self._alive_ms = now_ms
        self._reception.take(now_ms, packet, is_sound=True)
        activity, is_bridged = self.activity, self.bridged is not None
        listens = activity.hears_sound or (activity.hears_keys and self._hears_tones())
        tape = self.tape
        if is_bridged or listens or tape is not None:
            table = self._tables[payload]
            if table is not None:
                packet = replace(packet, data=packet.data.translate(table))
            if tape is not None:
                tape.hear(packet.timestamp, packet.data)
        if listens:
            self._hear(now_ms, packet)
        return packet

    def _receive_other(self, now_ms: int, packet: RtpPacket, source: Address) -> RtpPacket | None:
        """Take a packet that is no sound. Return it if it is a part of a key."""
        is_key = packet.payload in self._key_payloads
        if not is_key and packet.payload != COMFORT_NOISE:
            return None
        if not self.peer.believes(now_ms, source, packet, is_key=is_key, is_agreed=is_key):
            return None
        self._alive_ms = now_ms
        self._reception.take(now_ms, packet, is_sound=False)
        if is_key:
            self._take_event(now_ms, packet)
            return packet
        return None

    def take_report(self, now_ms: int, datagram: bytes, source: Address) -> None:
        """Take an RTCP report of the other side, which also shows that the other side is alive."""
        if not self.peer.is_here(source[0]):
            return
        try:
            self.quality.take(now_ms, datagram)
        except RtcpError:
            return
        self._alive_ms = now_ms

    def look(self, now_ms: int) -> tuple[bytes, Address] | None:
        """Return our report and its destination, if it is time for one."""
        self.look_ms = now_ms + LOOKS_EVERY_MS
        remote = self.peer.remote
        if remote is None or self._report_ms is None or now_ms < self._report_ms:
            return None
        self._report_ms = now_ms + REPORT_MS
        sent = (
            Sent(now_ms, self._numbers.timestamp, self.packets_sent, self._octets_sent) if self.packets_sent else None
        )
        beside = remote[0], remote[1] + 1
        sound = self._sound
        named = None if sound is None or remote != (sound.host, sound.port) else sound.reports
        destination = named or beside
        return (self.quality.report(now_ms, sent), destination) if destination[1] in PORTS else None

    def is_gone(self, now_ms: int) -> bool:
        """Return, once, whether the other side has sent nothing for too long though it does not hold the call."""
        sound, timeout_ms = self._sound, self._terms.timeout_ms
        if not self._watched or not timeout_ms or sound is None or sound.direction is not Direction.SENDRECV:
            self._alive_ms = now_ms
            return False
        is_gone = now_ms - self._alive_ms >= timeout_ms
        self._watched = not is_gone
        return is_gone

    def quality_in_words(self) -> str:
        """Return the packet counts, loss and jitter of the leg as text; an empty text before any packet."""
        return self.quality.in_words(self.packets_sent) if self.packets_sent or self._reception.received else ""

    def figures(self) -> SoundQuality | None:
        """Return the packet counts, loss and jitter of both directions; None before any packet."""
        return self.quality.figures(self.packets_sent) if self.packets_sent or self._reception.received else None

    def relay(self, packet: RtpPacket, *, is_key: bool) -> tuple[bytes, Address] | None:
        """Return the packet that passes on what the bridged leg heard, with numbers of our own."""
        sound, remote = self._sound, self.peer.remote
        payload = None if sound is None else sound.keys_payload if is_key else sound.payload
        if sound is None or remote is None or payload is None or sound.direction not in _SENDS:
            return None
        sequence, timestamp = self._numbers.place(packet)
        data = packet.data
        if self.supervision is not None and not is_key:
            self._quiet_frames = 0
            voice = self.supervision.voice_for(self.key, len(data))
            data = add(data, voice) if voice else data
        if self.tape is not None and not is_key:
            self.tape.say(timestamp, data)
        if not is_key and sound.codec is Codec.PCMA:
            data = data.translate(g711.ALAW_OF_ULAW)
        is_marked = packet.is_marked or (self._numbers.is_first and not is_key)
        self._numbers.is_first = False
        passed = RtpPacket(payload, sequence, timestamp, self._ssrc, data, is_marked)
        longest_ms = sound.packet_ms_max
        if longest_ms and not is_key and len(data) * 1_000 > longest_ms * RATE_HZ:
            return self._in_pieces(passed, longest_ms, remote)
        return self._written(passed), remote

    def is_key(self, packet: RtpPacket) -> bool:
        """Return whether a packet of this leg is part of a key."""
        return packet.payload in self._key_payloads

    def _hears_tones(self) -> bool:
        """Return whether keys in the sound count: nothing better was agreed on, or comes."""
        return not self._key_payloads or (self._terms.hears_tones and not self._has_events)

    def _hears_keys_in_sound(self) -> bool:
        return self.activity.hears_keys and self._hears_tones()

    def _hear(self, now_ms: int, packet: RtpPacket) -> None:
        has_keys = self._hears_keys_in_sound()
        for timestamp, frame in self._framer.frames(packet.timestamp, packet.data):
            if self.activity.hears_sound:
                self.activity.take_frame(timestamp, frame)
            key = self._tones.key_of(frame) if has_keys else None
            if key:
                self._tone = (key, now_ms)
            self._take_key(now_ms, key)

    def _take_event(self, now_ms: int, packet: RtpPacket) -> None:
        key = self._keys.key_of(packet)
        if key is None:
            return
        self._has_events = True
        tone, at_ms = self._tone
        if key and key == tone and now_ms - at_ms < SAME_KEY_MS:
            self._tone = ("", 0)
            key = ""
        self._take_key(now_ms, key)

    def _take_key(self, now_ms: int, key: str | None) -> None:
        if key:
            self.activity.take_key(now_ms, key)
        elif key is not None:
            self.activity.hold_key(now_ms)


_TO_ULAW: Final = {Codec.PCMU: None, Codec.PCMA: g711.ULAW_OF_ALAW}
