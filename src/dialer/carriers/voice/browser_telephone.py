"""BrowserTelephone: an agent's telephone in a browser, from our answer to its end."""

import secrets
from typing import Final

from dialer.carriers.browser.browser_sound import BrowserSound
from dialer.carriers.browser.offers import BrowserOffer, LocalTelephone, write_answer
from dialer.carriers.browser.paths import BrowserPath
from dialer.carriers.voice.dtls import DtlsContext, DtlsPeer
from dialer.carriers.voice.telephone_frames import TelephoneState

DTLS_DATAGRAMS_MAX: Final = 200
"""Datagrams of DTLS that one telephone may send within `DTLS_MS`. A handshake has about ten."""
DTLS_MS: Final = 10_000
CONNECTS_MS: Final = 30_000
"""Time for a browser to connect after our answer."""
QUIET_MS: Final = 5_000
"""Time without a datagram of a browser after which it counts as lost. Its microphone sends 50 a second."""
LOST_MS: Final = 60_000
"""Time after which a lost telephone is forgotten."""
_NAME_BYTES: Final = 9
_PASSWORD_BYTES: Final = 24


class BrowserTelephone:
    """One telephone: the path to the browser, the keys, and the sound."""

    def __init__(self, agent_id: int, user_id: int, token: str, offer: BrowserOffer, context: DtlsContext) -> None:
        """Prepare it for an offer. Times are milliseconds of `steady_ms`."""
        self.agent_id: Final = agent_id
        self.user_id: Final = user_id
        self.token: Final = token
        self.path: Final = BrowserPath(
            # The alphabet of a name in ICE has no `-` and no `_`.
            secrets.token_hex(_NAME_BYTES),
            secrets.token_hex(_PASSWORD_BYTES),
            offer.ufrag,
        )
        self.sound: BrowserSound | None = None
        """The sound; None before the end of the handshake."""
        self._offer: Final = offer
        self._fingerprint: Final = context.fingerprint
        self._dtls: Final = DtlsPeer(context, offer.fingerprint)
        self._ssrc: Final = secrets.randbits(32)
        self._made_ms: int | None = None
        self._since_ms = 0
        self._heard_ms = 0
        self._dtls_from_ms = self._dtls_count = 0

    def answer(self, now_ms: int, host: str, port: int) -> str:
        """Return our answer to the offer."""
        self._made_ms = self._since_ms = now_ms
        ends = (self.path.ufrag, self.path.password, self._fingerprint)
        return write_answer(self._offer, LocalTelephone(host, port, *ends, self._ssrc, secrets.randbits(40)))

    def take_handshake(self, now_ms: int, datagram: bytes) -> list[bytes]:
        """Take a datagram of DTLS, and return the answers."""
        if now_ms - self._dtls_from_ms >= DTLS_MS:
            self._dtls_from_ms, self._dtls_count = now_ms, 0
        self._dtls_count += 1
        if self._dtls_count > DTLS_DATAGRAMS_MAX:
            return []
        answers = self._dtls.receive(datagram)
        keys = self._dtls.keys
        if keys is not None and self.sound is None:
            self.sound = BrowserSound(keys, self._offer.keys_payload, self._ssrc, secrets.randbits(64))
            self._since_ms = self._heard_ms = now_ms
        return answers

    def hear(self, now_ms: int, datagram: bytes) -> bytes:
        """Return the packet for the leg in a datagram of the browser; an empty one if there is none."""
        if self.sound is None:
            return b""
        heard = self.sound.hear(now_ms, datagram)
        if heard:
            self._heard_ms = now_ms
        return heard

    def look(self, now_ms: int) -> list[bytes]:
        """Return what is due for the browser: what is sent again of the handshake, or a report."""
        if self.sound is None:
            return self._dtls.look()
        report = self.sound.report(now_ms)
        return [report] if report else []

    def close(self) -> list[bytes]:
        """Return what tells the browser of the end."""
        return self._dtls.close()

    def is_connected(self, now_ms: int) -> bool:
        """Return whether sound goes both ways."""
        return self.sound is not None and not self._dtls.why_over and now_ms - self._heard_ms < QUIET_MS

    def is_over(self, now_ms: int) -> bool:
        """Return whether it has not connected in time, or is lost for too long."""
        if self._dtls.why_over and self.sound is None:
            return True
        if self.sound is None:
            return self._made_ms is not None and now_ms - self._made_ms >= CONNECTS_MS
        return now_ms - self._heard_ms >= LOST_MS

    def state(self, now_ms: int) -> TelephoneState:
        """Return its state and its quality."""
        if self.sound is None:
            return TelephoneState("connecting", now_ms - self._since_ms)
        if not self.is_connected(now_ms):
            return TelephoneState("lost", now_ms - self._heard_ms)
        figures = self.sound.figures()
        heard = figures.heard
        return TelephoneState(
            "connected",
            now_ms - self._since_ms,
            None if heard is None else round(heard.loss_percent, 1),
            None if heard is None else heard.jitter_ms,
            figures.round_trip_ms,
        )
