#!/usr/bin/env bash
# One would guess: a voice detector that hears speech in a steady tone hears it in the same tone when it is louder, too. The
#   sampling rate makes no difference, since the detector brings all sound to 8 kHz first.
# What happens: webrtcvad's strictest mode takes the tones of a telephone network for speech in a band of levels, and not
#   above it. The American busy tone (480 and 620 Hz) is speech from its first 100 ms on at -30 dBFS (root mean square), and
#   never at -20 dBFS. The American ringing tone is speech at -22 dBFS and not at -12 dBFS, the British one at -16 dBFS and
#   not at -10 dBFS. The European one (425 Hz) is speech from -18 dBFS on. Frames of 10, 20 and 30 ms have different bands.
#   At 48 kHz the loud ringing tones are speech, and the busy tone has two bands with silence between them.
# So: look for tones before you ask a voice detector, and never test one at a single level.
# Versions: webrtcvad-wheels 2.0.14.post1, the same code as webrtcvad 2.0.10. Read 2026-11-28.
# Needs: python3 with venv, and PyPI; a C compiler where there is no wheel.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check webrtcvad-wheels==2.0.14.post1

"$folder/venv/bin/python" - <<'PYTHON'
import math
import struct

import webrtcvad

TONES = {
    "ringing, USA": (440, 480),
    "busy, USA": (480, 620),
    "ringing, Great Britain": (400, 450),
    "ringing, Europe": (425,),
}
LEVELS = range(-40, -9)  # dBFS, root mean square


def speech(tone: tuple[int, ...], level: int, rate: int, frame_ms: int) -> str:
    """Return # for a tone that is speech in all its frames after the first 100 ms, . for one that never is, else +."""
    peak = 32767 * 10 ** (level / 20) * math.sqrt(2 / len(tone))
    sound = [round(sum(peak * math.sin(2 * math.pi * hz * n / rate) for hz in tone)) for n in range(rate)]
    assert max(map(abs, sound)) <= 32767
    size, vad = rate * frame_ms // 1000, webrtcvad.Vad(3)
    frames = [struct.pack(f"<{size}h", *sound[at : at + size]) for at in range(0, rate - size + 1, size)]
    heard = [vad.is_speech(frame, rate) for frame in frames][100 // frame_ms :]
    return "#" if all(heard) else "+" if any(heard) else "."


seen = {}
for name, tone in TONES.items():
    for rate, frame_ms in ((8000, 10), (8000, 20), (8000, 30), (48000, 20)):
        seen[name, rate, frame_ms] = "".join(speech(tone, level, rate, frame_ms) for level in LEVELS)
        print(f"{name:22} {rate:5} Hz {frame_ms} ms  {LEVELS[0]} dBFS {seen[name, rate, frame_ms]} {LEVELS[-1]} dBFS")


def at(name: str, *levels: int, rate: int = 8000) -> str:
    return "".join(seen[name, rate, 20][LEVELS.index(level)] for level in levels)


assert at("busy, USA", -30, -20, -10) == "#..", seen
assert at("ringing, USA", -22, -12) == "#.", seen
assert at("ringing, Great Britain", -16, -10) == "#.", seen
assert at("ringing, Europe", -20, -18, -10) == ".##", seen
assert len({seen["busy, USA", 8000, frame_ms] for frame_ms in (10, 20, 30)}) == 3, seen
assert at("ringing, USA", -12, rate=48000) == at("ringing, Great Britain", -10, rate=48000) == "#", seen
assert at("busy, USA", -25, -19, -10, rate=48000) == "#.#", seen
PYTHON
