"""A client that moves the clock, and the settings of a service for programs on this machine."""

from http import HTTPStatus
from typing import Any, Final

from dialer.local_service.client import Client

LOCAL: Final = {"DIALER_WEBHOOK_NETWORKS": "127.0.0.0/8,::1/128"}
"""Programs on this machine get webhooks."""


class DevClient(Client):
    """A client of the API that also moves the clock."""

    def advance_clock(self, **target: Any) -> str:  # noqa: ANN401 - JSON
        """Advance the clock, and return the time that it shows then.

        Raises:
            DemoError: the service refuses it.
        """
        return str(self._object(self._ask("POST", "clock/advance/", HTTPStatus.OK, json=target))["now"])

    def now(self) -> str:
        """Return the time of the service."""
        return str(self._object(self._ask("GET", "clock/", HTTPStatus.OK))["now"])
