#!/usr/bin/env bash
# One would guess: a zone that goes to Windows's name and back (calendars, exports and invitations do that) keeps its hours.
# What happens since November 2026: Windows got "Alberta", "British Columbia" and "Manitoba Standard Time". tzlocal 5.4.5
#   and babel 2.19.0 know them; babel 2.18.0 and the newest windows-iana do not. With windows-iana, Edmonton becomes
#   "Mountain Standard Time" and comes back as Denver, Vancouver as Los Angeles, Winnipeg as Chicago: an hour off from
#   November to March. The other way, a new name from a new Windows is nothing at all to the older tables.
#   In the newest table three zones of 589 still come back with other hours: Scoresbysund, Casey and Vostok.
# So: a table of Windows's names has an age that no version number shows; look for its newest name.
# Versions: tzlocal 5.4.5, babel 2.18.0 and 2.19.0, tzdata 2026.6 (IANA 2026f), windows-iana 5.1.0. Read 2026-11-28.
# Needs: python3 (3.9 or newer) with venv, node, npm, and the registries PyPI and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for babel in 2.18.0 2.19.0; do
    python3 -m venv "$folder/$babel"
    "$folder/$babel/bin/pip" install -q --disable-pip-version-check "babel==$babel" tzlocal==5.4.5 tzdata==2026.6
done
npm install --silent --no-save --prefix "$folder/npm" windows-iana@5.1.0 > /dev/null

(cd "$folder/npm" && node -e '
const { findIana, findWindows } = require("windows-iana");
const back = (zone) => [zone, findWindows(zone)[0], findIana(findWindows(zone)[0])[0]];
console.log(JSON.stringify({
    back: ["Edmonton", "Vancouver", "Winnipeg"].map((city) => back("America/" + city)),
    alberta: findIana("Alberta Standard Time"),
}));') > "$folder/npm.json"

for babel in 2.18.0 2.19.0; do
    PYTHONTZPATH='' "$folder/$babel/bin/python" - "$folder/npm.json" <<'PYTHON'
import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import babel
from babel.core import get_global
from tzlocal.windows_tz import tz_win, win_tz


def hours(zone: str) -> list[float]:
    moments = (datetime(2027, month, 15, 12, tzinfo=timezone.utc).astimezone(ZoneInfo(zone)) for month in range(1, 13))
    return [moment.utcoffset().total_seconds() / 3600 for moment in moments]


new = sorted(name for name in win_tz if name.startswith(("Alberta", "British C", "Manitoba")))
known = sorted(set(new) & set(get_global("windows_zone_mapping")))
print(f"tzlocal knows {new}; babel {babel.__version__} knows {known}")
assert len(new) == 3 and len(known) == (3 if babel.__version__ == "2.19.0" else 0), known

npm = json.loads(Path(sys.argv[1]).read_text())
for zone, name, back in npm["back"]:
    months = sum(a != b for a, b in zip(hours(zone), hours(back)))
    print(f"windows-iana: {zone} -> {name} -> {back}; months of 2027 with another clock: {months}")
    assert months >= 4, months
assert npm["alberta"] == [], npm

lost = {zone: win_tz[name] for zone, name in tz_win.items() if zone and hours(zone) != hours(win_tz[name])}
print(f"tzlocal: {len(tz_win)} zones, back with other hours: {lost}")
assert sorted(lost) == ["America/Scoresbysund", "Antarctica/Casey", "Antarctica/Vostok"], lost
PYTHON
done
