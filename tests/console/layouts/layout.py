"""A layout of a list, as an exporter writes it, and what it becomes."""

from collections.abc import Mapping
from typing import NamedTuple


class Layout(NamedTuple):
    """A file, the country of the account that imports it, and the outcome."""

    text: str
    becomes: str
    """A line a person: the number, and the name. `no` stands before a number that must not be called."""
    country: str = "DE"
    charset: str = "utf-8"
    refused: int = 0
    """Lines that are refused, with a reason."""
    left_out: int = 0
    """Lines with a total, which are left out with a word."""
    asks: str = ""
    """The question of the page, if it has one."""
    answer: str = ""
    """The answer to it that is pressed."""
    into: str = "phonebook"
    changed: Mapping[str, str] = {}
    """Choices of the page that the viewer changes."""

    @property
    def content(self) -> bytes:
        """Return the file in its character set."""
        return self.text.lstrip("\n").encode(self.charset)
