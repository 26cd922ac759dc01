"""The file of a call that is being recorded: encrypted blocks, each written when it is there.

So whatever happens to the process, the file has all but the last moments, and nobody can read it without the key.
"""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dialer.carriers.media.call_tape import QUIET_BLOCK
from dialer.domain.calls.call_recording import FREE_BYTES_MIN, SoundStore
from dialer.domain.formats.sealed_sound import NONCE_BYTES, SEALED_BYTES, length_ms, sealed_place

LOOKS_EVERY_BLOCKS: Final = 20
GAP_MS_MAX: Final = 60_000
"""Silence that stands for the time of a call in which nobody recorded it. A longer time is shortened to this."""


class SealedSpool:
    """The file of one call in progress. It moves to other processes with the sound, so it can be pickled."""

    def __init__(self, store: SoundStore) -> None:
        """Prepare it. `store` has the path of the file."""
        self._path: Final = Path(store.file)
        self._key: Final = bytes.fromhex(store.key)
        self._age_ms: Final = store.age_ms
        self._count = 0
        """Blocks in the file."""

    def open(self) -> None:
        """Make the file, or go on behind the last whole block of one that another process has begun.

        Raises:
            OSError: it cannot be written.
        """
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._leave_room()
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            self._count = os.fstat(descriptor).st_size // SEALED_BYTES
            os.ftruncate(descriptor, self._count * SEALED_BYTES)
        finally:
            os.close(descriptor)
        block_ms = length_ms(len(QUIET_BLOCK))
        missing_ms = min(GAP_MS_MAX, self._age_ms - self._count * block_ms)
        self.write([QUIET_BLOCK] * (missing_ms // block_ms))

    def _leave_room(self) -> None:
        """Raise OSError if the disk has so little room left that the calls themselves might soon find none."""
        room = os.statvfs(self._path.parent)
        if room.f_bavail * room.f_frsize < FREE_BYTES_MIN:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def discard(self) -> None:
        """Delete the file, if there is one.

        Raises:
            OSError: it cannot be deleted.
        """
        self._path.unlink(missing_ok=True)

    def write(self, blocks: Sequence[bytes]) -> None:
        """Write the next blocks.

        Raises:
            OSError: they cannot be written.
        """
        if not blocks:
            return
        if self._count % LOOKS_EVERY_BLOCKS == 0:
            self._leave_room()
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - few calls are recorded

        cipher, sealed = AESGCM(self._key), bytearray()
        for block in blocks:
            nonce = os.urandom(NONCE_BYTES)
            sealed += nonce + cipher.encrypt(nonce, block, sealed_place(self._count))
            self._count += 1
        # Opened each time: the sound of a call moves between processes, and a call has two sockets open already.
        with open(self._path, "ab") as file:  # noqa: PTH123 - the shortest way, on the path of each call
            file.write(sealed)
