"""The openings of a stream of events: where it goes on after a break, how long it waits, and when it gives up."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import httpx

from dialer_client.connection import RefusedError
from dialer_client.event_types import EVENTS, Event
from dialer_client.models.event_read import EventRead
from dialer_client.server_sent import SentEvent

CLOCK: Final = "/rest-api/clock/"
"""The path that has the time of the service."""
_SILENCE_S: Final = 45.0
"""The silence after which a connection counts as lost. The service sends a comment every 15 seconds."""
_AGAIN_S_MAX: Final = 30.0
"""The longest wait before a lost stream is opened again."""
_EVENTS: Final = "/rest-api/events/"


def event_of(members: Mapping[str, Any]) -> Event:
    """Return an event from its JSON.

    Raises:
        KeyError: a member is missing.
        ValueError: a member is none that an event has.
    """
    known: type[Any] = EVENTS.get(str(members["type"]), EventRead)
    event: Event = known.from_dict(members)
    return event


class Openings:
    """The state of a stream that is opened again whenever it breaks."""

    def __init__(self, types: Sequence[str], campaign: int | None, after: str) -> None:
        wanted = {"types": ",".join(types), "campaign": "" if campaign is None else str(campaign)}
        self._wanted: Final = {name: value for name, value in wanted.items() if value}
        self._last_id = after
        self._since = ""
        self._again_s = 1.0

    def begin(self, clock: httpx.Response) -> None:
        """Keep the time of the service, at which a stream goes on that breaks before its first event."""
        self._since = str(json.loads(clock.content)["now"])

    def request(self, http: httpx.Client | httpx.AsyncClient, *, again: bool) -> httpx.Request:
        """Return the request that opens the stream, for the first time or again."""
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": self._last_id} if self._last_id else {})}
        since = {"since": self._since} if again and not self._last_id else {}
        timeout = httpx.Timeout(_SILENCE_S)
        return http.build_request("GET", _EVENTS, params={**self._wanted, **since}, headers=headers, timeout=timeout)

    def event(self, sent: SentEvent) -> Event:
        """Return an event that came, after which the stream goes on from now on."""
        self._again_s, self._last_id = 1.0, sent.id
        return event_of(json.loads(sent.data))

    def wait_s(self) -> float:
        """Return the seconds to wait before the next opening: each time twice as many, until an event comes."""
        wait_s, self._again_s = self._again_s, min(2 * self._again_s, _AGAIN_S_MAX)
        return wait_s


def is_passing(error: httpx.TransportError | RefusedError) -> bool:
    """Return whether a stream that failed so may be opened again."""
    if isinstance(error, RefusedError):
        return error.status >= HTTPStatus.INTERNAL_SERVER_ERROR or error.status == HTTPStatus.TOO_MANY_REQUESTS
    return True


def refused(answer: httpx.Response) -> RefusedError:
    """Return the error of an answer that was read and that is no success."""
    text = answer.content.decode("utf-8", "replace")
    try:
        return RefusedError(answer.status_code, json.loads(text))
    except ValueError:
        return RefusedError(answer.status_code, text)
