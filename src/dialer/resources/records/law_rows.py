"""A row of law as programs read it, over the API and from `dialer rules`."""

from datetime import date, datetime
from typing import Annotated

import msgspec

from dialer.domain.words.described import described
from dialer.store.queries.law_switch import LawState
from dialer.store.timeline.parts import moment_or_none


class LawRowRead(msgspec.Struct, frozen=True):
    """A row of law."""

    row: Annotated[str, described("The id of the row, as `dialer explain` and decisions name it.", "us-fl-cap")]
    name: Annotated[str, described("The row in short.", "Florida: 3 in 24 hours")]
    kind: Annotated[str, described("`cap` or `rest`.", "cap")]
    country: Annotated[str, described("The ISO 3166 code of the country.", "US")]
    state: Annotated[str, described("The code of the state; empty for all states.", "FL")]
    purposes: Annotated[
        list[str],
        described("The purposes of the campaigns that it binds, as are those that say none. Empty: all.", ["sales"]),
    ]
    media: Annotated[list[str], described("The media that are counted, and that wait.", ["call"])]
    in_words: Annotated[
        str,
        described("The rule in our words.", "Nobody in Florida is called more than three times in 24 hours."),
    ]
    source: Annotated[str, described("The text of law.", "Fla. Stat. 501.616(6)(b)")]
    read_date: Annotated[str, described("The day on which it was read.", "2026-11-28")]
    confidence: Annotated[str, described("Begins with `verified`, `one source` or `not found`.", "verified")]
    from_date: Annotated[
        str | None, described("The first day of the callee on which it holds. Null: since ever.", "2021-07-01")
    ]
    until_date: Annotated[
        str | None, described("The last day of the callee on which it holds. Null: no end is known.", "2026-08-10")
    ]
    enabled: Annotated[
        bool,
        described(
            "False if it is off, and holds nobody back. True: it does on the callee's days between `from_date` and"
            " `until_date`, unless the service was started with `DIALER_CONTACT_RULES=off`. An admin switches it as the"
            " contact rule with the same `row`.",
            example=True,
        ),
    ]
    switched_by: Annotated[str, described("The admin who last switched it on or off. Empty: nobody has.", "root")]
    switched_date: Annotated[
        datetime | None,
        described("The moment at which it was last switched on or off. Null: nobody has.", "2026-12-01T09:30:00Z"),
    ]
    not_built: Annotated[str, described("What the service leaves aside of it, or why it is off. Often empty.", "")]


def shown_row(state: LawState) -> LawRowRead:
    """Return a row of law as programs read it."""
    row = state.row
    return LawRowRead(
        row=row.id,
        name=row.name,
        kind=row.kind,
        country=row.country,
        state=row.state,
        purposes=[purpose.value for purpose in row.purposes],
        media=[medium.value for medium in row.media],
        in_words=row.words,
        source=row.source,
        read_date=row.read.isoformat(),
        confidence=row.confidence,
        from_date=_day(row.from_date),
        until_date=_day(row.until_date),
        enabled=state.is_on,
        switched_by=state.switched_by,
        switched_date=moment_or_none(state.switched_ms),
        not_built=row.not_built,
    )


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
