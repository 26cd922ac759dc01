"""The factories of lines for text messages, by protocol."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from dialer.carriers.line_port import Exchange, Line
from dialer.carriers.texts.http_line import HttpTextLine
from dialer.carriers.texts.smpp_line import SmppLine
from dialer.domain.plans import HTTP, KANNEL, SMPP

HTTP_PROTOCOLS: Final = (HTTP, KANNEL)


def open_http_line(protocol: str, gateway_id: int, parameters: str, exchange: Exchange) -> Line:
    """Open the line of a gateway whose carrier takes text messages over HTTP."""
    return HttpTextLine(protocol, gateway_id, parameters, exchange)


TEXT_LINES: Final[Mapping[str, Callable[[int, str, Exchange], Line]]] = {
    **{protocol: partial(open_http_line, protocol) for protocol in HTTP_PROTOCOLS},
    SMPP: SmppLine,
}
