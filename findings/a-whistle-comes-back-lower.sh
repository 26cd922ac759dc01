#!/usr/bin/env bash
# One would guess: a library that converts 44.1 kHz to the telephone's 8 kHz leaves out what 8 kHz cannot carry.
# What happens: miniaudio's decoder filters so little that a tone of 5 kHz comes back as one of 3 kHz, 9 dB weaker, and one
#   of 6 kHz as 2 kHz, 16 dB weaker. A tone of 440 Hz is as loud as before. soxr makes both silent (below -60 dB).
#   The s and f of speech lie there, so they come back as a rasp in the middle of the voice.
# So: whoever converts sound for telephones plays a tone above 4 kHz once, and measures what comes out.
# Versions: miniaudio 1.71, soxr 1.0.0, numpy 2.4.6, Python 3.11.7. Read 2026-11-28.
# Needs: python3 with venv, and PyPI; a C compiler where there is no wheel.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check miniaudio==1.71 soxr==1.0.0 numpy==2.4.6

"$folder/venv/bin/python" - <<'PYTHON'
import io
import wave

import miniaudio
import numpy
import soxr

RATE, NEW = 44_100, 8_000


def tone(hz):
    return (10_000 * numpy.sin(2 * numpy.pi * hz * numpy.arange(RATE) / RATE)).astype("<i2")


def wav(samples):
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return buffer.getvalue()


def measured(samples):
    """Return the strongest frequency in the middle of a sound, and its level against the tone that went in."""
    middle = numpy.asarray(samples[2000:6000], dtype=float)
    spectrum = numpy.abs(numpy.fft.rfft(middle * numpy.hanning(len(middle)))) / (len(middle) / 4)
    place = int(spectrum.argmax())
    return place * NEW // len(middle), round(20 * numpy.log10(max(spectrum[place], 1) / 10_000))


for hz in (440, 5_000, 6_000):
    one = measured(miniaudio.decode(wav(tone(hz)), nchannels=1, sample_rate=NEW).samples)
    other = measured(soxr.resample(tone(hz), RATE, NEW))
    print(f"{hz} Hz: miniaudio gives {one[0]} Hz at {one[1]} dB, soxr {other[0]} Hz at {other[1]} dB")
    if hz == 440:
        assert one == (440, 0) and other == (440, 0), (one, other)
    else:
        assert one[0] == NEW - hz and -20 <= one[1] <= -6, one
        assert other[1] <= -60, other
PYTHON
