"""Pages from templates. Every value is escaped, and an unknown variable is an error."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from functools import cache, lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from litestar import Response
from markupsafe import Markup, escape

from dialer import __version__
from dialer.console.parts.assets import asset_url
from dialer.console.words.browsers import browser_name
from dialer.console.words.currency import with_currency
from dialer.console.words.language import gettext, ngettext, viewers_language
from dialer.console.words.proof_words import proof_in_words
from dialer.console.words.state_words import call_words, capitalised, outcome_words, said_in_words, words_of
from dialer.domain.billing.money import MONEY_PLACES, parse_money

if TYPE_CHECKING:
    from jinja2 import Environment

HTML: Final = "text/html"
UNKNOWN: Final = "\N{EN DASH}"
"""The text in place of a figure that does not exist, such as a share of nothing."""
_DAY_OF_LIST: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
NOT_KEPT: Final = {"Cache-Control": "no-store"}
_TEXTS_KEPT_MAX: Final = 10_000
"""Translated texts that are kept as they stand on pages."""
MINUS: Final = "\N{MINUS SIGN}"
_UNITS_OF_CENT: Final = 10 ** (MONEY_PLACES - 2)
_MINUTE_S: Final = 60
_HOUR_S: Final = 3_600


def html(text: str, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Response[str]:
    """Return a response with a page, which proxies and browsers must not cache."""
    return Response(text, status_code=status, media_type=HTML, headers={**NOT_KEPT, **(headers or {})})


def render(template: str, **values: Any) -> str:  # noqa: ANN401 - each template has its own values
    """Return a template with values."""
    return _environment().get_template(template).render(**values).strip()


@cache
def _environment() -> "Environment":
    # Many services never show a page.
    from jinja2 import PackageLoader, StrictUndefined  # noqa: PLC0415

    from dialer.console.parts.template_environment import TemplateEnvironment  # noqa: PLC0415

    environment = TemplateEnvironment(
        loader=PackageLoader("dialer.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(_text, _counted_text, newstyle=True)  # type: ignore[attr-defined] # the extension's
    environment.globals |= {
        "_": _text,  # Jinja's own would look at the context of each text.
        "gettext": _text,
        "ngettext": _counted_text,
        "asset": asset_url,
        "proof_in_words": proof_in_words,
        "said_in_words": said_in_words,
        "version": __version__,
        "language": lambda: viewers_language().code,
    }
    environment.filters |= {
        "grouped": grouped,
        "decimal": decimal,
        "percent": percentage,
        "money": money,
        "decimal_money": lambda amount: money(parse_money(amount)),
        "clock": clock,
        "moment": moment,
        "time_of_day": time_of_day,
        "soon": soon,
        "day": day,
        "date": date_of,
        "listed": listed,
        "day_and_time": day_and_time,
        "iso": iso,
        "length_in_words": length_in_words,
        "seconds": seconds,
        "waited": waited,
        "word": words_of,
        "named": words_of,
        "outcome": outcome_words,
        "call_outcome": call_words,
        "browser": browser_name,
        "capitalised": capitalised,
    }
    return environment


def _text(text: str, /, **values: Any) -> Markup:  # noqa: ANN401 - of any text
    """Return a text in the viewer's language, with values in it."""
    return _filled(gettext(text), values) if values else _plain(text, viewers_language().code)


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _plain(text: str, _language: str) -> Markup:
    """Return a text without values, in the language of the viewer, which is `_language`."""
    return _filled(gettext(text), {})


def _counted_text(singular: str, plural: str, number: int, /, **values: Any) -> Markup:  # noqa: ANN401 - of any text
    """Return the form of a text that fits a number, which is `%(num)s` in it, with marks between groups of digits."""
    return _filled(ngettext(singular, plural, number), {"num": grouped(number), **values})


def _filled(text: str, values: Mapping[str, Any]) -> Markup:
    """Return a text of a template or a catalogue with values in it, which are escaped. It has no format but `s`."""
    return Markup(text % {name: escape(value) for name, value in values.items()})  # noqa: S704 - the text is our own


def grouped(number: float | None) -> str:
    """Return a number with marks between groups of three digits."""
    return UNKNOWN if number is None else viewers_language().formats.number(f"{number:,}")


def decimal(number: float, places: int = 1) -> str:
    """Return a number with some decimals."""
    return viewers_language().formats.number(f"{number:,.{places}f}")


