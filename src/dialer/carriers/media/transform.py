"""The transform of a leg's sound: the last step of each packet on its way out, and the first on its way in.

The description of the sound chooses it. Packets that go as they are cost nothing: the leg calls the reader and the
writer of packets themselves.
"""

from typing import Final, Protocol

from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.media.srtp import Srtp
from dialer.carriers.sip.sdp import AgreedSound


class Transform(Protocol):
    """Turns packets into datagrams and back. It moves with its leg to other processes, so it can be pickled."""

    @property
    def refused(self) -> int:
        """The number of packets that were refused because they are not authentic, or came before."""

    def write(self, packet: RtpPacket, /) -> bytes:
        """Return the datagram of a packet; an empty one if it must not be sent."""

    def read(self, datagram: bytes, /) -> RtpPacket:
        """Return the packet in a datagram.

        Raises:
            RtpError: it has none, or one of somebody else.
        """

    def write_report(self, report: bytes, /) -> bytes:
        """Return the datagram of an RTCP report."""

    def read_report(self, datagram: bytes, /) -> bytes:
        """Return the RTCP report in a datagram.

        Raises:
            RtcpError: it has none, or one of somebody else.
        """


class Plain:
    """Datagrams that are packets and reports themselves (RFC 3551)."""

    refused: Final = 0
    read: Final = staticmethod(read_packet)
    write: Final = staticmethod(write_packet)

    def write_report(self, report: bytes, /) -> bytes:
        """Return the report."""
        return report

    def read_report(self, datagram: bytes, /) -> bytes:
        """Return the datagram."""
        return datagram


_PLAIN: Final = Plain()


def transform_of(sound: AgreedSound, before: Transform = _PLAIN) -> Transform:
    """Return the transform that the description of a sound asks for, after the one of the description before.

    Sound that stays encrypted goes on with the same counters.
    """
    keys = sound.keys
    if keys is None:
        return _PLAIN
    if isinstance(before, Srtp) and (before.keys.suite, before.keys.ours) == (keys.suite, keys.ours):
        before.agreed(keys)
        return before
    return Srtp(keys)
