#!/usr/bin/env bash
# One would guess: senders of SMS over SMPP agree on the number of parts of a plain text, and on the characters that arrive.
# What happens: smpplib's table for the GSM alphabet has a backtick where the section sign belongs. It sends a backtick as
#   0x5F in a text of one part, and two other packages read § there. A real § it sends as UCS-2: three parts for 160
#   characters that fit into one. It cuts between the two octets of a euro sign, so the second part begins with an e.
#   rusmppyc refuses the backtick and keeps the euro sign whole, but its parts are of 140 characters, not 160: of 160
#   plain letters it makes two messages. Twilio's counter says 1 for the letters, 3 with the backtick, 1 with the §.
# So: count parts with the sender's own code, and read each part back before it counts as sent.
# Versions: smpplib 2.2.4, rusmppyc 0.4.0a2, gsm0338 1.1.0, aiosmpplib 0.7.4, npm sms-segments-calculator 1.3.0.
#   Read 2026-11-28.
# Needs: python3 with venv, and PyPI; node with npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check smpplib==2.2.4 rusmppyc==0.4.0a2 gsm0338==1.1.0 aiosmpplib==0.7.4
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts sms-segments-calculator@1.3.0

cat >count.js <<'JS'
const { SegmentedMessage } = require("sms-segments-calculator");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => new SegmentedMessage(text).segmentsCount)));
JS

venv/bin/python - <<'PYTHON'
import json
import subprocess

import gsm0338
from aiosmpplib import GSM7BitCodec
from rusmppyc import Client
from rusmppyc.exceptions import ShortMessageMultipartException
from smpplib import consts
from smpplib.gsm import make_parts

TEXTS = {
    "160 letters": "a" * 160,
    "159 letters, backtick": "a" * 159 + "`",
    "159 letters, §": "a" * 159 + "§",
    "152 letters, €, 152 letters": "a" * 152 + "€" + "a" * 152,
}


def read(part: bytes) -> str:
    """Return what two packages, which agree, read in a part of the GSM alphabet."""
    text = GSM7BitCodec().decode(part)[0]
    assert gsm0338.Codec().decode(part)[0] == text, part
    return text


def by_rusmppyc(text: str) -> int | None:
    try:
        return len(Client.submit_sm_multipart(text))
    except ShortMessageMultipartException:
        return None


counted = json.loads(subprocess.check_output(["node", "count.js"], input=json.dumps(list(TEXTS.values())), text=True))
seen, ends = {}, {}
for (name, text), twilio in zip(TEXTS.items(), counted, strict=True):
    parts, coding, is_long = make_parts(text)
    bodies = [part[6:] if is_long else part for part in parts]  # the first six octets say which part it is
    seen[name] = twilio, len(parts), by_rusmppyc(text)
    ends[name] = read(bodies[-1]) if coding == consts.SMPP_ENCODING_DEFAULT else "UCS-2"
    print(f"{name}: parts by Twilio's counter, smpplib, rusmppyc: {seen[name]}")

print("smpplib's backtick is read as", ends["159 letters, backtick"][-1])
print("smpplib's euro sign is read as", ends["152 letters, €, 152 letters"][:1])
assert list(seen.values()) == [(1, 1, 2), (3, 1, None), (1, 3, 2), (3, 2, 3)], seen
assert ends["160 letters"] == TEXTS["160 letters"]
assert ends["159 letters, backtick"] == TEXTS["159 letters, §"], ends
assert ends["159 letters, §"] == "UCS-2", ends
assert ends["152 letters, €, 152 letters"] == "e" + "a" * 152, ends
PYTHON
