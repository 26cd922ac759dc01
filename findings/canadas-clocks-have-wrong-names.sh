#!/usr/bin/env bash
# One would guess: the words "Mountain Standard Time" or "CST" beside a Canadian hour say which hour is meant, "Central"
#   of Canada is one clock, and a territory's Mountain part keeps the hours of its neighbour Alberta.
# What happens since November 2026, when Alberta, British Columbia and Manitoba stopped changing their clocks:
#   - The zone database names the new hours after the next zone to the east: Edmonton is "CST", Winnipeg is "EST",
#     Vancouver is "MST". CLDR, by which babel formats, still says MST, CST and PST for the same moments.
#     So one program prints "CST" for Edmonton by strftime and for Winnipeg by babel, and these are an hour apart.
#   - babel writes "Mountain Standard Time" for Edmonton and for Denver, and "Central Standard Time" for Winnipeg and
#     Chicago, at one moment, with hours that differ by one.
#   - Of Nunavut and the Northwest Territories, Inuvik went with Alberta; Cambridge Bay and Rankin Inlet still change. So
#     "Mountain" and "Central" have two clocks each within Canada, all winter.
# So: print the offset or the city, never the name of the zone's hours, and never read such a name back.
# Versions: tzdata 2026.6 (IANA 2026f), babel 2.19.0. Read 2026-11-28.
# Needs: python3 (3.9 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check tzdata==2026.6 babel==2.19.0

PYTHONTZPATH='' "$folder/venv/bin/python" - <<'PYTHON'
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

MOMENT = datetime(2026, 12, 15, 12, tzinfo=timezone.utc)
CITIES = "Edmonton Inuvik Cambridge_Bay Denver Winnipeg Rankin_Inlet Chicago Vancouver Los_Angeles".split()

seen = {}
for city in CITIES:
    zone = ZoneInfo(f"America/{city}")
    local = MOMENT.astimezone(zone)
    short, long = (format_datetime(local, pattern, tzinfo=zone, locale="en_CA") for pattern in ("z", "zzzz"))
    seen[city] = f"{local:%H:%M}", local.tzname(), short, long
    print(f"{city:14} {local:%H:%M %z}  tzdata: {local.tzname()}  babel: {short}, {long}")

assert seen["Edmonton"] == ("06:00", "CST", "MST", "Mountain Standard Time"), seen
assert seen["Denver"] == ("05:00", "MST", "MST", "Mountain Standard Time"), seen
assert seen["Winnipeg"] == ("07:00", "EST", "CST", "Central Standard Time"), seen
assert seen["Chicago"] == ("06:00", "CST", "CST", "Central Standard Time"), seen
assert seen["Vancouver"] == ("05:00", "MST", "PST", "Pacific Standard Time"), seen
assert seen["Los_Angeles"] == ("04:00", "PST", "PST", "Pacific Standard Time"), seen
assert (seen["Inuvik"][0], seen["Cambridge_Bay"][0], seen["Rankin_Inlet"][0]) == ("06:00", "05:00", "06:00"), seen
PYTHON
