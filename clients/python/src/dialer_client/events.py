"""Events as they come, each with the type of its data."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, Self

import httpx

from dialer_client.client import AuthenticatedClient, Client
from dialer_client.connection import RefusedError
from dialer_client.event_types import EVENTS, Event
from dialer_client.models.event_read import EventRead
from dialer_client.server_sent import sent_events

SILENCE_S: Final = 45.0
"""The silence after which a connection counts as lost. The service sends a comment every 15 seconds."""
AGAIN_S_MAX: Final = 30.0
"""The longest wait before a lost stream is opened again."""
_STREAM: Final = {"Accept": "text/event-stream"}
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


class EventStream:
    """The events of an account from the opening on. A stream that breaks is opened again after the last event.

    An event comes at least once: remember its `id`.
    """

    def __init__(
        self,
        client: AuthenticatedClient | Client,
        wanted: Mapping[str, str],
        after: str,
        sleep: Callable[[float], None],
    ) -> None:
        self._http: Final = client.get_httpx_client()
        self._wanted: Final = wanted
        self._last_id = after
        self._since = ""
        self._sleep: Final = sleep
        self._answer: httpx.Response | None = None

    def __enter__(self) -> Self:
        """Open the stream, so that nothing that happens from now on is missed.

        Raises:
            RefusedError: the service refuses it, as to an account that keeps no events.
        """
        self._since = str(_checked(self._http.get("/rest-api/clock/")).json()["now"])
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def __iter__(self) -> Iterator[Event]:
        """Yield events until the block of the stream is left.

        Raises:
            RefusedError: the service refuses to go on, as to a key that was revoked.
        """
        wait_s = 1.0
        while True:
            try:
                if self._answer is None:
                    self._open(again=True)
                for sent in sent_events(self._lines()):
                    wait_s, self._last_id = 1.0, sent.id
                    yield event_of(json.loads(sent.data))
            except httpx.TransportError:
                pass
            except RefusedError as error:
                if error.status < HTTPStatus.INTERNAL_SERVER_ERROR and error.status != HTTPStatus.TOO_MANY_REQUESTS:
                    raise
            self._close()
            self._sleep(wait_s)
            wait_s = min(2 * wait_s, AGAIN_S_MAX)

    def _lines(self) -> Iterator[str]:
        return iter(()) if self._answer is None else self._answer.iter_lines()

    def _open(self, *, again: bool = False) -> None:
        """Open the stream; one that broke before its first event goes on at the moment of its first opening."""
        headers = {**_STREAM, **({"Last-Event-ID": self._last_id} if self._last_id else {})}
        since = {"since": self._since} if again and not self._last_id else {}
        timeout = httpx.Timeout(SILENCE_S)
        request = self._http.build_request(
            "GET", _EVENTS, params={**self._wanted, **since}, headers=headers, timeout=timeout
        )
        self._answer = _checked(self._http.send(request, stream=True))

    def _close(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None


def follow(
    client: AuthenticatedClient | Client,
    *,
    types: Sequence[str] = (),
    campaign: int | None = None,
    after: str = "",
    sleep: Callable[[float], None] = time.sleep,
) -> EventStream:
    """Return the events of the account as they come: all, or those of some types or of one campaign.

    With `after`, the id of an event, the events after that one come first. The account must keep its events.
    """
    wanted = {"types": ",".join(types), "campaign": "" if campaign is None else str(campaign)}
    return EventStream(client, {name: value for name, value in wanted.items() if value}, after, sleep)


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    text = answer.read().decode("utf-8", "replace")
    answer.close()
    try:
        raise RefusedError(answer.status_code, json.loads(text))
    except ValueError:
        raise RefusedError(answer.status_code, text) from None
