#!/usr/bin/env bash
# One would guess: the time zone of a number with country code lies in its country, or at least keeps the same hours.
# What happens: five whole countries have a zone whose clock is another: Algeria has Paris, Morocco has the Canaries, Libya
#   has Bucharest, Nicaragua has Chicago, South Sudan has Nairobi. Four of them change
#   their clocks and the country does not, so a call is right for half a year and an hour off for the other. Juba is
#   an hour off all year.
#   Mobiles of Jamaica have all zones of +1, from Guam to Newfoundland, although the table has a row for 1876 alone: only
#   fixed lines are looked up by it.
# So: take the zone from the country (zone.tab of the zone database), and the table for a part of a country at most.
# Versions: phonenumbers 9.0.43, tzdata 2026.6 (IANA 2026f). Read 2026-11-28.
# Needs: python3 (3.9 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check phonenumbers==9.0.43 tzdata==2026.6

PYTHONTZPATH='' "$folder/venv/bin/python" - <<'PYTHON'
from datetime import datetime, timezone
from importlib.resources import files
from zoneinfo import ZoneInfo

import phonenumbers as p
from phonenumbers import timezone as zones_of

homes: dict[str, set[str]] = {}
for table in ("zone.tab", "zone1970.tab"):
    for line in (files("tzdata") / "zoneinfo" / table).read_text().splitlines():
        if not line.startswith("#"):
            countries, _, zone = line.split("\t")[:3]
            for country in countries.split(","):
                homes.setdefault(country, set()).add(zone)


def hours(zone: str) -> tuple[float, ...]:
    moments = (datetime(2027, month, 15, 12, tzinfo=timezone.utc).astimezone(ZoneInfo(zone)) for month in range(1, 13))
    return tuple(moment.utcoffset().total_seconds() / 3600 for moment in moments)


found = {}
for region in sorted(p.SUPPORTED_REGIONS):
    code = p.country_code_for_region(region)
    example = p.example_number_for_type(region, p.PhoneNumberType.FIXED_LINE)
    if example is None or region not in homes or len(p.region_codes_for_country_code(code)) > 1:
        continue  # what shares its code with others is another matter
    own = {hours(zone): zone for zone in homes[region]}
    zones = zones_of.time_zones_for_number(example)
    if not {hours(zone) for zone in zones} & set(own):
        home = min(own.values())
        found[region] = zones[0], sum(a != b for a, b in zip(hours(zones[0]), hours(home)))
        print(f"{region}: +{code} is {' '.join(zones)}, its own is {home}; months of 2027 with another clock: {found[region][1]}")
morocco = zones_of.time_zones_for_number(p.parse("+212520123456"))
print("MA, which shares its code with EH:", morocco, "own:", sorted(homes["MA"]))
jamaica = p.example_number_for_type("JM", p.PhoneNumberType.MOBILE)
counts = len(zones_of.time_zones_for_number(jamaica)), zones_of.time_zones_for_geographical_number(jamaica)
print(f"JM, mobile: {counts[0]} zones, though the table knows {counts[1]}")

assert found == {
    "DZ": ("Europe/Paris", 7),
    "LY": ("Europe/Bucharest", 7),
    "NI": ("America/Chicago", 8),
    "SS": ("Africa/Nairobi", 12),
}, found
assert morocco == ("Atlantic/Canary",) and hours("Atlantic/Canary") != hours("Africa/Casablanca"), morocco
assert counts[0] > 30 and counts[1] == ("America/Jamaica",), counts
PYTHON
