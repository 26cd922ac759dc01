"""Enumerations whose members have a meaning, in the words of a user of the API."""

from enum import Enum, IntEnum, StrEnum
from typing import Self


def _require(kind: type[Enum], value: object, meaning: str) -> None:
    if not meaning:
        raise TypeError(f'{kind.__name__} says what each member means. Write NAME = {value!r}, "Its meaning."')


class DescribedInt(IntEnum):
    """The base of enumerations of integers with a meaning of each: `NAME = 1, "Its meaning."`."""

    _value_: int
    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> Self:
        """Return a member with its meaning."""
        _require(cls, value, meaning)
        member = int.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member

    @property
    def description(self) -> str:
        """Return the meaning as the OpenAPI document has it."""
        return self.meaning


class DescribedText(StrEnum):
    """The base of enumerations of texts with a meaning of each: `NAME = "name", "Its meaning."`."""

    _value_: str
    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """Return a member with its meaning."""
        _require(cls, value, meaning)
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member

    @property
    def description(self) -> str:
        """Return the meaning as the OpenAPI document has it."""
        return self.meaning
