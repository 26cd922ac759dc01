#!/usr/bin/env bash
# One would guess: a decoder treats the three ways in which programs write a WAV whose length they do not know yet alike:
#   0xFFFFFFFF, 0x7FFFF000 and 0, each followed by sound up to the end of the stream.
# What happens: miniaudio decodes the first two to the end of the file. For 0 it returns no sample and raises no error, and
#   its wav_get_info says 0 seconds. Python's own wave reads the same sound, but believes the large lengths: its
#   getnframes gives 74 hours and 37 hours for half a second of sound.
# So: of a sound file, ask how many samples came out, never whether it could be read.
# Versions: miniaudio 1.71, Python 3.11.7 (its module wave). Read 2026-11-28.
# Needs: python3 with venv, and PyPI; a C compiler where there is no wheel.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check miniaudio==1.71

"$folder/venv/bin/python" - <<'PYTHON'
import io
import struct
import wave

import miniaudio

SOUND = struct.pack("<4000h", *(1000 if n // 10 % 2 else -1000 for n in range(4000)))  # half a second at 8 kHz


def wav(length: int) -> bytes:
    layout = struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    body = b"WAVEfmt " + layout + b"data" + struct.pack("<I", length) + SOUND
    return b"RIFF" + struct.pack("<I", min(length + 36, 0xFFFFFFFF)) + body


seen = {}
assert miniaudio.wav_get_info(wav(0)).duration == 0
for length in (len(SOUND), 0xFFFFFFFF, 0x7FFFF000, 0):
    sound = miniaudio.decode(wav(length), nchannels=1, sample_rate=8000)
    with wave.open(io.BytesIO(wav(length))) as file:
        seen[length] = len(sound.samples), file.getnframes(), len(file.readframes(10_000)) // 2
    print(f"length {length:#x}: miniaudio {seen[length][0]} samples; wave says {seen[length][1]} and reads {seen[length][2]}")

assert seen[len(SOUND)] == (4000, 4000, 4000), seen
assert [seen[length][0] for length in (0xFFFFFFFF, 0x7FFFF000)] == [4000, 4000], seen
assert seen[0xFFFFFFFF][1] > 2_000_000_000, seen
assert seen[0] == (0, 0, 0), seen
PYTHON
