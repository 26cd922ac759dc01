#!/usr/bin/env bash
# One would guess: SIP libraries agree on what is the user and what is the host of a number that carriers write.
# What happens: carriers put parameters of the number before the "@" (RFC 3261 19.1.6, RFC 4694): "npdi" and "rn" for
#   a ported number, "phone-context" for a short one.
#   - aiosipua looks for parameters first: the number is the host, there is no user, and the carrier's name ends up
#     within a parameter. A number in visual form, "+1(202)555-0143", it reads as the others do.
#   - JsSIP and SIP.js read it right, and write it back with %3B and %3D for ";" and "=". By RFC 3261 19.1.4 that is
#     another address, and a proxy that looks for ";rn=" finds none.
#   - sip of npm and sipmessage keep it as it is.
# So: test callers and contacts with such a number, and write addresses back as they came.
# Versions: aiosipua 0.7.1 (July 2026), sipmessage 0.7.1, npm jssip 3.13.8, sip.js 0.21.2, sip 0.0.6. Read 2026-11-29.
# Needs: python3 (3.11 or newer) with venv, and PyPI; node with npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check aiosipua==0.7.1 sipmessage==0.7.1
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts jssip@3.13.8 sip.js@0.21.2 sip@0.0.6

cat >read.js <<'JS'
const jssip = require("jssip");
const sip = require("sip");
const { Grammar } = require("sip.js");
const read = {
  jssip: (text) => ((uri) => [uri.user, uri.host, uri.toString()])(jssip.URI.parse(text)),
  "sip.js": (text) => ((uri) => [uri.user, uri.host, uri.toString()])(Grammar.URIParse(text)),
  sip: (text) => ((uri) => [uri.user, uri.host, sip.stringifyUri(uri)])(sip.parseUri(text)),
};
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const all = Object.entries(read).map(([name, by]) => [name, texts.map(by)]);
console.log(JSON.stringify(Object.fromEntries(all)));
process.exit(0);
JS

venv/bin/python - <<'PYTHON'
import json
import subprocess

import aiosipua
from sipmessage import URI

PORTED = "sip:+12025550143;npdi;rn=+12025550100@carrier.example;user=phone"
SHORT = "sip:143;phone-context=+1202555@carrier.example;user=phone"
VISUAL = "sip:+1(202)555-0143@carrier.example;user=phone"
TEXTS = [PORTED, SHORT, VISUAL]

read = json.loads(subprocess.check_output(["node", "read.js"], input=json.dumps(TEXTS), text=True))
read["aiosipua"] = [(uri.user, uri.host, aiosipua.stringify_uri(uri)) for uri in map(aiosipua.parse_uri, TEXTS)]
read["sipmessage"] = [(uri.user, uri.host, str(uri)) for uri in map(URI.parse, TEXTS)]
for name, found in read.items():
    for user, host, written in found:
        print(f"{name:10} user {user}, host {host}\n           {written}")

users = ["+12025550143;npdi;rn=+12025550100", "143;phone-context=+1202555", "+1(202)555-0143"]
for name in ("sip", "sipmessage", "jssip", "sip.js"):
    assert [found[0] for found in read[name]] == users, name
    assert {found[1] for found in read[name]} == {"carrier.example"}, name
for name in ("sip", "sipmessage"):
    assert [found[2] for found in read[name]] == TEXTS, name
for name in ("jssip", "sip.js"):
    assert "+12025550143%3Bnpdi%3Brn%3D+12025550100@" in read[name][0][2], name
    assert "143%3Bphone-context%3D+1202555@" in read[name][1][2], name
    assert read[name][2][2] == VISUAL, name
assert [found[:2] for found in read["aiosipua"]] == [
    (None, "+12025550143"),
    (None, "143"),
    ("+1(202)555-0143", "carrier.example"),
], read["aiosipua"]
PYTHON
