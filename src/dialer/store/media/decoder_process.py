"""The program that decodes one MP3, FLAC or Ogg Vorbis file, in a process of its own, within limits.

Its standard input is the file, and its standard output the sound: samples of 16 bits, one channel, `RATE_HZ` a second.
The decoders are C, and some files end their process; `dialer.store.media.decoding` reads any other exit code than those
below as that.
"""

import sys
from collections.abc import Iterator
from typing import Final

from dialer.store.media.process_limits import limit_process

RATE_HZ: Final = 16_000
"""Twice of what a call carries, as recordings of the browser have."""
SECONDS_MAX: Final = 600
"""Maximum length of a recording. Calls play no more of one."""
MEMORY_BYTES_MAX: Final = 512 * 1024 * 1024
"""Maximum address space of the process."""
CPU_S_MAX: Final = 20
BROKEN: Final = 3
"""Exit code for a file that has no sound."""
TOO_LONG: Final = 4
"""Exit code for a file with more than `SECONDS_MAX` of sound. It is not decoded further."""


def decode(content: bytes) -> tuple[int, bytes]:
    """Return the exit code for a file, and its sound."""
    sound = bytearray()
    for piece in _pieces(content):
        sound += piece
        if len(sound) > 2 * RATE_HZ * SECONDS_MAX:
            return TOO_LONG, b""
    return (0, bytes(sound)) if sound else (BROKEN, b"")


def _pieces(content: bytes) -> Iterator[bytes]:
    """Yield a second of sound after another, as far as the file can be read."""
    import miniaudio  # type: ignore[import-untyped]  # noqa: PLC0415 - the service takes only the constants

    try:
        for piece in miniaudio.stream_memory(content, nchannels=1, sample_rate=RATE_HZ, frames_to_read=RATE_HZ):
            yield piece.tobytes()
    except miniaudio.MiniaudioError:
        return


def main() -> None:
    """Decode the standard input."""
    limit_process(MEMORY_BYTES_MAX, CPU_S_MAX)
    code, sound = decode(sys.stdin.buffer.read())
    sys.stdout.buffer.write(sound)
    sys.exit(code)


if __name__ == "__main__":
    main()
