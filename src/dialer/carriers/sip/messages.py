"""SIP messages as bytes: the ones received are checked once, the ones sent are built from values (RFC 3261 7).

The parser is the library sipmessage. It reads neither folded lines nor blanks before a colon, so these are put in order
before.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace
from sipmessage import URI, Address, Message, Request, Response, Via

from dialer.carriers.sip.flows import SIP_PORT, UDP, Flow

DATAGRAM_BYTES_MAX: Final = 65_535
HEADER_BYTES_MAX: Final = 16_384
LINES_MAX: Final = 128
LINE_LENGTH_MAX: Final = 2_048
"""A longer line is shortened if it is needed, and else left out: an Identity (RFC 8224) may have any length."""
URI_LENGTH_MAX: Final = 512
"""Some patterns of the parser take a time that grows with the square of the length."""
CSEQ_MAX: Final = 2**31 - 1
TOKEN_LENGTH_MAX: Final = 256
"""Characters of a Call-ID, tag or branch: each is kept for as long as its call."""
BRANCH_START: Final = "z9hG4bK"
PORT_MAX: Final = 65_535

_END: Final = b"\r\n\r\n"
_FOLD: Final = re.compile(rb"\r\n[ \t]+")
_ASKS_FOR_PORT: Final = re.compile(r";\s*rport\s*(?=;|$)", re.IGNORECASE)
_BLANK_BEFORE_COLON: Final = re.compile(rb"(?m)^([!-9;-~]+)[ \t]+:")
_DISPLAY_NAME: Final = re.compile(r'(?:\s*"(?:[^"\\]|\\.)*")?[^<"]*(?=<)')
_URI_HEADERS: Final = re.compile(r"\?[^@>]*(?=>)")
_SCHEME: Final = re.compile(r"(?i)(\A\s*<?\s*)(sips?|tel)(?=:)")
_SCHEME_OF_REQUEST: Final = re.compile(r"(?i)(\A[A-Z]+ )(sips?|tel)(?=:)")
_TAG: Final = re.compile(r";\s*tag\s*=\s*([^\s;,<>\"]+)", re.IGNORECASE)
_LISTS: Final = frozenset({"via", "v", "contact", "m", "record-route", "route"})
_ENDS: Final = frozenset({"from", "f", "to", "t"})


class MalformedMessageError(ValueError):
    """The bytes are not a SIP message, or one without its mandatory headers."""


class CutOffError(MalformedMessageError):
    """The body is shorter than its Content-Length. `message` has the header, and no body."""

    def __init__(self, message: "Received") -> None:
        super().__init__("The body is cut off.")
        self.message: Final = message


class Received(msgspec.Struct, frozen=True):
    """A SIP message that was received. Its mandatory headers are known to be readable."""

    message: Request | Response
    call_id: str
    from_tag: str
    to_tag: str
    cseq: int
    method: str
    """The method of the request, also in its responses."""
    via: Via
    """The topmost Via."""

    @property
    def branch(self) -> str:
        """The branch of the topmost Via; empty if it has none."""
        return self.via.parameters.get("branch") or ""

    @property
    def status(self) -> int:
        """The status of a response; 0 of a request."""
        return self.message.code if isinstance(self.message, Response) else 0

    @property
    def contact(self) -> URI | None:
        """The URI of the first Contact; None if there is none that can be read."""
        try:
            return address_in(split_list(self.header("Contact"))[0]).uri
        except ValueError as error:
            _free(error)
            return None

    @property
    def caller(self) -> URI:
        """The URI of the From header."""
        return address_in(self.header("From")).uri

    @property
    def callee(self) -> URI:
        """The URI of the To header."""
        return address_in(self.header("To")).uri

    @property
    def record_route(self) -> tuple[Address, ...]:
        """The Record-Route headers in their order; empty if one cannot be read."""
        try:
            values = self.message.headers.getlist("Record-Route")
            return tuple(address_in(route) for value in values for route in split_list(value))
        except ValueError as error:
            _free(error)
            return ()

    def header(self, name: str) -> str:
        """Return the first value of a header, or an empty text."""
        return self.message.headers.get(name) or ""

    def options(self, name: str) -> frozenset[str]:
        """Return the option tags of a header such as Supported, in however many lines, in small letters."""
        values = self.message.headers.getlist(name)
        return frozenset(option.strip().lower() for value in values for option in value.split(",")) - {""}

    def number_in(self, name: str) -> int | None:
        """Return the number at the beginning of a header, as in `Session-Expires: 1800;refresher=uac`."""
        match = re.match(r"\s*([0-9]{1,9})\b", self.header(name), re.ASCII)
        return int(match.group(1)) if match else None


def read_message(data: bytes) -> Received:
    """Return the message in a datagram.

    Raises:
        MalformedMessageError: the bytes are no SIP message, exceed a limit, or lack a mandatory header.
        CutOffError: the body is cut off.
    """
    head, end, body = data.lstrip(b"\r\n").partition(_END)
    if not end:
        raise MalformedMessageError("The header has no end.")
    if head.count(b"\r\n") >= LINES_MAX:
        raise MalformedMessageError("The header has too many lines.")
    head = _in_order(head)
    try:
        message = Message.parse(head + _END)
        received = _checked(message)
        length = message.content_length
    except (ValueError, KeyError, IndexError) as error:
        _free(error)
        raise MalformedMessageError(str(error) or "A mandatory header is missing.") from None
    if length is not None and length > len(body):
        raise CutOffError(received)
    message.body = _cut(body, length)
    return received


def address_in(value: str) -> Address:
    """Return the address in the value of a header, without its display name and the headers in its URI.

    The name may be any text: many send names without quotes, though only some characters are allowed then. Headers in a
    URI are for requests that a user makes from it (RFC 3261 19.1.1). The parser does not know them.

    Raises:
        ValueError: it is none.
    """
    name = _DISPLAY_NAME.match(value)
    bare = value[name.end() :] if name else value
    if len(bare.partition(">")[0]) > URI_LENGTH_MAX:
        raise ValueError("The URI is too long.")
    return Address.parse(_small_scheme(_SCHEME, _URI_HEADERS.sub("", bare, count=1)))


def _small_scheme(scheme: re.Pattern[str], text: str) -> str:
    """Return a text with its scheme in small letters, as the parser knows it only so (RFC 3986 3.1)."""
    return scheme.sub(lambda match: match[1] + match[2].lower(), text, count=1)


def split_list(value: str) -> list[str]:
    """Return the values that commas separate, except in quotes and in angle brackets; at least one."""
    if "," not in value:
        return [value.strip()]
    parts, start, closer, is_escaped = [], 0, "", False
    for place, character in enumerate(value):
        if is_escaped:
            is_escaped = False
        elif closer:
            is_escaped = closer == '"' and character == "\\"
            closer = "" if character == closer else closer
        elif character in '"<':
            closer = '"' if character == '"' else ">"
        elif character == ",":
            parts.append(value[start:place].strip())
            start = place + 1
    return [*parts, value[start:].strip()]


def _in_order(head: bytes) -> bytes:
    """Return a header as the parser can read it: no line is folded or too long, and all text is UTF-8.

    Raises:
        MalformedMessageError: it has a CR or LF that is no part of a line's end, or exceeds a limit.
    """
    unfolded = _BLANK_BEFORE_COLON.sub(rb"\1:", _FOLD.sub(b" ", head))
    text = unfolded.decode("utf-8", "replace")
    within = text.replace("\r\n", "")
    if "\r" in within or "\n" in within:
        raise MalformedMessageError("A line has a bare CR or LF.")
    first, *others = text.split("\r\n")
    if len(first) > URI_LENGTH_MAX:
        raise MalformedMessageError("The start line is too long.")
    lines = [_small_scheme(_SCHEME_OF_REQUEST, first), *(short for line in others for short in _shortened(line))]
    if sum(map(len, lines)) > HEADER_BYTES_MAX:
        raise MalformedMessageError("The header is too long.")
    return "\r\n".join(lines).encode()


def _shortened(line: str) -> Iterator[str]:
    """Give the lines for one line: itself, unless it is too long.

    A long list becomes a line for each value (RFC 3261 7.3.1). Of a long From or To, the tag stays.
    """
    if len(line) <= LINE_LENGTH_MAX:
        yield line
        return
    name, _, value = line.partition(":")
    plain = name.strip().lower()
    if plain in _LISTS:
        yield from (f"{name}: {element}" for element in split_list(value) if len(element) <= LINE_LENGTH_MAX)
    elif plain in _ENDS:
        bare = value[match.end() :] if (match := _DISPLAY_NAME.match(value)) else ""
        uri, _, parameters = bare.partition(">")
        if not 0 < len(uri) <= URI_LENGTH_MAX:
            raise MalformedMessageError("From or To is too long.")
        tag = _TAG.search(parameters)
        yield f"{name}: {uri}>" + (f";tag={tag.group(1)}" if tag else "")


def _free(error: Exception) -> None:
    """Cut an error off from the frames that it went through.

    The parser raises some errors that it has made once and for all. They would keep the frames of every message.
    """
    error.__traceback__ = error.__context__ = None


def _cut(body: bytes, length: int | None) -> bytes:
    """Return the body without the bytes after its Content-Length (RFC 3261 18.3)."""
    if length is None:
        return body
    if length < 0:
        raise MalformedMessageError("Content-Length is negative.")
    return body[:length]


def _checked(message: Request | Response) -> Received:
    """Return the message with the headers that every message must have (RFC 3261 8.1.1)."""
    cseq, via = message.cseq, Via.parse(split_list(message.headers["Via"])[0])
    received = Received(
        message=message,
        call_id=message.call_id,
        from_tag=address_in(message.headers["From"]).parameters.get("tag") or "",
        to_tag=address_in(message.headers["To"]).parameters.get("tag") or "",
        cseq=cseq.sequence,
        method=cseq.method,
        via=via,
    )
    if cseq.sequence > CSEQ_MAX or not received.call_id:
        raise MalformedMessageError("CSeq or Call-ID is not valid.")
    if any(
        len(token) > TOKEN_LENGTH_MAX
        for token in (received.call_id, received.from_tag, received.to_tag, received.branch)
    ):
        raise MalformedMessageError("An identifier is too long.")
    if isinstance(message, Request) and message.method != cseq.method:
        raise MalformedMessageError("CSeq names another method.")
    return received


class Outgoing(msgspec.Struct, frozen=True):
    """A request to send. Its ACK and its CANCEL are made from the same values."""

    method: str
    uri: str
    via: str
    """Transport, host and port of the sender, as in `SIP/2.0/UDP 192.0.2.1:5060`."""
    call_id: str
    sender: str
    """The value of From, with the tag."""
    to: str
    branch: str = ""
    cseq: int = 0
    routes: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def encode(self) -> bytes:
        """Return the request as bytes."""
        lines = [
            f"{self.method} {self.uri} SIP/2.0",
            f"Via: {self.via};branch={self.branch};rport",
            "Max-Forwards: 70",
            *(f"Route: {route}" for route in self.routes),
            f"From: {self.sender}",
            f"To: {self.to}",
            f"Call-ID: {self.call_id}",
            f"CSeq: {self.cseq} {self.method}",
            *(f"{name}: {value}" for name, value in self.headers),
            f"Content-Length: {len(self.body)}",
        ]
        return "\r\n".join(lines).encode() + _END + self.body

    def as_cancel(self) -> "Outgoing":
        """Return the CANCEL of an INVITE: the same but for the method (RFC 3261 9.1)."""
        return msgspec.structs.replace(self, method="CANCEL", headers=(), body=b"")

    def as_ack(self, to: str) -> "Outgoing":
        """Return the ACK of a response that refuses an INVITE, with the To of the response (RFC 3261 17.1.1.3)."""
        return msgspec.structs.replace(self, method="ACK", to=to, headers=(), body=b"")


_COPIED: Final = ("Via", "From", "To", "Call-ID", "CSeq")


def write_response(
    request: Received,
    status: int,
    phrase: str,
    flow: Flow,
    *,
    to_tag: str = "",
    headers: tuple[tuple[str, str], ...] = (),
    body: bytes = b"",
) -> bytes:
    """Return the response to a request that came by `flow`, whose other end is noted in the topmost Via (RFC 3581)."""
    lines = [f"SIP/2.0 {status} {phrase}"]
    for name in _COPIED:
        values = list(request.message.headers.getlist(name))
        if name == "Via":
            values[0] = _seen_from(values[0], flow.address)
        if name == "To" and to_tag and not request.to_tag:
            values[0] = f"{values[0]};tag={to_tag}"
        lines += [f"{name}: {value}" for value in values]
    lines += [f"{name}: {value}" for name, value in headers]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + _END + body


def reply_flow(request: Received, flow: Flow) -> Flow:
    """Return the flow of the response to a request that came by `flow` (RFC 3261 18.2.2, RFC 3581 4).

    That always leads to the address that the request came from. Its port is the one of the Via, unless the sender asks
    for the port that it came from. Over a connection, the flow itself leads there.
    """
    port = request.via.port or SIP_PORT
    if "rport" in request.via.parameters or port > PORT_MAX or flow.transport is not UDP:
        return flow
    return replace(flow, address=(flow.address[0], port))


def _seen_from(value: str, source: tuple[str, int]) -> str:
    """Return the topmost Via with the address that the request came from. All else stays as it is, byte for byte."""
    first, comma, others = value.partition(",")
    first = _ASKS_FOR_PORT.sub(f";rport={source[1]}", first, count=1)
    return f"{first};received={source[0]}{comma}{others}"
