"""The sound of one leg: its packets in both directions, and the order in progress."""

from typing import Final

from msgspec.structs import replace

from dialer.carriers.media import g711
from dialer.carriers.media.activities import Activity
from dialer.carriers.media.rtp import (
    FRAME_SAMPLES,
    SEQUENCES,
    TIMESTAMPS,
    KeyReader,
    RtpError,
    RtpPacket,
    read_packet,
    write_packet,
)
from dialer.carriers.media.tones import ToneReader
from dialer.carriers.sip.sdp import AgreedSound, Codec, Direction
from dialer.carriers.sip.wire import Address

_SENDS: Final = frozenset({Direction.SENDRECV, Direction.SENDONLY})


class SoundLeg:
    """The sound of one leg.

    `chance` is a random number, from which the numbers of the packets begin, as nobody is to guess them.
    """

    def __init__(self, key: str, chance: int, *, is_symmetric: bool) -> None:
        self.key: Final = key
        self.activity = Activity(0)
        self.bridged: SoundLeg | None = None
        self.packets_received = 0
        self.packets_sent = 0
        self._ssrc: Final = chance & 0xFFFFFFFF
        self._sequence = chance >> 32 & 0x7FFF
        self._timestamp = chance >> 47 & 0xFFFFFFFF
        self._offset: tuple[int, int] | None = None
        self._is_symmetric: Final = is_symmetric
        self._sound: AgreedSound | None = None
        self._remote: Address | None = None
        self._is_latched = False
        self._is_first = True
        self._keys = KeyReader()
        self._tones = ToneReader()

    def agree(self, sound: AgreedSound) -> None:
        """Send to and hear from this place from now on."""
        if self._sound is None or (sound.host, sound.port) != (self._sound.host, self._sound.port):
            self._remote, self._is_latched = (sound.host, sound.port), False
        self._sound = sound

    def begin(self, activity: Activity) -> None:
        """Replace the order in progress. Keys from before do not count."""
        self.activity = activity
        self._tones = ToneReader()

    def next_packet(self) -> tuple[bytes, Address] | None:
        """Return the packet of the next 20 ms, and its destination; None while nothing is to be sent."""
        sound, remote = self._sound, self._remote
        if sound is None or remote is None or sound.direction not in _SENDS or self.bridged is not None:
            return None
        frame = self.activity.next_frame()
        if sound.codec is Codec.PCMA:
            frame = frame.translate(g711.ALAW_OF_ULAW)
        self._timestamp = (self._timestamp + FRAME_SAMPLES) % TIMESTAMPS
        return self._packet(sound.payload, self._timestamp, frame), remote

    def receive(self, now_ms: int, data: bytes, source: Address) -> RtpPacket | None:
        """Take a datagram. Return the packet if it is sound or a key, with sound as µ-law if anybody hears it.

        Bytes that are no RTP, or come from somebody else, are dropped.
        """
        sound = self._sound
        if sound is None or not self._is_from_peer(sound, source):
            return None
        try:
            packet = read_packet(data)
        except RtpError:
            return None
        if not self._is_latched:
            self._latch(source)
        self.packets_received += 1
        if packet.payload == sound.payload:
            if self.bridged is None and not self._listens(sound):
                return packet
            if sound.codec is Codec.PCMA:
                packet = replace(packet, data=packet.data.translate(g711.ULAW_OF_ALAW))
            key = self._hear(packet, sound)
        elif packet.payload == sound.keys_payload:
            key = self._keys.key_of(packet)
        else:
            return None
        if key:
            self.activity.take_key(now_ms, key)
        return packet

    def relay(self, packet: RtpPacket, *, is_key: bool) -> tuple[bytes, Address] | None:
        """Return the packet that passes on what the bridged leg heard, with numbers of our own."""
        sound, remote = self._sound, self._remote
        if sound is None or remote is None or sound.direction not in _SENDS:
            return None
        if self._offset is None or self._offset[0] != packet.ssrc:
            self._offset = (packet.ssrc, (self._timestamp + FRAME_SAMPLES - packet.timestamp) % TIMESTAMPS)
        self._timestamp = (packet.timestamp + self._offset[1]) % TIMESTAMPS
        if is_key:
            keys = sound.keys_payload
            return None if keys is None else (self._packet(keys, self._timestamp, packet.data), remote)
        data = packet.data.translate(g711.ALAW_OF_ULAW) if sound.codec is Codec.PCMA else packet.data
        return self._packet(sound.payload, self._timestamp, data), remote

    def is_key(self, packet: RtpPacket) -> bool:
        """Return whether a packet of this leg is part of a key."""
        return self._sound is not None and packet.payload == self._sound.keys_payload

    def _is_from_peer(self, sound: AgreedSound, source: Address) -> bool:
        if self._is_latched:
            return source == self._remote
        return self._is_symmetric or source[0] == sound.host

    def _latch(self, source: Address) -> None:
        """Send to where the other side sends from: behind NAT that is not the address that it knows."""
        if self._is_symmetric:
            self._remote = source
        # The right host from another port: some send and receive at different ones.
        self._is_latched = self._remote is None or source == self._remote

    def _listens(self, sound: AgreedSound) -> bool:
        """Return whether anybody wants to know what the sound is."""
        return self.activity.hears_sound or (self.activity.hears_keys and sound.keys_payload is None)

    def _hear(self, packet: RtpPacket, sound: AgreedSound) -> str | None:
        if self.activity.hears_sound:
            self.activity.take_frame(packet.timestamp, packet.data)
        if self.activity.hears_keys and sound.keys_payload is None:
            return self._tones.key_of(packet.data)
        return None

    def _packet(self, payload: int, timestamp: int, data: bytes) -> bytes:
        self._sequence = (self._sequence + 1) % SEQUENCES
        self.packets_sent += 1
        is_marked, self._is_first = self._is_first, False
        return write_packet(RtpPacket(payload, self._sequence, timestamp, self._ssrc, data), is_marked=is_marked)
