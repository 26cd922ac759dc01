"""Events of the switch, as their JSON objects."""

from typing import Any, Final

import msgspec

_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


class SwitchEvent:
    """An event, or the dump of a channel: names and texts."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields: Final = fields

    def __getitem__(self, name: str) -> str:
        """Return a field; empty if it is missing or no text."""
        value = self._fields.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> int:
        """Return a field that is a number without a sign; 0 if it is none."""
        text = self[name]
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0  # noqa: PLR2004 - fits 64 bits

    @property
    def name(self) -> str:
        """The kind of the event, such as `CHANNEL_ANSWER`."""
        return self["Event-Name"]

    @property
    def key(self) -> str:
        """The channel, which is the key of the leg."""
        return self["Unique-ID"]

    @property
    def is_hung_up(self) -> bool:
        """True if the channel is at its end already."""
        state = self["Channel-State"]
        return self["Answer-State"] == "hangup" or state in {"CS_HANGUP", "CS_REPORTING", "CS_DESTROY"}


def read_event(body: bytes) -> SwitchEvent | None:
    """Return the event in a body; None if it is no JSON object."""
    try:
        return SwitchEvent(_DECODER.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
