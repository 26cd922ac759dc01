"""The appearance of a section type on pages: its name, a sentence, an icon and a colour."""

from enum import StrEnum

import msgspec


class Colour(StrEnum):
    """The colour of a section type on pages, by what it does."""

    PLAIN = "plain"
    """Speaks only."""
    ACCENT = "accent"
    """Wants something of the callee."""
    GOOD = "good"
    """Connects the callee with others."""
    FAIR = "fair"
    """Sends something."""
    BAD = "bad"
    """Ends the call."""


class Appearance(msgspec.Struct, frozen=True):
    """The words of a section type in English, which pages translate, and its picture."""

    name: str
    sentence: str
    """A sentence that says what a section of this type does."""
    icon: str
    """The path of the icon, within 16 by 16 units, as SVG writes it."""
    colour: Colour = Colour.PLAIN
    stroke_width: float | None = None
    """The width of the icon's lines; None for the usual one."""
