"""Consents: whether people have agreed to what a campaign calls them for, and from when until when.

A consent gives a span of time. Spans do not depend on the present, so they stay true until a consent is changed.
"""

from collections.abc import Iterable, Sequence
from datetime import MAXYEAR, UTC, date, datetime, time, tzinfo
from typing import Final, NamedTuple

import msgspec

from dialer.domain.calling_times.zones import countries_of_law
from dialer.domain.words.consent_words import STRENGTH, ConsentKind
from dialer.domain.words.moments import NEVER_MS

SPAIN: Final = "ES"
SPAIN_YEARS: Final = 2
"""The years for which a consent is good in Spain (Ley 10/2025)."""
USA: Final = "US"
ONE_ENDS_ALL_FROM: Final = date(2027, 1, 31)
"""The day from which on, in the USA, one withdrawal ends all earlier consents (47 CFR 64.1200(a)(10), DA 26-12)."""


class NeededConsent(NamedTuple):
    """The consent that a campaign needs of everybody whom it dials."""

    kind: ConsentKind
    """This kind, or a stronger one."""
    purpose: str = ""
    """The purpose of the campaign. If it is not said, only a consent to all purposes covers it."""
    seller: str = ""


class GivenConsent(msgspec.Struct, frozen=True, kw_only=True):
    """A consent of the person who has a number. Times are in milliseconds, and may lie ahead."""

    id: int
    kind: ConsentKind
    given_ms: int
    purposes: frozenset[str] = frozenset()
    """The purposes that it covers; empty for all."""
    seller: str = ""
    """The firm that it covers; empty for all."""
    expires_ms: int | None = None
    withdrawn_ms: int | None = None

    def covers(self, needed: NeededConsent) -> bool:
        """Return whether it is what a campaign needs, as long as it is good."""
        is_for_purpose = not self.purposes or needed.purpose in self.purposes
        is_for_seller = not self.seller or self.seller == needed.seller
        return is_for_purpose and is_for_seller and STRENGTH[self.kind] >= STRENGTH[needed.kind]


class ConsentSpan(NamedTuple):
    """The time in which a consent is good: from `from_ms`, and before `until_ms`, which is `NEVER_MS` without end."""

    from_ms: int
    until_ms: int
    id: int
    """The consent."""


def good_spans(
    consents: Iterable[GivenConsent], needed: NeededConsent, number: str, zones: Sequence[tzinfo]
) -> tuple[ConsentSpan, ...]:
    """Return when which of the consents of a number cover a campaign. `zones` are those in which the person may be."""
    given = list(consents)
    spans = ((one, good_span(one, given, number, zones)) for one in given if one.covers(needed))
    return tuple(span for _, span in spans if span.from_ms < span.until_ms)


def good_span(
    consent: GivenConsent, others: Iterable[GivenConsent], number: str, zones: Sequence[tzinfo]
) -> ConsentSpan:
    """Return when a consent of a number is good; `others` are all consents of the number. The span may be empty."""
    countries = countries_of_law(number)
    ends = [one for one in (consent.expires_ms, consent.withdrawn_ms) if one is not None]
    if SPAIN in countries:
        ends.append(_years_later_ms(consent.given_ms, SPAIN_YEARS))
    if USA in countries:
        from_ms = min((_midnight_ms(ONE_ENDS_ALL_FROM, zone) for zone in zones), default=0)
        withdrawn = (one.withdrawn_ms for one in others if one.withdrawn_ms is not None)
        ends += [max(at_ms, from_ms) for at_ms in withdrawn if consent.given_ms < at_ms]
    return ConsentSpan(consent.given_ms, min(ends, default=NEVER_MS), consent.id)


def good_at(spans: Iterable[ConsentSpan], now_ms: int) -> list[int]:
    """Return the consents that are good at a moment."""
    return [span.id for span in spans if span.from_ms <= now_ms < span.until_ms]


def relied_upon(spans: Iterable[ConsentSpan], now_ms: int) -> int | None:
    """Return the consent on which a dial relies at a moment: of those that are good the first; None without any."""
    return min(good_at(spans, now_ms), default=None)


def _years_later_ms(at_ms: int, years: int) -> int:
    """Return the same moment some years later; of a leap day, that on the day before where there is none."""
    moment = datetime.fromtimestamp(at_ms / 1_000, UTC)
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    later = moment.replace(year=min(moment.year + years, MAXYEAR), day=day, microsecond=0)
    return int(later.timestamp()) * 1_000 + at_ms % 1_000


def _midnight_ms(day: date, zone: tzinfo) -> int:
    return int(datetime.combine(day, time(), zone).timestamp() * 1_000)
