"""The transform of a leg's sound: the last step of each packet on its way out, and the first on its way in.

The description of the sound chooses it. Packets go as they are, which costs nothing: the leg calls the reader and the
writer of packets themselves.
"""

from typing import Final, Protocol

from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.sip.sdp import AgreedSound, Profile


class Transform(Protocol):
    """Turns packets into datagrams and back. It moves with its leg to other processes, so it can be pickled."""

    def write(self, packet: RtpPacket, /) -> bytes:
        """Return the datagram of a packet."""

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

    read: Final = staticmethod(read_packet)
    write: Final = staticmethod(write_packet)

    def write_report(self, report: bytes, /) -> bytes:
        """Return the report."""
        return report

    def read_report(self, datagram: bytes, /) -> bytes:
        """Return the datagram."""
        return datagram


_PLAIN: Final = Plain()


def transform_of(sound: AgreedSound) -> Transform:
    """Return the transform that the description of a sound asks for."""
    match sound.profile:
        case Profile.AVP:
            return _PLAIN