def percentage(share: float | None) -> str:
    """Return a percentage with one decimal."""
    if share is None:
        return UNKNOWN
    formats = viewers_language().formats
    return formats.number(f"{share:.1f}") + formats.percent


def money(amount: int | None, own: str | None = None) -> str:
    """Return an amount of integers of 1e-5, rounded to two decimals, with the currency of `code_for`."""
    if amount is None:
        return UNKNOWN
    cents = (abs(amount) + _UNITS_OF_CENT // 2) // _UNITS_OF_CENT
    sign = MINUS if amount < 0 and cents else ""
    number = viewers_language().formats.number(f"{cents // 100:,}.{cents % 100:02}")
    return sign + with_currency(number, own)


def clock(at_ms: int, zone: ZoneInfo) -> str:
    """Return the time of day in a zone."""
    return _second(_local(at_ms, zone))


def day_and_time(at_ms: int, zone: ZoneInfo) -> str:
    """Return the date and the time in a zone, to the second."""
    at = _local(at_ms, zone)
    return f"{viewers_language().formats.date_of(at)}, {_second(at)}"


def time_of_day(at_ms: int, zone: tzinfo) -> str:
    """Return the time of day in a zone, to the minute."""
    return _minute(_local(at_ms, zone))


def day(at_ms: int, zone: ZoneInfo) -> str:
    """Return the day and the month in a zone."""
    return viewers_language().formats.date_of(_local(at_ms, zone), with_year=False)


def date_of(at_ms: int, zone: ZoneInfo) -> str:
    """Return the date in a zone."""
    return viewers_language().formats.date_of(_local(at_ms, zone))


def soon(at_ms: int, now_ms: int, zone: ZoneInfo) -> str:
    """Return the time of day in a zone, to the minute, with its date if that is not today's."""
    then = _local(at_ms, zone)
    is_today = then.date() == _local(now_ms, zone).date()
    return _minute(then) if is_today else f"{day(at_ms, zone)}, {_minute(then)}"


def moment(at_ms: int | None, zone: tzinfo) -> str:
    """Return the date and the time in a zone, to the minute."""
    return UNKNOWN if at_ms is None else moment_of(_local(at_ms, zone))


def moment_of(at: datetime) -> str:
    """Return a date and its time, to the minute."""
    return f"{viewers_language().formats.date_of(at)}, {_minute(at)}"


def day_in(text: str) -> date | None:
    """Return the day that a value of a list is, which imports write as in ISO 8601; None if it is another value."""
    try:
        return date.fromisoformat(text) if _DAY_OF_LIST.fullmatch(text) else None
    except ValueError:
        return None


def listed(text: str) -> str:
    """Return a value of a list as people read it: a day in the viewer's language."""
    found = day_in(text)
    return text if found is None else viewers_language().formats.date_of(found)


def iso(at_ms: int) -> str:
    """Return a moment for programs."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).isoformat().replace("+00:00", "Z")


def seconds(length: float | None) -> str:
    """Return a length of time such as `42 s`, `3:05 min` or `2:10 h`."""
    if length is None:
        return UNKNOWN
    whole = round(length)
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S}:{whole % _MINUTE_S:02} min"
    return f"{grouped(whole // _HOUR_S)}:{whole % _HOUR_S // _MINUTE_S:02} h"


def length_in_words(length_ms: int) -> str:
    """Return a length of time in words, in its two largest units: `5 h 38 min`, or `2 days 4 h`."""
    minutes = length_ms // (_MINUTE_S * 1_000)
    if minutes < 1:
        return gettext("less than a minute")
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if not hours:
        return f"{minute} min"
    if not days:
        return f"{hour} h {minute} min" if minute else f"{hour} h"
    in_days = ngettext("%(num)s day", "%(num)s days", days) % {"num": grouped(days)}
    return f"{in_days} {hour} h" if hour else in_days


def waited(length: float) -> str:
    """Return the length of a wait in seconds: `1.9 s`, or without tenths from a minute on."""
    return f"{decimal(length)} s" if length < _MINUTE_S else seconds(length)


def _local(at_ms: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(at_ms / 1_000, zone)


def _minute(at: datetime) -> str:
    return f"{at.hour:02}:{at.minute:02}"


def _second(at: datetime) -> str:
    return f"{at.hour:02}:{at.minute:02}:{at.second:02}"
