"""Session timers: a call whose other side has vanished is noticed (RFC 4028)."""

import re
from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import Outputs
from dialer.carriers.sip.timers import Timer

INTERVAL_TOO_SMALL: Final = 422
MIN_SE_S: Final = 90
EXPIRES_S_MAX: Final = 86_400
EARLIER_S_MAX: Final = 32
"""A session that is not refreshed ends this much before its time, or a third of it (section 10)."""
LENGTHENED_MAX: Final = 4
"""422 in a row to which a refresh is sent again. Each proxy on the way may want another interval."""
MIN_SE: Final = ("Min-SE", str(MIN_SE_S))
_REFRESHER: Final = re.compile(r";\s*refresher\s*=\s*(uac|uas)\b", re.IGNORECASE)


class SessionTimer:
    """The session timer of one leg (RFC 4028): one side refreshes, and the other side waits for the refresh."""

    def __init__(self, wire: Outputs, refresh: Callable[[], None], give_up: Callable[[], None]) -> None:
        self._wire, self._refresh, self._give_up = wire, refresh, give_up
        self._timer: Timer | None = None
        self.expires_s = 0
        self._min_se_s = MIN_SE_S
        self._lengthened = 0
        self._is_ours = False
        self._knows_timers = False
        """True if the other side has shown that it supports session timers."""

    def agreed(self, response: Received) -> None:
        """Begin the refresh interval that the answer to our request names, if it names one."""
        is_ours = refresher_of(response) == "uac"
        # A side that is to refresh, and has agreed to it, can.
        self._knows_timers |= knows_timers(response) or (
            response.number_in("Session-Expires") is not None and not is_ours
        )
        self._begin(response, is_ours=is_ours)

    def asked(self, request: Received) -> None:
        """Begin the refresh interval that a request of the other side names, if it names one."""
        self._knows_timers |= knows_timers(request)
        self._begin(request, is_ours=self._refresher_for(request) == "uas")

    def is_too_short(self, request: Received) -> bool:
        """Return whether a request within the call is refused as it asks for refreshing more often than is good."""
        return _is_short(request) and (self._knows_timers or knows_timers(request))

    def _refresher_for(self, request: Received) -> str:
        """Return the side that refreshes after a request of the other side: `uas`, which is us, if it knows no timers.

        Then a proxy has put the interval into the request (RFC 4028 9, table 2).
        """
        return refresher_of(request) if self._knows_timers else "uas"

    def _begin(self, message: Received, *, is_ours: bool) -> None:
        expires_s = message.number_in("Session-Expires")
        if expires_s is not None and expires_s >= MIN_SE_S:
            self.expires_s = min(expires_s, EXPIRES_S_MAX)
            self._is_ours = is_ours
        self._lengthened = 0
        self.restart()

    def restart(self) -> None:
        """Begin the interval again: the session was refreshed."""
        self.stop()
        if not self.expires_s:
            return
        if self._is_ours:
            self._timer = self._wire.after(self.expires_s * 500, self._refresh)
        else:
            earlier_s = min(EARLIER_S_MAX, self.expires_s // 3)
            self._timer = self._wire.after((self.expires_s - earlier_s) * 1_000, self._give_up)

    def lengthen(self, refusal: Received) -> bool:
        """Take the longer interval of a 422 response. Return whether the response asks for an acceptable one."""
        wanted_s = refusal.number_in("Min-SE")
        if refusal.status != INTERVAL_TOO_SMALL or wanted_s is None or self._lengthened == LENGTHENED_MAX:
            return False
        if not 0 < self.expires_s < wanted_s <= EXPIRES_S_MAX:
            return False
        self._lengthened += 1
        self.expires_s = self._min_se_s = wanted_s
        return True

    def request_headers(self) -> tuple[tuple[str, str], ...]:
        """Return the session timer headers of our refresh; none without an interval."""
        if not self.expires_s:
            return ()
        interval = ("Session-Expires", f"{self.expires_s};refresher=uac")
        return (("Supported", "timer"), interval, ("Min-SE", str(self._min_se_s)))

    def headers(self, request: Received) -> tuple[tuple[str, str], ...]:
        """Return the Session-Expires headers for a 2xx to a request that names an interval."""
        asked_s = request.number_in("Session-Expires")
        if asked_s is None or asked_s < MIN_SE_S or not self.expires_s:
            return ()
        required = (("Require", "timer"),) if self._knows_timers else ()
        return (("Session-Expires", f"{self.expires_s};refresher={self._refresher_for(request)}"), *required)

    def stop(self) -> None:
        """Stop the session timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None


def refresher_of(message: Received) -> str:
    """Return `uac` or `uas`, the side that refreshes the session: by default the sender of the request."""
    match = _REFRESHER.search(message.header("Session-Expires"))
    return match.group(1).lower() if match else "uac"


def knows_timers(message: Received) -> bool:
    """Return whether the sender of a message says that it supports session timers."""
    return "timer" in message.options("Supported") | message.options("Require")


def is_too_short(request: Received) -> bool:
    """Return whether a request is refused as it asks for refreshing more often than is good.

    Only somebody who knows timers can ask for a longer interval (RFC 4028 9). That of others is ignored.
    """
    return _is_short(request) and knows_timers(request)


def _is_short(request: Received) -> bool:
    expires_s = request.number_in("Session-Expires")
    return expires_s is not None and expires_s < MIN_SE_S
