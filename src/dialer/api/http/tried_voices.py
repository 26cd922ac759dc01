"""Trials of the voices that surveys choose: each speaks a word, outside of all transactions, before it calls people."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

import anyio

from dialer.app.work.errors import VoiceUntriedError
from dialer.domain.words.voices import ChosenVoice, TriedVoice
from dialer.store.database.database import Database
from dialer.store.database.service_state import save_tried_voice

TRIED_MAX: Final = 8
"""Voices that are tried for one request. A further one is refused, and may be tried by the next request."""
AT_ONCE: Final = 2
WAIT_S: Final = 30.0
"""Time that a request waits for each voice, those of others before it included."""
TryVoice = Callable[[ChosenVoice], Awaitable[tuple[str, bool]]]
"""Speaks a word; returns why that fails, if so, and whether the voice of another language speaks it."""
_Result = TypeVar("_Result")


async def try_nothing(wanted: ChosenVoice) -> tuple[str, bool]:  # noqa: ARG001 - whatever it is
    """Find any voice silent, in an application that has none."""
    return "the service has no voice", False


class VoiceTrials:
    """The trials of one process, and the store of what they found, from which all transactions read."""

    def __init__(self, try_voice: TryVoice, database: Database, now_ms: Callable[[], int]) -> None:
        self._try_voice: Final = try_voice
        self._database: Final = database
        self._now_ms: Final = now_ms
        self._turns: Final = anyio.Semaphore(AT_ONCE)

    async def known(self, work: Callable[[], Awaitable[_Result]]) -> _Result:
        """Return the result of work, which begins anew after each voice that it has to know of and that was tried.

        Raises:
            VoiceUntriedError: it wants too many voices, or others are being tried.
        """
        for _ in range(TRIED_MAX):
            try:
                return await work()
            except VoiceUntriedError as error:
                await self._try(error)
        return await work()

    async def _try(self, error: VoiceUntriedError) -> None:
        try:
            with anyio.fail_after(WAIT_S):
                async with self._turns:
                    why_not, lacks_language = await self._try_voice(error.wanted)
        except TimeoutError:
            raise error from None
        tried = TriedVoice(error.wanted, self._now_ms(), why_not, lacks_language)
        await self._database.write(partial(save_tried_voice, tried=tried))
