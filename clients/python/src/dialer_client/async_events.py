"""Events as they come, for programs that use asyncio."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Self

import httpx

from dialer_client.client import AuthenticatedClient, Client
from dialer_client.connection import RefusedError
from dialer_client.event_types import Event
from dialer_client.openings import CLOCK, Openings, is_passing, refused
from dialer_client.server_sent import EventReader


class AsyncEventStream:
    """The events of an account from the opening on, for `async with` and `async for`.

    A stream that breaks is opened again after the last event. An event comes at least once: remember its `id`.
    """

    def __init__(
        self, client: AuthenticatedClient | Client, openings: Openings, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._http: Final = client.get_async_httpx_client()
        self._openings: Final = openings
        self._sleep: Final = sleep
        self._answer: httpx.Response | None = None

    async def __aenter__(self) -> Self:
        """Open the stream, so that nothing that happens from now on is missed.

        Raises:
            RefusedError: the service refuses it, as to an account that keeps no events.
        """
        self._openings.begin(await _checked(await self._http.get(CLOCK)))
        await self._open(again=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Yield events until the block of the stream is left.

        Raises:
            RefusedError: the service refuses to go on, as to a key that was revoked.
        """
        while True:
            try:
                if self._answer is None:
                    await self._open(again=True)
                async for event in self._events():
                    yield event
            except (httpx.TransportError, RefusedError) as error:
                if not is_passing(error):
                    raise
            await self._close()
            await self._sleep(self._openings.wait_s())

    async def _events(self) -> AsyncIterator[Event]:
        reader = EventReader()
        if self._answer is not None:
            async for line in self._answer.aiter_lines():
                sent = reader.take(line)
                if sent is not None:
                    yield self._openings.event(sent)

    async def _open(self, *, again: bool) -> None:
        answer = await self._http.send(self._openings.request(self._http, again=again), stream=True)
        self._answer = await _checked(answer)

    async def _close(self) -> None:
        if self._answer is not None:
            await self._answer.aclose()
            self._answer = None


def follow_async(
    client: AuthenticatedClient | Client,
    *,
    types: Sequence[str] = (),
    campaign: int | None = None,
    after: str = "",
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncEventStream:
    """Return the events of the account as they come, as `follow` does, without blocking the event loop.

    With `after`, the id of an event, the events after that one come first. The account must keep its events.
    """
    return AsyncEventStream(client, Openings(types, campaign, after), sleep)


async def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    await answer.aread()
    await answer.aclose()
    raise refused(answer)
