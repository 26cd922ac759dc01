"""Lines of FreeSWITCH gateways for a worker."""

from collections.abc import Callable
from pathlib import Path

from dialer.carriers.freeswitch.line import FreeSwitchLine
from dialer.carriers.port import Exchange


def freeswitch_lines(media: Path) -> Callable[[int, str, Exchange], FreeSwitchLine]:
    """Return a factory of lines, from the id and the parameters of a gateway. Sound files are in `media`."""

    def new_line(gateway_id: int, parameters: str, exchange: Exchange) -> FreeSwitchLine:
        return FreeSwitchLine(gateway_id, parameters, exchange, media)

    return new_line
