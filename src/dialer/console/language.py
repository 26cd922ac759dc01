"""The texts of the console in the language of whoever looks at it.

The English text is the key of its translations. A value in a text has a name: `%(count)s`. What the API answers stays
English.
"""

from contextvars import ContextVar
from gettext import NullTranslations
from typing import Final

_translations: Final[ContextVar[NullTranslations]] = ContextVar("translations", default=NullTranslations())  # noqa: B039 - it has no state of its own


def gettext(text: str) -> str:
    """Return a text in the viewer's language; in English if it has no translation."""
    return _translations.get().gettext(text)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the form of a text that fits a number, in the viewer's language."""
    return _translations.get().ngettext(singular, plural, number)


def gettext_noop(text: str) -> str:
    """Return a text as it is, and mark it for translation, to be translated when it is shown."""
    return text
