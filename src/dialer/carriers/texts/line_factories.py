"""The factories of lines for text messages, by protocol."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from dialer.carriers.line_port import Exchange, Line
from dialer.carriers.texts.http_line import HttpTextLine
from dialer.carriers.texts.smpp_line import SmppLine
from dialer.domain.calls.plans import HTTP, KANNEL, SMPP

TEXT_LINES: Final[Mapping[str, Callable[[int, str, Exchange], Line]]] = {
    **{protocol: partial(HttpTextLine, protocol) for protocol in (HTTP, KANNEL)},
    SMPP: SmppLine,
}
