"""Lines as the switchboard knows them: their settings, and what they have heard."""

from typing import Any, Final, NamedTuple

import msgspec

from dialer.carriers.line_port import Found
from dialer.domain.calls.plans import SIMULATED, GatewayKey
from dialer.domain.sessions.leg_protocol import LegReport

STARTING: Final = "it is starting"
"""The reason why a line does not work that has not said that it does."""


class LineSettings(NamedTuple):
    """The settings of a gateway's carrier; `parameters` are a JSON object as text."""

    protocol: str
    parameters: str

    @property
    def is_simulated(self) -> bool:
        """Return whether the callees are simulated."""
        return self.protocol == SIMULATED

    def simulated(self) -> str:
        """Return the behaviour of simulated callees as JSON text: of a real carrier, its parameter `simulated`."""
        if self.is_simulated:
            return self.parameters
        behaviour = msgspec.json.decode(self.parameters, type=dict[str, Any]).get("simulated", {})
        return msgspec.json.encode(behaviour).decode()


class LineReport(NamedTuple):
    """A report of a line about a leg, and the time of its arrival."""

    gateway_id: GatewayKey
    key: str
    heard: LegReport | Found
    told_ms: int
