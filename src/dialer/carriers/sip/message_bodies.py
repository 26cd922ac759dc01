"""The session description in the body of a message, by the type of the body (RFC 3261 7.4, 8.2.3, RFC 5621).

Carriers with SIP-I send the description beside messages of their telephone network, in one body with several parts.
"""

import base64
import binascii
import quopri
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.sdp import SDP_TYPE, SdpError

PARTS_MAX: Final = 16
"""Parts of one body that are read."""
DEPTH_MAX: Final = 3
"""Bodies with several parts within each other."""
ACCEPT: Final = ("Accept", f"{SDP_TYPE[1]}, multipart/mixed")
"""The header that names the bodies that are understood."""
_HEADERS: Final = ("Content-Type", "Content-Encoding", "Content-Disposition")
_IDENTITY: Final = "identity"
_BOUNDARY: Final = re.compile(r';\s*boundary\s*=\s*(?:"([^"\r\n]{1,70})"|([^\s;,"]{1,70}))', re.IGNORECASE)
_HANDLING: Final = re.compile(r";\s*handling\s*=\s*\"?(optional|required)\b", re.IGNORECASE)
_FOLD: Final = re.compile(rb"\r\n[ \t]+")


class UnsupportedBodyError(SdpError):
    """The body is of a kind that is not understood, and must not be ignored. `headers` say what would be."""

    def __init__(self, message: str, *headers: tuple[str, str]) -> None:
        super().__init__(message)
        self.headers: Final = headers or (ACCEPT,)


def description_in(message: Received) -> bytes:
    """Return the session description in a message; empty if it has none, or only bodies that may be ignored.

    Raises:
        UnsupportedBodyError: the body is none that is understood.
    """
    body = message.message.body
    if not body:
        return b""
    headers = {name: message.header(name) for name in _HEADERS}
    if not _is_plain(headers):
        return b""
    found = _description(headers, body, DEPTH_MAX)
    if found is None:
        if _is_optional(headers):
            return b""
        raise UnsupportedBodyError("The body has no description of sound.")
    return found


def check_kind(message: Received, kinds: Sequence[str]) -> None:
    """Check that the body of a message has one of the given types, is empty, or is marked as optional.

    Raises:
        UnsupportedBodyError: it is not.
    """
    headers = {name: message.header(name) for name in _HEADERS}
    if not message.message.body.strip() or not _is_plain(headers) or _is_optional(headers):
        return
    if kind_of(headers["Content-Type"]) not in kinds:
        raise UnsupportedBodyError("The body is of a type that is not understood.", ("Accept", ", ".join(kinds)))


def kind_of(content_type: str) -> str:
    """Return the first word of a header such as Content-Type, without its parameters, in small letters."""
    return content_type.partition(";")[0].strip().lower()


def _is_plain(headers: Mapping[str, str]) -> bool:
    """Return whether a body is not encoded; False for one that may be ignored.

    Raises:
        UnsupportedBodyError: it is encoded, and must not be ignored.
    """
    encodings = headers["Content-Encoding"].strip().lower()
    is_plain = encodings in {"", _IDENTITY}
    if not is_plain and not _is_optional(headers):
        raise UnsupportedBodyError(f"The body has the encoding {encodings[:40]}.", ("Accept-Encoding", _IDENTITY))
    return is_plain


def refusal_headers(error: SdpError) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Return the status and the headers with which a request with such a body is refused."""
    return (415, error.headers) if isinstance(error, UnsupportedBodyError) else (488, (ACCEPT,))


def _description(headers: Mapping[str, str], body: bytes, depth: int) -> bytes | None:
    """Return the description in a body or a part; None if there is none.

    Raises:
        UnsupportedBodyError: a part that must be understood is not.
    """
    kind = headers.get("Content-Type", "")
    name, disposition = kind_of(kind), kind_of(headers.get("Content-Disposition", ""))
    if name == SDP_TYPE[1] or (not name and body.startswith(b"v=0")):
        return body if disposition in {"", "session"} else None
    if not name.startswith("multipart/") or not depth:
        return None
    found = [one for part, inside in _parts(kind, body) if (one := _of_part(part, inside, depth)) is not None]
    # The last one of several forms is the best (RFC 2046 5.1.4).
    return (found[-1] if name == "multipart/alternative" else found[0]) if found else None


def _of_part(headers: Mapping[str, str], body: bytes, depth: int) -> bytes | None:
    found = _description(headers, _decoded(headers, body), depth - 1)
    handling = _HANDLING.search(headers.get("Content-Disposition", ""))
    if found is None and handling is not None and handling.group(1).lower() == "required":
        raise UnsupportedBodyError("A part of the body that must be understood is not.")
    return found


def _parts(kind: str, body: bytes) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """Yield the headers and the content of each part (RFC 2046 5.1.1)."""
    match = _BOUNDARY.search(kind)
    if match is None:
        return
    delimiter = b"\r\n--" + (match.group(1) or match.group(2)).encode()
    for chunk in (b"\r\n" + body).split(delimiter, PARTS_MAX + 1)[1 : PARTS_MAX + 1]:
        rest_of_line, end, part = chunk.partition(b"\r\n")
        if rest_of_line.startswith(b"--") or not end:
            return
        if rest_of_line.strip():
            # It is the delimiter of another body, which only begins like ours.
            continue
        head, end, content = (b"\r\n" + part).partition(b"\r\n\r\n")
        if end:
            yield _headers_in(head), content


def _headers_in(head: bytes) -> Mapping[str, str]:
    lines = _FOLD.sub(b" ", head).decode("utf-8", "replace").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return {name.strip().title(): value.strip() for name, colon, value in pairs if colon}


def _decoded(headers: Mapping[str, str], content: bytes) -> bytes:
    encoding = headers.get("Content-Transfer-Encoding", "").strip().lower()
    if encoding == "quoted-printable":
        return quopri.decodestring(content)
    if encoding == "base64":
        try:
            return base64.b64decode(content)
        except binascii.Error:
            return b""
    return content


def _is_optional(headers: Mapping[str, str]) -> bool:
    handling = _HANDLING.search(headers.get("Content-Disposition", ""))
    return handling is not None and handling.group(1).lower() == "optional"
