#!/usr/bin/env bash
# One would guess: a column "timezone" of a table of all ZIP codes is empty or a zone of the zone database.
# What happens: of 42,789 rows, 823 are empty (all military post, in the states AE, AP and AA), and exactly one has a place
#   for a zone: 99634 Napakiak, Alaska, has the zone "Napakiak". A test with some ZIP codes never finds it, and
#   ZoneInfo raises for that village's people alone.
# So: check each value of such a table against the zone database when it is built in, not when somebody is called.
# Versions: zipcodes 3.0.0, tzdata 2026.6 (IANA 2026f). Read 2026-11-28.
# Needs: python3 (3.9 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check zipcodes==3.0.0 tzdata==2026.6

PYTHONTZPATH='' "$folder/venv/bin/python" - <<'PYTHON'
from collections import Counter
from zoneinfo import available_timezones

import zipcodes

rows, known = zipcodes.list_all(), available_timezones()
odd = [(row["zip_code"], row["city"], row["state"], row["timezone"]) for row in rows if row["timezone"] not in known]
empty = Counter(state for _, _, state, zone in odd if not zone)
wrong = [row for row in odd if row[3]]
print(f"{len(rows)} rows, without a zone: {dict(empty.most_common(5))}, with one that is none: {wrong}")

assert (len(rows), sum(empty.values())) == (42_789, 823), empty
assert wrong == [("99634", "Napakiak", "AK", "Napakiak")], wrong
PYTHON
