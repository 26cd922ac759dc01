"""DTLS with one browser (RFC 5764), by OpenSSL: it agrees on the keys of the sound. Datagrams come and go elsewhere."""

import datetime as dt
import hashlib
import hmac
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL import SSL

from dialer.carriers.sip.sdp_security import SoundKeys, Suite

DATAGRAM_BYTES_MAX: Final = 1_200
"""The longest datagram of ours, which each network carries."""
FLIGHT_MAX: Final = 16
"""Datagrams that one datagram of the browser, or one timer, lets us send."""
CERTIFICATE_DAYS: Final = 400
_SUITES: Final = {b"SRTP_AEAD_AES_128_GCM": (Suite.AES_GCM, 16, 12), b"SRTP_AES128_CM_SHA1_80": (Suite.AES_CM, 16, 14)}
"""The profiles with the lengths of their keys and salts, the preferred one first (RFC 5764 4.1.2, RFC 7714 14.2)."""
_LABEL: Final = b"EXTRACTOR-dtls_srtp"


class DtlsContext:
    """Our certificate, which is made anew by each process, and what is offered to browsers."""

    def __init__(self) -> None:
        self.key: Final = ec.generate_private_key(ec.SECP256R1())
        now = dt.datetime.now(dt.UTC)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "dialer")])
        builder = x509.CertificateBuilder(name, name, self.key.public_key(), x509.random_serial_number())
        builder = builder.not_valid_before(now - dt.timedelta(days=1))
        builder = builder.not_valid_after(now + dt.timedelta(days=CERTIFICATE_DAYS))
        self.certificate: Final = builder.sign(self.key, hashes.SHA256())
        self.fingerprint: Final = hashlib.sha256(self.certificate.public_bytes(Encoding.DER)).digest()
        """The SHA-256 of the certificate."""
        self.ssl: Final = SSL.Context(SSL.DTLS_SERVER_METHOD)
        self.ssl.use_certificate(self.certificate)
        self.ssl.use_privatekey(self.key)
        # The certificate is nobody's but for its fingerprint, which the offer names.
        self.ssl.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, lambda *_: True)
        self.ssl.set_tlsext_use_srtp(b":".join(_SUITES))
        self.ssl.set_options(SSL.OP_NO_QUERY_MTU | SSL.OP_NO_RENEGOTIATION | SSL.OP_NO_TICKET)
        self.ssl.set_session_cache_mode(SSL.SESS_CACHE_OFF)


class DtlsPeer:
    """The handshake with one browser, and what follows it on the same connection."""

    def __init__(self, context: DtlsContext, fingerprint: bytes) -> None:
        """Wait for the browser with this certificate."""
        self._fingerprint: Final = fingerprint
        self._connection: Final = SSL.Connection(context.ssl, None)
        self._connection.set_accept_state()
        self._connection.set_ciphertext_mtu(DATAGRAM_BYTES_MAX)
        self.keys: SoundKeys | None = None
        """The keys of the sound; None before the end of the handshake."""
        self.why_over = ""
        """Why the connection is over; empty while it is not."""

    def receive(self, datagram: bytes) -> list[bytes]:
        """Take a datagram of the browser, and return those that answer it."""
        if self.why_over:
            return []
        self._connection.bio_write(datagram)
        try:
            if self.keys is None:
                self._connection.do_handshake()
                self._agree()
            else:
                # If our last flight was lost, the browser repeats its own, and OpenSSL answers that from here.
                self._connection.recv(DATAGRAM_BYTES_MAX)
        except SSL.WantReadError:
            pass
        except SSL.ZeroReturnError:
            self.why_over = "the browser has closed it"
        except SSL.Error as error:
            if self.keys is None:
                self.why_over = f"the handshake has failed: {error}"
        return self._flight()

    def _agree(self) -> None:
        certificate = self._connection.get_peer_certificate(as_cryptography=True)
        found = b"" if certificate is None else certificate.public_bytes(Encoding.DER)
        if not hmac.compare_digest(hashlib.sha256(found).digest(), self._fingerprint):
            self.why_over = "its certificate is not the one of the offer"
            return
        profile = _SUITES.get(self._connection.get_selected_srtp_profile())
        if profile is None:
            self.why_over = "it speaks no profile of SRTP that we know"
            return
        suite, key, salt = profile
        made = self._connection.export_keying_material(_LABEL, 2 * (key + salt))
        keys, salts = made[: 2 * key], made[2 * key :]
        # We are the server: the client's half comes first (RFC 5764 4.2).
        self.keys = SoundKeys(suite, 1, ours=keys[key:] + salts[salt:], theirs=keys[:key] + salts[:salt])

    def look(self) -> list[bytes]:
        """Return what is to be sent again, because no answer came in time."""
        if self.why_over or self.keys is not None:
            return []
        left_s = self._connection.DTLSv1_get_timeout()
        if left_s is None or left_s > 0:
            return []
        try:
            self._connection.DTLSv1_handle_timeout()
        except SSL.Error as error:
            self.why_over = f"the handshake has failed: {error}"
        return self._flight()

    def close(self) -> list[bytes]:
        """Return the datagrams that tell the browser of the end."""
        if self.keys is None or self.why_over:
            return []
        try:
            self._connection.shutdown()
        except SSL.Error:
            return []
        return self._flight()

    def _flight(self) -> list[bytes]:
        flight: list[bytes] = []
        while len(flight) < FLIGHT_MAX:
            try:
                flight.append(self._connection.bio_read(DATAGRAM_BYTES_MAX + 300))
            except SSL.WantReadError:
                break
        return flight
