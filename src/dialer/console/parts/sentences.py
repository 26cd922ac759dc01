"""Messages in the viewer's language: sentences with their values, and texts without values."""

import re
from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Final

from dialer.console.parts.rendering import grouped, length_in_words, moment_of, money
from dialer.console.words.catalogue import PAGES
from dialer.console.words.countries import country_names
from dialer.console.words.field_titles import TITLES, title_of
from dialer.console.words.language import gettext, ngettext
from dialer.console.words.section_words import TITLES as SECTION_TITLES
from dialer.console.words.state_words import words_of
from dialer.domain.billing.money import MoneyAmount
from dialer.domain.words.sentences import (
    CountryName,
    FieldName,
    Grouped,
    Length,
    Listed,
    Moment,
    RecordName,
    ResourceName,
    Sentence,
    StateName,
    cut_name,
    message_of,
)

_ARTICLE: Final = re.compile(r"\b(?:an?|the) (?=%\((\w+)\)s)", re.IGNORECASE)

_MINUTE_S: Final = 60


def in_viewers_words(message: str, zone: tzinfo | None = None) -> str:
    """Return a message in the viewer's language; in English if it has no translation. Moments are those of a zone."""
    if not isinstance(message, Sentence):
        return gettext(message)
    template = ngettext(message.template, message.plural, message.number) if message.plural else ""
    shown = {name: _shown(value, zone) for name, value in message.values.items()}
    return _without_articles(template or gettext(message.template), message) % shown


def _without_articles(template: str, message: Sentence) -> str:
    """Return a template whose English text has no article before the title of a field, which stands in quotes."""
    if template not in {message.template, message.plural}:
        return template

    def shortened(found: re.Match[str]) -> str:
        return "" if isinstance(message.values.get(found[1]), FieldName) else found[0]

    return _ARTICLE.sub(shortened, template)


def error_in_words(error: Exception) -> str:
    """Return the message of an error in the viewer's language."""
    return in_viewers_words(message_of(error))


def joined_words(messages: Iterable[str]) -> str:
    """Return messages in the viewer's language, one after another."""
    return " ".join(map(in_viewers_words, messages))


def _in_figures(value: MoneyAmount | Grouped | Length) -> str:
    if isinstance(value, MoneyAmount):
        return money(int(value))
    if isinstance(value, Grouped):
        return grouped(int(value))
    return length_in_words(int(value) * 1_000) if value >= _MINUTE_S else str(value)


def _named(value: ResourceName | CountryName) -> str:
    if isinstance(value, CountryName):
        return country_names().get(value.code, value)
    return gettext(PAGES[value].one) if value in PAGES else value


def _shown(value: object, zone: tzinfo | None) -> object:  # noqa: PLR0911 - one return for each kind of value
    """Return a value of a sentence as pages show it."""
    match value:
        case Sentence():
            return in_viewers_words(value, zone)
        case FieldName():
            # Sections have forms of their own, with titles of their own.
            title = TITLES.get(value) or SECTION_TITLES.get(value) if not value.path else None
            return gettext("“%(name)s”") % {"name": gettext(title or title_of(value.path, value))}
        case RecordName():
            return gettext("“%(name)s”") % {"name": cut_name(value.name)} if value.name else value
        case ResourceName() | CountryName():
            return _named(value)
        case StateName():
            return value if value.state is None else gettext("“%(name)s”") % {"name": words_of(value.state)}
        case Moment():
            at = datetime.fromisoformat(value.replace(" UTC", "Z"))
            return moment_of(at.astimezone(zone) if zone else at)
        case Listed():
            return ", ".join(str(_shown(one, zone)) for one in value)
        case MoneyAmount() | Grouped() | Length():
            return _in_figures(value)
        case _:
            return value
