"""Sentences that remember their template and its values, so that the console can show them in another language."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, Final, Self

NAME_MAX: Final = 60
"""Characters of a record's name in a message."""


class Sentence(str):
    """An English text, made from a template with named values: `Sentence("%(count)s keys", count=3)`.

    It is a text like any other, and `str()` of it is a plain text. The console translates its template, and fills in
    the values again. A value may be a sentence, or one of the values below, which pages show in another way than the
    API. A literal % in a template is %%.
    """

    __slots__ = ("number", "plural", "template", "values")

    template: str
    plural: str
    number: int
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:  # noqa: ANN401 - whatever has a text
        """Fill in the template."""
        return cls.of_number(template, "", 1, values)

    @classmethod
    def of_number(cls, template: str, plural: str, number: int, values: Mapping[str, Any]) -> Self:
        """Fill in the template, or its plural if there is one and the number is not 1."""
        sentence = super().__new__(cls, (plural if plural and number != 1 else template) % values)
        sentence.template, sentence.plural, sentence.number, sentence.values = template, plural, number, values
        return sentence

    def __reduce__(self) -> tuple[Callable[..., str], tuple[object, ...]]:
        """Be pickled with the template and its values, for the processes of forecasts."""
        return Sentence.of_number, (self.template, self.plural, self.number, dict(self.values))


class FieldName(str):
    """The name of a field in the API, and the path of its resource where the title depends on it. Pages show titles."""

    __slots__ = ("path",)

    path: str

    def __new__(cls, name: str, path: str = "") -> Self:
        """Name a field."""
        field = super().__new__(cls, name)
        field.path = path
        return field


class ResourceName(str):
    """The name of a kind of records in the API. Pages show its title."""

    __slots__ = ()


class RecordName(str):
    """The number of a record, by which the API names it. Pages show its name, if it has one."""

    __slots__ = ("name",)

    name: str

    def __new__(cls, number: int | str, name: str = "") -> Self:
        """Name a record."""
        record = super().__new__(cls, number)
        record.name = name
        return record


class CountryName(str):
    """The English name of a country, and its ISO code. Pages show its name in the viewer's language."""

    __slots__ = ("code",)

    code: str

    def __new__(cls, code: str, name: str) -> Self:
        """Name a country."""
        country = super().__new__(cls, name)
        country.code = code
        return country

    def __reduce__(self) -> tuple[type[str], tuple[object, ...]]:
        """Be pickled with the code."""
        return (CountryName, (self.code, str(self)))


class Listed(tuple[object, ...]):
    """Values in a sentence, separated by commas."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the values in English."""
        return ", ".join(map(str, self))


class Grouped(int):
    """A number with marks between groups of three digits."""

    def __str__(self) -> str:
        """Return the number in English."""
        return f"{int(self):,}"


class StateName(str):
    """A state of a record, as its number and name in the API. Pages show its word."""

    __slots__ = ("state",)

    state: IntEnum | None

    def __new__(cls, kind: type[IntEnum], number: int) -> Self:
        """Name a state of a kind; `unknown` is the name of one that this version does not know."""
        state = kind(number) if number in set(kind) else None
        name = super().__new__(cls, f"{number} ({'unknown' if state is None else state.name})")
        name.state = state
        return name

    def __reduce__(self) -> tuple[type[str], tuple[object, ...]]:
        """Be pickled with the state."""
        return (str, (str(self),)) if self.state is None else (StateName, (type(self.state), self.state.value))


class Length(int):
    """A length of time in whole seconds. Pages write longer ones in minutes, hours and days."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the length as the API writes it."""
        return f"{int(self)} s"


class Moment(str):
    """A moment as the API or a command writes it. Pages write it in the viewer's language."""

    __slots__ = ()


def cut_name(name: str) -> str:
    """Return the name of a record as messages have it: at most `NAME_MAX` characters."""
    return name if len(name) <= NAME_MAX else f"{name[: NAME_MAX - 1]}…"


def message_of(error: Exception) -> str:
    """Return the message of an error, which is still a sentence if it was made of one; `str(error)` is a plain text."""
    message = error.args[0] if len(error.args) == 1 else None
    return message if isinstance(message, Sentence) else str(error)


def counting_sentence(singular: str, plural: str, number: int, /, **values: Any) -> Sentence:  # noqa: ANN401 - as above
    """Return a sentence whose form fits a number, which both templates call `count`."""
    return Sentence.of_number(singular, plural, number, {"count": number, **values})


def template(text: str) -> str:
    """Return a template as it is, and mark it for translation, where no sentence is made of it at once."""
    return text
