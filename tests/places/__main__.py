"""Write the tables of `dialer.domain.places` again from their sources: `python -m tests.places`.

Run it after an upgrade of phonenumbers or tzdata, or a change of the rows that are made by hand. Then read the
difference.
"""

import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Final

import phonenumbers
import tzdata  # type: ignore[import-untyped]

import dialer.domain.places
from tests.places.rows import Rows, rows_elsewhere, rows_of_north_america, starts_by_row
from tests.places.zone_database import country_of_names

FOLDER: Final = Path(dialer.domain.places.__path__[0])
_WIDTH: Final = 118
_SOURCES: Final = f"phonenumbers {phonenumbers.__version__}, tzdata {tzdata.IANA_VERSION}"
_HEAD: Final = '''"""{title}

{body}
Made by `python -m tests.places` from {sources}.
"""

from typing import Final

{name}: Final = """
{lines}
"""
'''
_ROWS: Final = """Each row has countries, zones, and the starts of numbers, without `+`. The longest start decides.
A comment is the reason of a row that does not follow from the sources, or that has several zones.
"""


def texts() -> dict[str, str]:
    """Return the text of each module, by the name of its file."""
    return {
        "north_america.py": _module("The places of numbers that begin with +1.", rows_of_north_america()),
        "elsewhere.py": _module("The places of numbers, but for those that begin with +1.", rows_elsewhere()),
        "zone_countries.py": _countries(),
    }


def _module(title: str, rows: Rows) -> str:
    lines: list[str] = []
    for row, starts in starts_by_row(rows).items():
        if row.reason:
            lines.append(f"# {row.reason}")
        lines += _wrapped([f"{'&'.join(row.countries)}:", *row.zones, *starts])
    return _HEAD.format(title=title, body=_ROWS, sources=_SOURCES, name="ROWS", lines="\n".join(lines))


def _countries() -> str:
    zones: dict[str, list[str]] = defaultdict(list)
    for zone, country in country_of_names().items():
        zones[country].append(zone)
    lines = [line for country in sorted(zones) for line in _wrapped([f"{country}:", *sorted(zones[country])])]
    title = "The countries of zones: those of `zone.tab`, and older names of them."
    body = "Each row has a country and its zones.\n"
    return _HEAD.format(title=title, body=body, sources=_SOURCES, name="ZONES", lines="\n".join(lines))


def _wrapped(words: list[str]) -> list[str]:
    text = " ".join(words)
    return textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text, "utf-8")
