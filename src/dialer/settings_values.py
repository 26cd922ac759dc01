"""The values of settings: each function reads one kind of them from a text, or raises ValueError."""

import re
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import phonenumbers

from dialer.domain.calling_times.calling_hours import read_calling_hours as parse_calling_hours
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.credentials.secret_keys import is_keys

_DATABASES: Final = ("sqlite", "sqlite+aiosqlite", "postgresql", "postgresql+psycopg", "postgresql+asyncpg")
"""Starts of the URLs of databases. A driver's name after the `+` decides nothing."""
_CLOCK: Final = re.compile(r"real|virtual|x[1-9][0-9]{0,4}")
_VOICE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+_-]{0,39}")
_HOST_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?", re.ASCII)
_CLOCK_START_YEARS: Final = range(1970, 2200)
OTHER_HOSTS_MAX: Final = 20
NETWORKS_MAX: Final = 20
USERNAME_MAX: Final = 150
_USERNAME: Final = re.compile(rf"[^\x00-\x20:\x7f]{{1,{USERNAME_MAX}}}")
OPTIONAL: Final = "optional"
ADMINS: Final = "admins"
EVERYBODY: Final = "everybody"
OPEN: Final = "open"
DIRECT: Final = "direct"
CONSENT: Final = "yes-i-have-consent"
"""The value of DIALER_ALLOW_ANY_HOUR."""
HIDDEN: Final = "***"
"""Text that stands for a secret wherever a setting is shown."""


def read_database_url(text: str) -> str:
    """Return the URL of a database.

    Raises:
        ValueError: the text holds no such value.
    """
    # The help of commands needs the settings, but no database.
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    try:
        url = make_url(text)
    except ArgumentError:
        raise ValueError(text) from None
    if url.drivername not in _DATABASES or url.database in {None, "", ":memory:"}:
        raise ValueError(text)
    return text


def read_clock(text: str) -> str:
    """Return the name of a clock.

    Raises:
        ValueError: the text holds no such value.
    """
    return matching(_CLOCK, text)


def read_moment(text: str) -> datetime:
    """Return a moment.

    Raises:
        ValueError: the text holds no such value.
    """
    moment = datetime.fromisoformat(text)
    if moment.year not in _CLOCK_START_YEARS:
        raise ValueError(text)
    return moment


def read_whole(text: str, least: int, most: int) -> int:
    """Return a whole number between two others.

    Raises:
        ValueError: the text holds no such value.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(most)) or not least <= int(text) <= most:
        raise ValueError(text)
    return int(text)


def read_zone(text: str) -> str:
    """Return a time zone.

    Raises:
        ValueError: the text holds no such value.
    """
    if not is_zone(text):
        raise ValueError(text)
    return text


def read_region(text: str) -> str:
    """Return a country.

    Raises:
        ValueError: the text holds no such value.
    """
    if text.upper() not in phonenumbers.SUPPORTED_REGIONS:
        raise ValueError(text)
    return text.upper()


def read_calling_hours(text: str) -> str:
    """Return calling hours.

    Raises:
        ValueError: the text holds no such value.
    """
    parse_calling_hours(text)
    return text


def read_consent(text: str) -> bool:
    """Return the statement that callees have agreed.

    Raises:
        ValueError: the text holds no such value.
    """
    if text != CONSENT:
        raise ValueError(text)
    return True


def read_keys(text: str) -> str:
    """Return keys of stored secrets.

    Raises:
        ValueError: the text holds no such value.
    """
    if not is_keys(text):
        raise ValueError(text)
    return text


def read_voice(text: str) -> str:
    """Return a voice.

    Raises:
        ValueError: the text holds no such value.
    """
    return matching(_VOICE, text)


def read_base_url(text: str) -> str:
    """Return the start of URLs, without a slash at its end.

    Raises:
        ValueError: the text holds no such value.
    """
    url = urlsplit(text)
    plain = not (url.query or url.fragment or url.username or url.password) and text.isascii() and text.isprintable()
    if url.scheme not in {"http", "https"} or not url.hostname or not plain or url.port == 0:
        raise ValueError(text)
    return text.rstrip("/")


def milliseconds_of(moment: datetime, timezone: str) -> int:
    """Return a moment in milliseconds since the epoch; one without an offset is in the time zone."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(timezone))
    return round(aware.astimezone(UTC).timestamp() * 1000)


def read_hosts(text: str) -> tuple[str, ...]:
    """Return host names between commas.

    Raises:
        ValueError: the text holds no such value.
    """
    names = tuple(matching(_HOST_NAME, name.strip()).lower() for name in text.split(","))
    if len(names) > OTHER_HOSTS_MAX:
        raise ValueError(text)
    return names


def read_networks(text: str) -> tuple[str, ...]:
    """Return IP networks between commas.

    Raises:
        ValueError: the text holds no such value.
    """
    networks = tuple(str(ip_network(part.strip())) for part in text.split(","))
    if len(networks) > NETWORKS_MAX:
        raise ValueError(text)
    return networks


def is_username(text: str) -> bool:
    """Return whether `text` can be a user name: HTTP Basic authentication must be able to carry it."""
    return _USERNAME.fullmatch(text) is not None


def read_username(text: str) -> str:
    """Return a text that is a valid user name.

    Raises:
        ValueError: the text is none.
    """
    return matching(_USERNAME, text)


def matching(pattern: re.Pattern[str], text: str) -> str:
    """Return a text that a pattern fits as a whole.

    Raises:
        ValueError: it does not.
    """
    if not pattern.fullmatch(text):
        raise ValueError(text)
    return text


def read_one_of(text: str, words: frozenset[str]) -> str:
    """Return a text that is one of some words.

    Raises:
        ValueError: it is another text.
    """
    if text not in words:
        raise ValueError(text)
    return text


def without_password(url: str) -> str:
    """Return a database's URL as it may be shown."""
    # The help of commands needs the settings, but no database.
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return HIDDEN
