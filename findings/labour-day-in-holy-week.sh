#!/usr/bin/env bash
# One would guess: packages of public holidays agree on the days off that a country has had already.
# What happens: where 1 May is a Sunday or in the week before Easter, Greece has its Labour Day later. It was on
#   Tuesday 4 May in 2021 and on Tuesday 7 May in 2024, when Wednesday 1 May was a working day. holidays knows both,
#   and 4 May 2027 by the same rule. holidata, date-holidays and workalendar have 1 May each time, and none of the
#   Tuesdays. So who plans by one of the three calls people on a day off. After 2027 the next time is 2032: too seldom
#   for a test with this year.
# So: compare calendars by years that are over, whose days off are known.
# Versions: holidays 0.109, holidata 2026.9.0, workalendar 17.0.0, npm date-holidays 3.37.0. Read 2026-11-29.
# Needs: python3 (3.10 or newer) with venv, and PyPI; node with npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check holidays==0.109 holidata==2026.9.0 workalendar==17.0.0
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts date-holidays@3.37.0

cat >days.js <<'JS'
const Holidays = require("date-holidays");
const off = process.argv.slice(2).flatMap((year) => new Holidays("GR").getHolidays(year));
console.log(JSON.stringify(off.filter(({ type }) => type === "public").map(({ date }) => date.slice(0, 10))));
JS

venv/bin/python - <<'PYTHON'
import json
import subprocess

import holidays
from holidata import get_country_for
from workalendar.europe import Greece

YEARS = (2021, 2024, 2027)
MAY = [f"{year}-05-01" for year in YEARS]
MOVED = ["2021-05-04", "2024-05-07", "2027-05-04"]

greece, calendar = get_country_for("GR"), Greece()
off = {
    "holidays": {str(day) for day in holidays.country_holidays("GR", years=YEARS)},
    "holidata": {str(day.date)[:10] for year in YEARS for day in greece.get_holidays_of(year, "el")},
    "workalendar": {str(day) for year in YEARS for day, _ in calendar.holidays(year)},
    "date-holidays": set(json.loads(subprocess.check_output(["node", "days.js", *map(str, YEARS)], text=True))),
}
for name, days in off.items():
    print(f"{name:14} on 1 May: {[day in days for day in MAY]}, on the Tuesday: {[day in days for day in MOVED]}")

assert all(day in off["holidays"] for day in MOVED)
assert MAY[1] not in off["holidays"]
for name in ("holidata", "workalendar", "date-holidays"):
    assert all(day in off[name] for day in MAY), name
    assert not any(day in off[name] for day in MOVED), name
PYTHON
