"""A browser for tests: an offer, requests of STUN, DTLS as the client, and SRTP, over one socket of this machine."""

import asyncio
import hashlib
import re
import secrets
import socket
from typing import Final

from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL import SSL

from dialer.carriers.media.rtp import RtpPacket
from dialer.carriers.media.srtp import Srtp
from dialer.carriers.sip.sdp_security import SoundKeys, Suite
from dialer.carriers.voice.dtls import DtlsContext
from tests.carriers.browser.browsers import NAMED, OFFER, request

WAIT_S: Final = 20


class BrowserPeer:
    """One page with a telephone."""

    def __init__(self) -> None:
        self._certificate = DtlsContext()
        context = SSL.Context(SSL.DTLS_CLIENT_METHOD)
        key, certificate = self._certificate.key, self._certificate.certificate
        context.use_certificate(certificate)
        context.use_privatekey(key)
        context.set_tlsext_use_srtp(b"SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80")
        self.ufrag = secrets.token_hex(4)
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.settimeout(0)
        self._connection = SSL.Connection(context, None)
        self._connection.set_connect_state()
        self._connection.set_ciphertext_mtu(1_200)
        self.their_certificate = b""
        self.srtp: Srtp | None = None
        self._sequence = 0
        named = ":".join(f"{byte:02X}" for byte in hashlib.sha256(certificate.public_bytes(Encoding.DER)).digest())
        self.offer = OFFER.replace(NAMED, named).replace("abcd", self.ufrag)

    def __del__(self) -> None:
        self.socket.close()

    def take(self, answer: str) -> None:
        """Take the answer to the offer."""
        found = {name: re.search(rf"a={name}:(\S+)", answer) for name in ("ice-ufrag", "ice-pwd")}
        self._their, self._password = (match[1] for match in found.values() if match)
        self.fingerprint = re.findall(r"a=fingerprint:sha-256 (\S+)", answer)[0]
        self._place = ("127.0.0.1", int(re.findall(r"m=audio (\d+)", answer)[0]))

    def knock(self, transaction: bytes | None = None) -> None:
        """Send a request of STUN."""
        name = f"{self._their}:{self.ufrag}"
        self.socket.sendto(request(name, self._password, transaction or secrets.token_bytes(12)), self._place)

    async def connect(self, answer: str) -> None:
        """Connect by an answer, until there are keys."""
        self.take(answer)
        self.knock()
        assert (await self.receive())[:2] == b"\x01\x01"
        while self.srtp is None:
            try:
                self._connection.do_handshake()
                self._agree()
            except SSL.WantReadError:
                self._flush()
                self._connection.bio_write(await self.receive())
        self._flush()

    def _flush(self) -> None:
        while True:
            try:
                self.socket.sendto(self._connection.bio_read(1_500), self._place)
            except SSL.WantReadError:
                return

    def _agree(self) -> None:
        theirs = self._connection.get_peer_certificate(as_cryptography=True)
        assert theirs is not None
        digest = hashlib.sha256(theirs.public_bytes(Encoding.DER)).digest()
        assert ":".join(f"{byte:02X}" for byte in digest) == self.fingerprint
        made = self._connection.export_keying_material(b"EXTRACTOR-dtls_srtp", 56)
        keys, salts = made[:32], made[32:]
        ours, others = keys[:16] + salts[:12], keys[16:] + salts[12:]
        self.srtp = Srtp(SoundKeys(Suite.AES_GCM, 1, ours, others))

    async def receive(self) -> bytes:
        """Return the next datagram."""
        async with asyncio.timeout(WAIT_S):
            return await asyncio.get_running_loop().sock_recv(self.socket, 2_000)

    def say(self, sound: bytes) -> None:
        """Send 20 ms of sound."""
        assert self.srtp is not None
        self._sequence += 1
        self.socket.sendto(self.srtp.write(RtpPacket(0, self._sequence, 160 * self._sequence, 5, sound)), self._place)

    async def hear(self) -> RtpPacket:
        """Return the next packet of sound."""
        assert self.srtp is not None
        while True:
            datagram = await self.receive()
            if datagram[0] >= 128 and not 192 <= datagram[1] <= 223:
                return self.srtp.read(datagram)

    def leave(self) -> None:
        """Tell that the page is closed."""
        self._connection.shutdown()
        self._flush()
