#!/usr/bin/env bash
# One would guess: keys that one package plays into a call are the keys that another one hears there.
# What happens: dtmf-tone-pure plays each key for 60 ms, and leaves 10 ms between keys. It calls these the times of
#   the ITU. In the table of ITU-T Q.24 an interruption of 10 ms is part of one key, and keys are 30 to 70 ms apart.
#   PyDTMF, which counts as Asterisk does, overlooks the gap: 1234 arrives, 1100 arrives as 110, and 999 as 9. The
#   same keys with 40 ms between them arrive whole.
# So: leave 50 ms and more between keys that you play, and try a detector with a key that is pressed twice.
# Versions: dtmf-tone-pure 0.1.0, PyDTMF 1.0.0. Read 2026-11-29.
# Needs: python3 (3.10 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check dtmf-tone-pure==0.1.0 pydtmf==1.0.0

"$folder/venv/bin/python" - <<'PYTHON'
from array import array

from dtmf_tone_pure import DTMFTone
from PyDTMF import from_pcm

HEADER = 44
QUIET = [0] * 800


class FurtherApart(DTMFTone):
    """The same keys with 40 ms between them."""

    _pause_samples = 320


def heard(player: DTMFTone, keys: str) -> str:
    """Return the keys that are heard in a tenth of a second of silence, these keys, and silence again."""
    return from_pcm(QUIET + list(array("h", player.tones(keys)[HEADER:])) + QUIET)[0]


near = {keys: heard(DTMFTone(), keys) for keys in ("1234", "1100", "999")}
apart = {keys: heard(FurtherApart(), keys) for keys in near}
for keys in near:
    print(f"played {keys:5} heard with 10 ms between keys: {near[keys]:5} with 40 ms: {apart[keys]}")
assert near == {"1234": "1234", "1100": "110", "999": "9"}, near
assert apart == {keys: keys for keys in near}, apart
PYTHON
