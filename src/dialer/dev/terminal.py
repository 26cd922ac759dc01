"""The terminal of `dialer dev`: one letter a line moves the clock."""

from collections.abc import Callable, Iterable
from typing import Final

from dialer.local_service.errors import DemoError
from dialer.local_service.hand_clock import HandClock

HELP: Final = """\
  Enter  the time, and what goes on      s  the clock stands still
  n      to the next event               1  it runs in real time
  m      a minute on                     6  60 times as fast
  h      an hour on                      d  a day on
  ?      this help                       q  end"""
_SPEEDS: Final = {"s": 0, "1": 1, "6": 60, "60": 60}
_SECONDS: Final = {"m": 60, "h": 3_600, "d": 86_400}
END: Final = "q"


class Terminal:
    """A terminal whose typed lines move the clock."""

    def __init__(self, clock: HandClock, status: Callable[[], str], say: Callable[[str], None]) -> None:
        self._clock: Final = clock
        self._status: Final = status
        self._say: Final = say

    def obey(self, lines: Iterable[str]) -> bool:
        """Obey typed lines, up to a line that ends the service. Return whether there was such a line."""
        for line in lines:
            word = line.strip().lower()
            if word == END:
                return True
            try:
                self._obey(word)
            except DemoError as error:
                self._say(str(error))
        return False

    def _obey(self, word: str) -> None:
        if word in _SPEEDS:
            self._clock.run_at(_SPEEDS[word])
        elif word in _SECONDS:
            self._clock.move(seconds=_SECONDS[word])
        elif word == "n":
            self._clock.move(next=True)
        elif word:
            self._say(HELP)
            return
        self._say(self._status())
