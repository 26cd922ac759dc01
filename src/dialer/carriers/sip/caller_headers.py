"""The headers of an INVITE that say who calls: the caller ID, withheld or not, and what the carrier wants beside it."""

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

ANONYMOUS: Final = '"Anonymous" <sip:anonymous@anonymous.invalid>'
"""The sender of a call whose caller is withheld (RFC 3323 4.1.1.3)."""
OWN_HEADERS_MAX: Final = 16
VALUE_LENGTH_MAX: Final = 255
_NAME: Final = re.compile(r"[Xx]-[0-9A-Za-z-]{1,60}", re.ASCII)
_VALUE: Final = re.compile(rf"[!-~](?:[ -~]{{0,{VALUE_LENGTH_MAX - 2}}}[!-~])?", re.ASCII)


class CallerHeaders(msgspec.Struct, frozen=True):
    """The settings by which the carrier is told of the caller, beside the caller ID of the campaign."""

    is_withheld: bool = False
    """True if the callee is not to see the caller ID, which the carrier is told all the same."""
    asserted: str = ""
    """The number in P-Asserted-Identity; empty for the caller ID."""
    diverted_by: str = ""
    """The number in Diversion; empty for no such header."""
    own: tuple[tuple[str, str], ...] = ()
    """Further headers, whose names begin with `X-`."""

    def sender(self, caller: str) -> str:
        """Return the From of a caller's address, without its tag."""
        return ANONYMOUS if self.is_withheld else f"<{caller}>"

    def headers(self, callerid: str, address_of: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
        """Return the headers of a call with a caller ID, or none; `address_of` makes a SIP address of a number."""
        asserted = self.asserted or callerid
        return (
            *((("P-Asserted-Identity", f"<{address_of(asserted)}>"),) if asserted else ()),
            *((("Privacy", "id"),) if self.is_withheld else ()),
            *((("Diversion", f"<{address_of(self.diverted_by)}>;reason=unconditional"),) if self.diverted_by else ()),
            *self.own,
        )


def problem_with(own: Mapping[str, str]) -> str:
    """Return why headers cannot be sent; empty if they can."""
    if len(own) > OWN_HEADERS_MAX:
        return f"{len(own)} headers are too many. Use up to {OWN_HEADERS_MAX}."
    for name, value in own.items():
        if not _NAME.fullmatch(name):
            return f"header {name!r} does not begin with X-, or has other characters than letters, digits and hyphens."
        if not _VALUE.fullmatch(value):
            return f"header {name} needs a value of up to {VALUE_LENGTH_MAX} printable ASCII characters."
    if len({name.lower() for name in own}) < len(own):
        return "a header is named twice: SIP does not tell capital letters from small ones."
    return ""
