#!/usr/bin/env bash
# One would guess: numbers of a remote island with an hour of its own share one prefix, so one row of a table finds them all.
#   And the hour of a phone number by one library is that of the place which the same library names for it.
# What happens: phonenumbers names "Lord Howe Island" for 26 ranges of numbers that lie one by one between those of towns
#   of New South Wales. Its own zones give the island's hour to 21 of them, and Sydney's to five. It names "Waitangi
#   (Chatham Is.)" for 14 ranges of New Zealand, of which none is 03 305, the start that people know, and its zones give
#   all 14 the hour of the mainland. The Chathams are 45 minutes ahead, Lord Howe half an hour in winter.
#   In Ecuador it names the Galapagos for 04-5, which is the area of Guayaquil. Its zones have them in 05-2.
# So: ask the names and the zones, before a number counts as one of the mainland, and take both hours where they disagree.
# Versions: phonenumbers 9.0.43. Read 2026-11-28.
# Needs: python3 with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check phonenumbers==9.0.43

"$folder/venv/bin/python" - <<'PYTHON'
from collections import Counter

import phonenumbers
from phonenumbers import geocoder, timezone
from phonenumbers.geodata import GEOCODE_DATA

ISLANDS = {"61": "Lord Howe Island", "64": "Waitangi (Chatham Is.)"}


def seen(start: str, length: int) -> tuple[str, tuple[str, ...]]:
    number = phonenumbers.parse("+" + start.ljust(length, "1"))
    return geocoder.description_for_number(number, "en"), timezone.time_zones_for_geographical_number(number)


found = {}
for code, island in ISLANDS.items():
    starts = [start for start, names in GEOCODE_DATA.items() if start.startswith(code) and island in names.values()]
    found[island] = Counter(zone for start in starts for zone in seen(start, {"61": 11, "64": 10}[code])[1])
    print(island, dict(found[island]), "03 305 among them:", any(start.startswith("643305") for start in starts))
ecuador = {start: seen(start, 11) for start in ("59345", "59352")}
print(ecuador)

assert found["Lord Howe Island"] == {"Australia/Lord_Howe": 21, "Australia/Sydney": 5}, found
assert found["Waitangi (Chatham Is.)"] == {"Pacific/Auckland": 14}, found
assert "Galápagos" in ecuador["59345"][0] and ecuador["59345"][1] == ("America/Guayaquil",), ecuador
assert "Pacific/Galapagos" in ecuador["59352"][1] and "Galápagos" not in ecuador["59352"][0], ecuador
PYTHON
