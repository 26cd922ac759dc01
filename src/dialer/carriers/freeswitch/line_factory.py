"""Lines of FreeSWITCH gateways for a worker."""

from collections.abc import Callable
from pathlib import Path

from dialer.carriers.freeswitch.line import FreeSwitchLine
from dialer.carriers.line_port import Exchange
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.kept_messages import capture_folder
from dialer.carriers.voice.speech import Speaker


def freeswitch_lines(media: Path, speaker: Speaker) -> Callable[[int, str, Exchange], FreeSwitchLine]:
    """Return a factory of lines, from the id and the parameters of a gateway.

    The switch itself reads the sound files of the folder `media`, in which `speaker` speaks. Commands and events are
    kept for a day.
    """

    def new_line(gateway_id: int, parameters: str, exchange: Exchange) -> FreeSwitchLine:
        line = FreeSwitchLine(gateway_id, parameters, exchange, media, speaker=speaker)
        line.capture = Capture(capture_folder(media))
        return line

    return new_line
