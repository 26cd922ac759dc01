"""Tests of the pauses of a line whose carrier refuses messages for now."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Final

import pytest

from dialer.carriers.line_port import Found
from dialer.carriers.texts.backoff import PAUSE_S_MAX, Pauses
from dialer.domain.sessions.leg_protocol import LegReport

IN_FLIGHT: Final = 10
TAKEN, REFUSED = True, False


class Notes:
    """A service that only hears whether the line is up."""

    def __init__(self) -> None:
        self.why_down: list[str] = []

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        """Hear nothing of legs."""

    def is_up(self, why_not: str) -> None:
        """Note it."""
        self.why_down.append(why_not)


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time is that of the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def time(self) -> float:
        """Return the time."""
        return self.now_s

    async def pass_pause(self, pauses: Pauses) -> float:
        """Wait until a pause is over, and return its length in the loop's own time."""
        begun_s = self.now_s
        while pauses.is_down:
            self.now_s += 0.01
            await asyncio.sleep(0)
        return self.now_s - begun_s


def paused_s(answers: Iterator[bool], messages: int) -> list[float]:
    """Return the pauses of a line until the carrier has taken all messages, of which some leave at the same time."""
    loop = Clock()

    async def send() -> list[float]:
        pauses, left, found = Pauses(Notes()), messages, []
        while left > 0:
            for is_taken in [next(answers) for _ in range(min(IN_FLIGHT, left))]:
                if is_taken:
                    pauses.worked()
                    left -= 1
                else:
                    pauses.wait("throttled")
            found.append(await loop.pass_pause(pauses))
        return found

    try:
        return loop.run_until_complete(send())
    finally:
        loop.close()


@pytest.mark.parametrize(
    "answers",
    [(REFUSED, TAKEN, TAKEN), (TAKEN, TAKEN, REFUSED), (REFUSED, TAKEN, TAKEN, TAKEN, TAKEN, REFUSED, TAKEN)],
)
def test_a_carrier_that_refuses_every_third_message_is_hardly_slowed_down(answers: Sequence[bool]) -> None:
    assert sum(paused_s(cycle(answers), 60)) < 5


def test_pauses_double_up_to_a_minute_while_the_carrier_takes_nothing() -> None:
    answers = iter([*([REFUSED] * 12 * IN_FLIGHT), *([TAKEN] * IN_FLIGHT)])
    pauses = [round(one) for one in paused_s(answers, IN_FLIGHT)]
    assert pauses[2:] == [1, 2, 4, 8, 16, 32, *([PAUSE_S_MAX] * 4), 0]
