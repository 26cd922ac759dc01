"""Handles of legs whose sound is encrypted: they have its keys, and are encrypted before they are stored."""

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from dialer.carriers.line_port import LiveLeg
from dialer.domain.sessions.leg_protocol import Answered, Arrived, Arriving, Leg, LegReport

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

_SEALED: Final = "sealed:"


class HandleSeal:
    """Seals the handles of a line, with keys that lie elsewhere than the rows. Without any, such a handle is empty.

    A leg with an empty handle, or with one whose keys are gone, is not taken up by another process.
    """

    def __init__(self, keys: str = "") -> None:
        """Take Fernet keys, separated by blanks. It seals with the first one."""
        self.keys = keys

    def closed(self, heard: LegReport) -> LegReport:
        """Return a report whose handle may be stored."""
        return replace(heard, handle=self._token(heard.handle)) if isinstance(heard, Answered | Arrived) else heard

    def _token(self, handle: str) -> str:
        return _SEALED + self._cipher().encrypt(handle.encode()).decode() if self.keys and handle else ""

    def opened(self, handle: str) -> str:
        """Return the handle in a stored text; an empty text if it cannot be opened."""
        if not handle.startswith(_SEALED):
            return handle
        from cryptography.fernet import InvalidToken  # noqa: PLC0415 - as for the cipher

        try:
            return self._cipher().decrypt(handle.removeprefix(_SEALED)).decode() if self.keys else ""
        except InvalidToken:
            return ""

    def opened_order(self, order: Leg) -> Leg:
        """Return an order with its handle opened."""
        return replace(order, handle=self.opened(order.handle)) if isinstance(order, Arriving) else order

    def opened_leg(self, live: LiveLeg) -> LiveLeg:
        """Return a stored leg with its handles opened."""
        return replace(live, order=self.opened_order(live.order), handle=self.opened(live.handle))

    def _cipher(self) -> "MultiFernet":
        from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415 - only lines with encrypted sound need it

        return MultiFernet([Fernet(key) for key in self.keys.split()])
