"""The limits of telephones in browsers, as the code has them."""

from typing import Final

from dialer.carriers.browser import offers
from dialer.carriers.voice import browser_telephone, telephone_exchange

LIMITS_OF_BROWSERS: Final = {
    "[Telephones in browsers](../browser-telephone.md) of a service; of the agents of one user": (
        f"{telephone_exchange.TELEPHONES_MAX}; {telephone_exchange.TELEPHONES_OF_USER_MAX}"
    ),
    "Time for which a call waits for its telephone in a browser, or for their process": (
        f"{telephone_exchange.KEPT_MS // 1_000} s"
    ),
    "Datagrams of DTLS of one telephone in a browser": (
        f"{browser_telephone.DTLS_DATAGRAMS_MAX} in {browser_telephone.DTLS_MS // 1_000} s"
    ),
    "The offer of a telephone in a browser": (
        f"{offers.OFFER_BYTES_MAX // 1_024} KiB, {offers.LINES_MAX:,} lines, {offers.MEDIA_MAX} media"
    ),
}
