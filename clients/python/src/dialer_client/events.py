"""Events as they come, each with the type of its data."""

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, Self

import httpx

from dialer_client.client import AuthenticatedClient, Client
from dialer_client.connection import RefusedError
from dialer_client.event_types import Event
from dialer_client.openings import CLOCK, Openings, is_passing, refused
from dialer_client.server_sent import sent_events


class EventStream:
    """The events of an account from the opening on. A stream that breaks is opened again after the last event.

    An event comes at least once: remember its `id`.
    """

    def __init__(
        self, client: AuthenticatedClient | Client, openings: Openings, sleep: Callable[[float], None]
    ) -> None:
        self._http: Final = client.get_httpx_client()
        self._openings: Final = openings
        self._sleep: Final = sleep
        self._answer: httpx.Response | None = None

    def __enter__(self) -> Self:
        """Open the stream, so that nothing that happens from now on is missed.

        Raises:
            RefusedError: the service refuses it, as to an account that keeps no events.
        """
        self._openings.begin(_checked(self._http.get(CLOCK)))
        self._open(again=False)
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
        while True:
            try:
                if self._answer is None:
                    self._open(again=True)
                for sent in sent_events(self._lines()):
                    yield self._openings.event(sent)
            except (httpx.TransportError, RefusedError) as error:
                if not is_passing(error):
                    raise
            self._close()
            self._sleep(self._openings.wait_s())

    def _lines(self) -> Iterator[str]:
        return iter(()) if self._answer is None else self._answer.iter_lines()

    def _open(self, *, again: bool) -> None:
        answer = self._http.send(self._openings.request(self._http, again=again), stream=True)
        self._answer = _checked(answer)

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
    return EventStream(client, Openings(types, campaign, after), sleep)


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    answer.read()
    answer.close()
    raise refused(answer)
