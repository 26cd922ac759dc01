"""The comparison of an outcome with what a scenario expects of it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from dialer.domain.billing.money import MoneyError, format_money, parse_money
from dialer.scenarios.document import CampaignExpected, PersonExpected
from dialer.scenarios.outcome import CampaignOutcome, PersonOutcome, Visit

NOBODY: Final = "nobody"


class Failure(msgspec.Struct, frozen=True):
    """An expectation that was not met."""

    subject: str
    """The person, or the campaign."""
    field: str
    expected: str
    got: str


def check_campaign(expected: CampaignExpected, got: CampaignOutcome) -> Iterator[Failure]:
    """Yield the expectations of the campaign that were not met."""
    if got.why_not:
        yield Failure("the campaign", "start", "it starts", got.why_not)
        return
    for name in ("status", "reason", "calls", "answered", "completed", "abandoned", "texts"):
        wanted = getattr(expected, name)
        if wanted is not UNSET and wanted != getattr(got, name):
            yield Failure("the campaign", name, str(wanted), str(getattr(got, name)))
    if expected.cost is not UNSET and _money(expected.cost) != got.cost:
        yield Failure("the campaign", "cost", _money(expected.cost), got.cost)
    for kind, count in ({} if expected.events is UNSET else expected.events).items():
        if got.events.get(kind, 0) != count:
            yield Failure("the campaign", f"events {kind}", str(count), str(got.events.get(kind, 0)))


def check_person(expected: PersonExpected, got: PersonOutcome) -> Iterator[Failure]:
    """Yield the expectations of a person that were not met."""
    subject = f"{got.full_name} {got.number}".strip()
    compared: list[tuple[str, Any, Any]] = [
        (name, getattr(expected, name), getattr(got, name))
        for name in ("calls", "texts", "status", "reason", "agent", "on_dnc")
    ]
    compared.append(("attempts", expected.attempts, len(got.calls)))
    for name, wanted, found in compared:
        if wanted is not UNSET and wanted != found:
            yield Failure(subject, name, _shown(wanted), _shown(found))
    if expected.cost is not UNSET and _money(expected.cost) != got.cost:
        yield Failure(subject, "cost", _money(expected.cost), got.cost)
    if expected.path is not UNSET and not _is_path(expected.path, got.path):
        yield Failure(subject, "path", _expected_path(expected.path, got), _path(got.path))
    if expected.called_at is not UNSET and not _are_times(expected.called_at, got.called_at):
        yield Failure(subject, "called_at", _shown(expected.called_at), _shown(got.called_at))
    if expected.answers is not UNSET:
        yield from _check_answers(subject, expected.answers, got)
    if expected.not_called is not UNSET:
        found_reason = f"called: {_shown(got.calls)}" if got.calls else got.reason or "no reason"
        if found_reason != expected.not_called:
            yield Failure(subject, "not_called", expected.not_called, found_reason)


def _check_answers(subject: str, expected: dict[str, str | None], got: PersonOutcome) -> Iterator[Failure]:
    questions = {str(number): question for number, question in got.titles.items()}
    for name, wanted in expected.items():
        question = questions.get(name, name)
        if got.answers.get(question) != wanted:
            yield Failure(subject, f"answer to {question}", _answer(wanted), _answer(got.answers.get(question)))


def _answer(response: str | None) -> str:
    return "none" if response is None else response


def _are_times(expected: Sequence[str], got: Sequence[str]) -> bool:
    """Return whether each time begins as expected, with the date or without it."""
    return len(expected) == len(got) and all(
        found.startswith(one) or found[len("YYYY-MM-DDT") :].startswith(one)
        for one, found in zip(expected, got, strict=True)
    )


def _is_path(expected: Sequence[int | str], got: Sequence[Visit]) -> bool:
    return len(expected) == len(got) and all(
        one in {visit.number, visit.question} for one, visit in zip(expected, got, strict=True)
    )


def _expected_path(expected: Sequence[int | str], got: PersonOutcome) -> str:
    shown = [f"{one} {got.titles.get(one, '')}".strip() if isinstance(one, int) else one for one in expected]
    return " → ".join(shown) or "no section"


def _path(visits: Sequence[Visit]) -> str:
    return " → ".join(visit.title for visit in visits) or "no section"


def _money(amount: float | str) -> str:
    try:
        return format_money(parse_money(amount))
    except MoneyError:
        return str(amount)


def _shown(value: Any) -> str:  # noqa: ANN401 - of any kind
    if value is None:
        return NOBODY
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {one}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value) or "none"
