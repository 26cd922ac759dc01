"""Regular expressions that take long to compile, and that few processes need."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final


class LatePattern:
    """A regular expression that is compiled at its first use.

    `source` is its text, or a function that returns it, which is called then.
    """

    def __init__(self, source: str | Callable[[], str]) -> None:
        self._source: Final = source

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Return the compiled expression."""
        return re.compile(self._source if isinstance(self._source, str) else self._source())
