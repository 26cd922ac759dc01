"""The languages in which people can read the console."""

from collections.abc import Mapping
from typing import Final

ENGLISH: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = {
    ENGLISH: "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "pt": "Português",
}
"""The name of each language in itself, by its ISO 639 code."""
