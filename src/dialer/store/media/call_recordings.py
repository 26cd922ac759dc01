"""The files of recordings of whole calls: their keys, their sound, and its length."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog
from msgspec.structs import replace

from dialer.domain.calls.call_recording import SoundStore, TapeState
from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.formats.sealed_sound import (
    BLOCK_BYTES,
    CHANNELS,
    HEADER_BYTES,
    KEY_BYTES,
    NONCE_BYTES,
    SEAL_BYTES,
    SEALED_BYTES,
    sealed_place,
    sound_bytes,
    wav_header,
)
from dialer.store.tables.key_ring import RING, SecretsKeyError, fernet_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

BLOCKS_AT_ONCE: Final = 32
"""Blocks that one read returns, 16 s."""
_QUIET: Final = b"\xff"
"""A sample of silence."""
LOUDEST: Final = 127
_LOUDNESS: Final = bytes(LOUDEST - (sample & LOUDEST) for sample in range(256))
_log = structlog.get_logger(__name__)


class RecordedSound(NamedTuple):
    """The sound of a recording, as its row describes it."""

    file: str
    """The name of its file; empty for silence."""
    key: str
    """In hexadecimal digits."""
    size: int
    """The bytes of its WAV file."""


def new_store(state: TapeState = TapeState.KEEPING) -> SoundStore:
    """Return the place of a new recording under a random name, with a key that is sealed for the database.

    Raises:
        SecretsKeyError: this process has no keys of stored secrets.
    """
    key = fernet_of(RING.keys()).encrypt(secrets.token_hex(KEY_BYTES).encode()).decode()
    return SoundStore(f"{secrets.token_hex(16)}.call", key, state=state)


def opened_store(folder: Path, store: SoundStore) -> SoundStore | None:
    """Return the place of a recording with the path of its file and its key in clear; None if it cannot be opened."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - few calls are recorded

    try:
        key = fernet_of(RING.keys()).decrypt(store.key.encode()).decode()
    except (InvalidToken, SecretsKeyError):
        _log.warning("call_not_recorded", reason="its key cannot be read")
        return None
    return replace(store, file=str(folder.absolute() / store.file), key=key)


def resealed(store: SoundStore) -> SoundStore | None:
    """Return the place of a recording with its key sealed by the newest key of this process.

    Return None if no key of this process opens it. So the row of a call is readable for as long as its recording is,
    although the keys of the service were changed during the call.
    """
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - few calls are recorded

    try:
        key = fernet_of(RING.keys()).rotate(store.key.encode()).decode()
    except (InvalidToken, SecretsKeyError):
        _log.warning("call_not_recorded", reason="its key cannot be read")
        return None
    return replace(store, key=key)


def measured(files: MediaFiles, file: str, key: str) -> int | None:
    """Return the bytes of the sound in a file; None if it cannot be read now, or its key is not at hand.

    A last block that was not written to its end is not counted.

    Raises:
        OSError: the place of the files does not say.
    """
    cipher = _cipher(key)
    facts = files.facts(file)
    if facts is None or cipher is None:
        return None
    whole = facts.size // SEALED_BYTES
    is_sound = facts.size % SEALED_BYTES == 0 or _block(files, file, cipher, whole) is not None
    return sound_bytes(facts.size) if is_sound else whole * BLOCK_BYTES


def readable(files: MediaFiles, sound: RecordedSound, *, is_measured: bool) -> RecordedSound | None:
    """Return a recording with the size that it has in its file now, unless it was measured before.

    Return None if it cannot be read: its file is not there, or its key is not at hand.

    Raises:
        OSError: as for `measured`.
    """
    if not sound.file:
        return sound
    size = measured(files, sound.file, sound.key)
    if size is None:
        return None
    return sound if is_measured else sound._replace(size=HEADER_BYTES + size)


def read_sound(files: MediaFiles, sound: RecordedSound, start: int) -> bytes | None:
    """Return some of the bytes of a recording as a WAV file, from `start`: none at its end, None without its file."""
    size = sound.size - HEADER_BYTES
    if start < HEADER_BYTES:
        behind = read_sound(files, sound, HEADER_BYTES)
        return None if behind is None else wav_header(size)[start:] + behind
    number, skipped = divmod(start - HEADER_BYTES, BLOCK_BYTES)
    most = min(BLOCKS_AT_ONCE * BLOCK_BYTES, size - number * BLOCK_BYTES)
    if not sound.file:
        return _QUIET * max(0, most - skipped)
    cipher = _cipher(sound.key)
    if cipher is None:
        return None
    count = -(-max(0, most) // BLOCK_BYTES)
    found = _blocks(files, sound.file, cipher, range(number, number + count))
    if len(found) < count:
        # The whole blocks are sent first. The next read returns None, so that the connection is cut.
        return b"".join(found)[skipped:] or None
    return b"".join(found)[skipped:most]


def loudness(files: MediaFiles, sound: RecordedSound, most: int) -> list[tuple[int, int]] | None:
    """Return the loudness of both sides in equal parts of a recording, up to about `most`, from 0 to `LOUDEST`.

    The callee is first. At most `most` blocks are read, so a part of a long recording is as loud as some half second of
    it. Return None if the file is not there.
    """
    blocks = -(-(sound.size - HEADER_BYTES) // BLOCK_BYTES)
    if not sound.file or blocks <= 0:
        return [(0, 0)]
    if files.facts(sound.file) is None or (cipher := _cipher(sound.key)) is None:
        return None
    pieces = max(1, most // blocks)
    if blocks <= most:
        found = _blocks(files, sound.file, cipher, range(blocks))
    else:
        read = range(0, blocks, -(-blocks // most))
        found = [_block(files, sound.file, cipher, number) or _QUIET * CHANNELS for number in read]
    return [part for block in found for part in _parts(block, pieces)]


def _parts(block: bytes, pieces: int) -> list[tuple[int, int]]:
    """Return the loudness of both sides in some parts of a block. The steps of µ-law are those of the ear."""
    loud, step = block.translate(_LOUDNESS), CHANNELS * max(1, len(block) // CHANNELS // pieces)
    starts = range(0, len(loud) - 1, step)[:pieces]
    return [(max(loud[at : at + step : CHANNELS]), max(loud[at + 1 : at + step : CHANNELS])) for at in starts]


def _block(files: MediaFiles, file: str, cipher: "AESGCM", number: int) -> bytes | None:
    """Return a block of sound; None if it is not there, or is not what was written."""
    return next(iter(_blocks(files, file, cipher, range(number, number + 1))), None)


def _blocks(files: MediaFiles, file: str, cipher: "AESGCM", numbers: range) -> list[bytes]:
    """Return blocks of sound that follow each other, up to one that is not there, or not what was written.

    They are read at once, since a file may be far away.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - few calls are recorded

    read = files.read(file, numbers.start * SEALED_BYTES, len(numbers) * SEALED_BYTES) or b""
    blocks: list[bytes] = []
    for at, number in enumerate(numbers):
        sealed = read[at * SEALED_BYTES : (at + 1) * SEALED_BYTES]
        if len(sealed) <= SEAL_BYTES:
            break
        try:
            blocks.append(cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], sealed_place(number)))
        except InvalidTag:
            break
    return blocks


def _cipher(key: str) -> "AESGCM | None":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - few calls are recorded

    try:
        return AESGCM(bytes.fromhex(key))
    except ValueError:
        return None
