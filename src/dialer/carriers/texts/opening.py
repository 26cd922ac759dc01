"""The factories of lines for text messages, by protocol."""

from functools import partial
from typing import Final

from dialer.carriers.port import Exchange, Line
from dialer.carriers.texts.http_line import HttpTextLine
from dialer.domain.plans import HTTP, KANNEL

HTTP_PROTOCOLS: Final = (HTTP, KANNEL)


def open_http_line(protocol: str, gateway_id: int, parameters: str, exchange: Exchange) -> Line:
    """Open the line of a gateway whose carrier takes text messages over HTTP."""
    return HttpTextLine(protocol, gateway_id, parameters, exchange)


TEXT_LINES: Final = {protocol: partial(open_http_line, protocol) for protocol in HTTP_PROTOCOLS}
