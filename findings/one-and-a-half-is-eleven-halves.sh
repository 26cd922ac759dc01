#!/usr/bin/env bash
# One would guess: a package that makes texts fit the GSM alphabet of SMS says the same with other characters, or
#   tells what it left out.
# What happens: smssafe replaces character by character, and keeps no border between a character and its neighbours:
#   "1½ hours" becomes "11/2 hours", and "10² m" becomes "102 m". Cyrillic and Greek letters that look like Latin ones
#   become these, and the others are left out: the name Анна is sent as "Ahha", and Καλημέρα (good morning) as "Kup".
#   Each result fits into one part, and for the numbers and the name the list of what was left out is empty.
# So: replace only what has one meaning (dashes, quotes, blanks), and pay for UCS-2 where a text has other letters.
# Versions: smssafe 0.0.1 (June 2026). Read 2026-11-29.
# Needs: python3 (3.10 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check smssafe==0.0.1

"$folder/venv/bin/python" - <<'PYTHON'
from smssafe import sanitize

NUMBERS = {"1½ hours": "11/2 hours", "2¼ km": "21/4 km", "10² m": "102 m"}
NAME = {"Анна": "Ahha"}
WORDS = {"Καλημέρα": "Kup", "Ваш заказ": "Ba aka"}

seen = {text: sanitize(text) for text in NUMBERS | NAME | WORDS}
for text, result in seen.items():
    print(f"{text:10} is sent as {result.sanitized:12} parts: {result.segments}  lost: {result.remaining_unsafe}")

assert {text: result.sanitized for text, result in seen.items()} == NUMBERS | NAME | WORDS
assert {(result.encoding, result.segments) for result in seen.values()} == {("gsm7", 1)}
assert all(not seen[text].remaining_unsafe for text in NUMBERS | NAME)
assert all(seen[text].remaining_unsafe for text in WORDS)
PYTHON
