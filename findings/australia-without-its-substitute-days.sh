#!/usr/bin/env bash
# One would guess: a country's holidays without a state are those that all states have.
# What happens: in 2027 Christmas and Boxing Day fall on a weekend. All states of Australia have Monday 27 and Tuesday 28
#   December off, and `holidays` says so for each state. Asked for Australia alone, with its default observed=True and
#   with all categories, it names the Saturday and the Sunday and no day off in the week. Great Britain and New Zealand,
#   asked the same way, have both days. npm's date-holidays has them for Australia as a whole.
#   The same happens on 2026-12-28 and 2028-01-03, and in Bosnia on 2027-05-03.
# So: a call on "no holiday" of a country with states needs the state, or the days that all its states share.
# Versions: holidays 0.109, date-holidays 3.37.0. Read 2026-11-28.
# Needs: python3 with venv, node, npm, and the registries PyPI and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check holidays==0.109
npm install --silent --no-save --prefix "$folder/npm" date-holidays@3.37.0 > /dev/null

(cd "$folder/npm" && node -e '
const Holidays = require("date-holidays");
const days = new Holidays("AU").getHolidays(2027).filter((day) => day.type === "public").map((day) => day.date.slice(0, 10));
console.log(JSON.stringify(days.filter((day) => day > "2027-12-20")));') > "$folder/npm.json"

"$folder/venv/bin/python" - "$folder/npm.json" <<'PYTHON'
import json
import sys
from pathlib import Path

import holidays

WEEK = ["2027-12-25", "2027-12-26", "2027-12-27", "2027-12-28"]


def days(country: str, **options: object) -> set[str]:
    return {str(day) for day in holidays.country_holidays(country, years=[2026, 2027, 2028], **options)}


def shared(country: str) -> set[str]:
    states = getattr(holidays, country).subdivisions
    return set.intersection(*(days(country, subdiv=state) for state in states))


for country in ("AU", "GB", "NZ"):
    print(country, [day for day in WEEK if day in days(country)])
missing = {country: sorted(shared(country) - days(country)) for country in ("AU", "BA")}
print("in all states, and not in the country:", missing)
npm = json.loads(Path(sys.argv[1]).read_text())
print("date-holidays, AU:", npm)

australia = days("AU", observed=True, categories=holidays.AU.supported_categories)
assert [day for day in WEEK if day in australia] == WEEK[:2], australia
assert set(WEEK) <= days("GB") and set(WEEK) <= days("NZ")
assert {"2026-12-28", "2027-12-27", "2027-12-28", "2028-01-03"} <= set(missing["AU"]), missing
assert missing["BA"] == ["2027-05-03"], missing
assert npm == WEEK, npm
PYTHON
