"""A setting, and the values of settings: each function reads one kind of them from a text, or raises ValueError."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

import msgspec
import phonenumbers

from dialer.domain.calling_times.calling_hours import ANY_HOUR
from dialer.domain.calling_times.calling_hours import read_calling_hours as parse_calling_hours
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.credentials.secret_keys import is_keys

_DATABASES: Final = ("sqlite", "sqlite+aiosqlite", "postgresql", "postgresql+psycopg", "postgresql+asyncpg")
"""Starts of the URLs of databases. A driver's name after the `+` decides nothing."""
_CLOCK: Final = re.compile(r"real|virtual|x[1-9][0-9]{0,4}")
_VOICE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+_-]{0,39}")
_HOST_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?", re.ASCII)
_CLOCK_START_YEARS: Final = range(1970, 2200)
_SMTP: Final = "smtp"
_SMTPS: Final = "smtps"
_MAIL_PORTS: Final = {_SMTP: 587, _SMTPS: 465, "smtp+plain": 25}
_MAIL_HERE: Final = 25
"""The port of a mail server on this machine."""
_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
REAL: Final = "real"
ANY: Final = "any"
MAIL_ADDRESS_MAX: Final = 254
"""Characters of an address of mail (RFC 5321, 4.5.3.1)."""
_LOCAL_MAX: Final = 64
MAIL_ADDRESS_PATTERN: Final = (
    r"^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"
)
"""The pattern of an address of mail in the description of the API."""
_MAIL_ADDRESS: Final = re.compile(
    MAIL_ADDRESS_PATTERN,
    re.ASCII,
)
SEED_MAX: Final = 2**63 - 1
RATE_LIMIT_MAX: Final = 1_000_000
"""Requests per minute."""
READERS_MIN: Final = 2
READERS_MAX: Final = 100
LOCK_TIMEOUT_MAX: Final = 60
STATEMENT_TIMEOUT_MAX: Final = 3_600
"""Seconds, as is `LOCK_TIMEOUT_MAX`."""
KEPT_DAYS_MIN: Final = 30
KEPT_DAYS_MAX: Final = 36_500
RECORDINGS_FOLDER: Final = "recordings"
"""The folder of recordings of whole calls in the media folder."""
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
ANSWERS_FOR_IT: Final = "yes-i-answer-for-it"
"""The value of DIALER_ALLOW_ANY_CONTACT."""
HELD_MAX: Final = 100
"""Characters of a wrong value that an error shows."""
HIDDEN: Final = "***"
"""Text that stands for a secret wherever a setting is shown."""


class SettingsError(Exception):
    """Raised when a setting is wrong: one line with the variable, its value and the values it may hold."""


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """An environment variable, the field that it sets, and the values that it may hold.

    A settings file gives it under its `key`.
    """

    variable: str
    field: str
    default: str
    """The default as the help shows it; the value is the default of the field in `Settings`."""
    meaning: str
    may_hold: str
    read: Callable[[str], object]
    """Returns the value of a text, or raises ValueError."""
    show: Callable[[str], str] = repr
    """Returns the text as an error may show it."""
    is_secret: bool = False
    """True for a value that is never shown."""

    @property
    def key(self) -> str:
        """Return the name of the setting in a settings file."""
        return self.variable.removeprefix("DIALER_").lower()

    def value(self, text: str, name: str = "") -> object:
        """Return the value of `text`; raise SettingsError if it has none. `name` is the setting's name in the error."""
        try:
            return self.read(text)
        except ValueError:
            shown = HIDDEN if self.is_secret else self.show(text)[:HELD_MAX]
            raise SettingsError(f"{name or self.variable} is {shown}: it may hold {self.may_hold}") from None


class SettingsFile(NamedTuple):
    """A settings file that was read: its path, and the texts of its settings by key."""

    path: Path
    texts: Mapping[str, str]

    def name(self, setting: Setting) -> str:
        """Return the name of a setting of this file in messages."""
        return f"{self.path}: {setting.key}"


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


class MailUrl(NamedTuple):
    """The address of a mail server, and how the connection to it is encrypted."""

    host: str
    port: int
    username: str
    password: str
    is_tls: bool
    """True if the connection begins encrypted."""
    starts_tls: bool
    """True if it must be encrypted by STARTTLS before anything is sent."""


def read_mail_url(text: str) -> MailUrl:
    """Return the address in the URL of a mail server.

    `smtp://` needs STARTTLS unless the server is on this machine, `smtps://` begins encrypted, and `smtp+plain://`
    is never encrypted.

    Raises:
        ValueError: the text holds no such value.
    """
    url = urlsplit(text)
    host = url.hostname or ""
    if url.scheme not in _MAIL_PORTS or not host or url.path.strip("/") or url.query or url.fragment:
        raise ValueError(text)
    if not _HOST_NAME.fullmatch(host) and ":" not in host:
        raise ValueError(text)
    is_here = host in _THIS_MACHINE
    return MailUrl(
        host,
        url.port or (_MAIL_HERE if is_here and url.scheme == _SMTP else _MAIL_PORTS[url.scheme]),
        unquote(url.username or ""),
        unquote(url.password or ""),
        url.scheme == _SMTPS,
        url.scheme == _SMTP and not is_here,
    )


def is_mail_address(text: str) -> bool:
    """Return whether a text is a plain address such as `ada@example.com`, without a name, blanks or line breaks."""
    is_short = len(text) <= MAIL_ADDRESS_MAX and len(text.partition("@")[0]) <= _LOCAL_MAX
    return is_short and _MAIL_ADDRESS.fullmatch(text) is not None


def check_mail_url(text: str) -> str:
    """Return the URL of a mail server.

    Raises:
        ValueError: the text holds no such value.
    """
    read_mail_url(text)
    return text


def read_mail_address(text: str) -> str:
    """Return an address of electronic mail.

    Raises:
        ValueError: the text holds no such value.
    """
    if not is_mail_address(text):
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


def read_answer(text: str) -> bool:
    """Return the statement that somebody answers for contacts without the rows of law.

    Raises:
        ValueError: the text holds no such value.
    """
    if text != ANSWERS_FOR_IT:
        raise ValueError(text)
    return True


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


def refuse_contradictions(values: Mapping[str, Any], start: datetime | None) -> None:
    """Check the settings that were given, by the names of their fields, and the start of the clock beside each other.

    Raises:
        SettingsError: two of them contradict each other.
    """
    for one, other in (("admin_username", "admin_password"), ("mail_url", "mail_from")):
        if (values.get(one) is None) != (values.get(other) is None):
            names = f"DIALER_{one.upper()} and DIALER_{other.upper()}"
            raise SettingsError(f"{names} go together: set both or neither")
    if values.get("calling_hours") == ANY_HOUR and not values.get("allow_any_hour"):
        raise SettingsError(
            f"DIALER_CALLING_HOURS is 'off', which needs DIALER_ALLOW_ANY_HOUR={CONSENT}:"
            " set that too if every callee has agreed to calls at any hour, or set hours such as 08:00-21:00"
        )
    if values.get("contact_rules") == "off" and not values.get("allow_any_contact"):
        raise SettingsError(
            f"DIALER_CONTACT_RULES is 'off', which needs DIALER_ALLOW_ANY_CONTACT={ANSWERS_FOR_IT}:"
            " set that too if you answer for every contact past a law, or leave DIALER_CONTACT_RULES unset"
        )
    if start is not None and values.get("clock", REAL) == REAL:
        raise SettingsError("DIALER_CLOCK_START is set, but DIALER_CLOCK is 'real': a real clock starts now")
