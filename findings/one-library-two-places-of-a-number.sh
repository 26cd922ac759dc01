#!/usr/bin/env bash
# One would guess: the geocoder and the table of time zones of one library agree on where an area code is.
# What happens: they are two tables, and some codes lie in two places. The geocoder names the right one, and the time
#   zone is that of another state or country:
#     +1 689      Florida        America/Chicago      (the overlay of 407, which has New_York)
#     +1 474      Saskatchewan   America/Winnipeg     (the overlay of 306, which has Regina)
#     +1 867 766  Yellowknife    America/Fort_Nelson  (766 has no row of its own, so it gets that of the whole code)
#     +52 614     Chihuahua      America/Mazatlan     (Chihuahua left Mazatlan's hours in 2022)
#     +52 201     Mexico         Mexico_City and America/New_York
#     +55 81 2    Pernambuco     America/Noronha      (islands far out in the Atlantic; Recife is the capital)
#     +1 907 581  Unalaska       Pacific/Honolulu     (it keeps Alaska's time)
#   zone.tab of the zone database has a zone for each of these places, and it is another. A third package agrees: the ZIP
#   codes of Orlando have area code 689 and America/New_York, that of Unalaska has an Alaskan zone. The clocks differ in
#   each month of 2027.
# So: a zone of a number needs a second source, and a sibling of the code or its place is one.
# Versions: phonenumbers 9.0.43, tzdata 2026.6 (IANA 2026f), zipcodes 3.0.0. Read 2026-11-28.
# Needs: python3 (3.9 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check phonenumbers==9.0.43 tzdata==2026.6 zipcodes==3.0.0

PYTHONTZPATH='' "$folder/venv/bin/python" - <<'PYTHON'
from datetime import datetime, timezone
from importlib.resources import files
from zoneinfo import ZoneInfo

import phonenumbers as p
import zipcodes
from phonenumbers import geocoder, timezone as zones_of

# number, place by the geocoder, zones by the library, zone of the place, words of zone.tab about that zone
CASES = [
    ("+16892345678", "Florida", ("America/Chicago",), "America/New_York", "Eastern"),
    ("+14742345678", "Saskatchewan", ("America/Winnipeg",), "America/Regina", "SK (most areas)"),
    ("+18677661234", "Yellowknife, NT", ("America/Fort_Nelson",), "America/Edmonton", "NT(E)"),
    ("+526141234567", "Chihuahua", ("America/Mazatlan",), "America/Chihuahua", "Chihuahua (most areas)"),
    ("+522011234567", "Mexico", ("America/Mexico_City", "America/New_York"), "America/Mexico_City", "Central Mexico"),
    ("+558121234567", "Pernambuco", ("America/Noronha",), "America/Recife", "Pernambuco"),
    ("+19075811234", "Unalaska, AK", ("Pacific/Honolulu",), "America/Anchorage", "Alaska (most areas)"),
]
rows = (line.split("\t") for line in (files("tzdata") / "zoneinfo" / "zone.tab").read_text().splitlines())
words = {row[2]: row[3] for row in rows if len(row) == 4}


def hours(zone: str) -> list[float]:
    moments = (datetime(2027, month, 15, 12, tzinfo=timezone.utc).astimezone(ZoneInfo(zone)) for month in range(1, 13))
    return [moment.utcoffset().total_seconds() / 3600 for moment in moments]


for text, place, zones, right, wanted in CASES:
    number = p.parse(text)
    seen = geocoder.description_for_number(number, "en"), zones_of.time_zones_for_number(number)
    differ = {zone: sum(a != b for a, b in zip(hours(zone), hours(right))) for zone in zones}
    print(f"{text}  {seen[0]:16} {' '.join(seen[1])}; zone.tab: {right} is {words[right]!r}; months of 2027 with another clock: {differ}")
    assert p.is_valid_number(number)
    assert seen == (place, zones), seen
    assert wanted in words[right], words[right]
    assert max(differ.values()) == 12, differ
for text, zone in (("+14072345678", "America/New_York"), ("+13062345678", "America/Regina"), ("+18676691234", "America/Edmonton")):
    siblings = zones_of.time_zones_for_number(p.parse(text))
    print(f"{text}  its sibling: {' '.join(siblings)}")
    assert siblings == (zone,), siblings
orlando = zipcodes.matching("32801")[0]
print("ZIP 32801:", orlando["city"], orlando["area_codes"], orlando["timezone"])
unalaska = zipcodes.matching("99685")[0]
print("ZIP 99685:", unalaska["city"], unalaska["area_codes"], unalaska["timezone"])
assert hours(unalaska["timezone"]) == hours("America/Anchorage"), unalaska
assert "689" in orlando["area_codes"] and orlando["timezone"] == "America/New_York", orlando
PYTHON
