"""Sentences that remember their template and its values, so that the console can show them in another language."""

from collections.abc import Mapping
from typing import Any, Self


class Sentence(str):
    """An English text, made from a template with named values: `Sentence("%(count)s keys", count=3)`.

    It is a text like any other. The console translates its template, and fills in the values again. A value may be a
    sentence, too. A literal % in a template is %%.
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

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Be copied and pickled as a plain text."""
        return str, (str(self),)


def counting_sentence(singular: str, plural: str, number: int, /, **values: Any) -> Sentence:  # noqa: ANN401 - as above
    """Return a sentence whose form fits a number, which both templates call `count`."""
    return Sentence.of_number(singular, plural, number, {"count": number, **values})


def template(text: str) -> str:
    """Return a template as it is, and mark it for translation, where no sentence is made of it at once."""
    return text
