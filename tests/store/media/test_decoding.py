"""Tests of the process that decodes sound: its limits, and an end in any way."""

import subprocess
import sys

import pytest

from dialer.store.media import decoding
from dialer.store.media.audio import AudioError
from dialer.store.media.decoder_process import CPU_S_MAX, MEMORY_BYTES_MAX, RATE_HZ, SECONDS_MAX
from dialer.store.media.decoding import as_wave
from dialer.store.media.files import AUDIO_BYTES_MAX

LIMITED = """\
import resource, sys
from dialer.store.media import decoder_process
try:
    decoder_process.main()
finally:
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
    print(*(resource.getrlimit(kind)[0] for kind in kinds), "miniaudio" in sys.modules)
"""


def test_the_process_has_limits_of_memory_and_time_and_writes_no_files() -> None:
    told = subprocess.run([sys.executable, "-c", LIMITED], input=b"ID3", capture_output=True, check=False)
    assert told.stdout.decode().split() == [str(MEMORY_BYTES_MAX), str(CPU_S_MAX), "0", "0", "True"]


def test_the_longest_recording_is_no_larger_than_a_recording_may_be() -> None:
    assert 2 * RATE_HZ * SECONDS_MAX + 44 <= AUDIO_BYTES_MAX


@pytest.mark.parametrize("program", ["import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "while True: pass"])
def test_a_process_that_is_killed_or_never_ends_is_a_file_without_sound(
    monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(decoding, "_COMMAND", (sys.executable, "-c", program))
    monkeypatch.setattr(decoding, "TIMEOUT_S", 0.3)
    with pytest.raises(AudioError, match=r"^This is an MP3 file without sound that can be read\."):
        as_wave(b"ID3")


@pytest.mark.parametrize("content", [b"", b"RIFF", b"#!AMR", b"text"])
def test_what_is_not_decoded_stays_as_it_is(content: bytes) -> None:
    assert as_wave(content) == content
