"""Reports of lines, checked before they are handled, and described for those who read that one was set aside.

A line is the way into the service for strangers, so a report is hostile until it is checked. Every report here is
either one of the values of the port, with fields that can be stored, or it has a fault.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import msgspec

from dialer.carriers.line_port import Found
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.sessions.leg_protocol import Arrived, LegReport, TextReceived
from dialer.runtime.lines.line_reports import LineReport
from dialer.store.rows.set_aside_reports import SetAside
from dialer.store.rows.texts.incoming_texts import StoredNews

Report: TypeAlias = LineReport | StoredNews
KEY_MAX: Final = 36
"""Characters of the name of a leg."""
TEXT_MAX: Final = 65_536
"""Characters of any text of a report."""
NAMES_MAX: Final = 1_000
"""Values of a list in a report."""
WHOLE_MAX: Final = 2**53
"""Limit of every whole number of a report, and of its opposite."""
_KEY: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z")
_AGES: Final = frozenset({"age_ms"})
_UNFIT: Final = re.compile("[\\x00\\ud800-\\udfff]")
"""Characters that databases do not store."""


class ReportError(ValueError):
    """A report has a field that no report may have."""


def checked(line_report: LineReport) -> LineReport:
    """Return a report whose fields all have the types and the sizes that they should have.

    Raises:
        ReportError: it is no report of the port, or a field is too large or cannot be stored.
    """
    key: object = line_report.key
    if not isinstance(key, str) or len(key) > KEY_MAX or _UNFIT.search(key):
        raise ReportError(f"the leg's name is {_shown(key)}, and should be text of at most {KEY_MAX} characters")
    try:
        plain = msgspec.to_builtins(line_report.heard)
        heard: LegReport | Found = msgspec.convert(plain, type=LegReport | Found)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise ReportError(f"it is no report of a line: {error}") from error
    for fault in _faults(plain):
        raise ReportError(fault)
    return line_report._replace(heard=heard)


def described(report: Report, reason: str) -> SetAside:
    """Return a report as it is stored when it is set aside."""
    key: object = report.key
    heard = report.heard
    try:
        plain = msgspec.to_builtins(heard)
        text = msgspec.json.encode(plain).decode()
        ageless = msgspec.json.encode(_ageless(plain)).decode()
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        text = ageless = ascii(heard)
    return SetAside(
        name=ascii(f"{report.gateway_id} {key} {ageless}"),
        gateway_id=report.gateway_id,
        key=key.lower() if isinstance(key, str) and _KEY.match(key) else "",
        number=_number(heard),
        kind=type(heard).__name__[:32],
        report=storable(text),
        reason=storable(reason),
    )


def storable(text: str) -> str:
    """Return a text without the characters that databases do not store."""
    return _UNFIT.sub("?", text)


def _faults(plain: Any) -> Iterator[str]:  # noqa: ANN401 - any value of JSON
    """Yield what is wrong with the fields of a report."""
    if isinstance(plain, dict):
        for value in plain.values():
            yield from _faults(value)
    elif isinstance(plain, list | tuple):
        if len(plain) > NAMES_MAX:
            yield f"it has a list of {len(plain)} values, and at most {NAMES_MAX} are allowed"
        for value in plain[:NAMES_MAX]:
            yield from _faults(value)
    elif isinstance(plain, str):
        if len(plain) > TEXT_MAX:
            yield f"it has a text of {len(plain)} characters, and at most {TEXT_MAX} are allowed"
        if _UNFIT.search(plain):
            yield f"it has a text with a character that cannot be stored: {_shown(plain)}"
    elif isinstance(plain, int) and abs(plain) > WHOLE_MAX:
        yield f"it has the number {_shown(plain)}, and at most {WHOLE_MAX} is allowed"


def _ageless(plain: Any) -> Any:  # noqa: ANN401 - any value of JSON
    """Return a report without its ages, which grow until a line tells it again."""
    if isinstance(plain, dict):
        return {name: _ageless(value) for name, value in plain.items() if name not in _AGES}
    return plain


def _number(heard: object) -> str:
    """Return the number of the stranger in a report; empty if it gives none."""
    match heard:
        case Arrived():
            return _normal_form(heard.caller)
        case TextReceived():
            return _normal_form(heard.number)
        case _:
            return ""


def _normal_form(text: object) -> str:
    try:
        return normalise(text, None) if isinstance(text, str) else ""
    except NumberError:
        return ""


def _shown(value: object) -> str:
    return ascii(value)[:80]
