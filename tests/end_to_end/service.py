"""Shortcuts through the API for the set-up of tests."""

import struct
from typing import Any

from tests.api.harness import Caller

START_MS = 1_772_452_800_000
START = "2026-03-02T12:00:00Z"
"""A Monday; 07:00 in Washington."""


def wav(seconds: float) -> bytes:
    """Return a WAV file of silence: PCM, 16 bit, mono, 8 kHz."""
    samples = bytes(2 * int(8_000 * seconds))
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(samples),
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        8_000,
        16_000,
        2,
        16,
        b"data",
        len(samples),
    )
    return header + samples


def upload(caller: Caller, name: str, seconds: float) -> dict[str, Any]:
    """Upload an audio file, and return its record."""
    answer = caller.request("POST", "audio-files/", data={"name": name}, files={"audio_file": ("a.wav", wav(seconds))})
    assert answer.status_code == 201, answer.text
    record: dict[str, Any] = answer.json()
    return record


def advance(admin: Caller, seconds: float) -> None:
    """Advance the service's clock."""
    answer = admin.request("POST", "clock/advance/", json={"seconds": seconds})
    assert answer.status_code == 200, answer.text
