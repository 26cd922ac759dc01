"""Tests of the file of a call that is being recorded, as the service reads it later."""

import pickle
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.media.call_tape import QUIET_BLOCK
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.voice import sealed_spool
from dialer.carriers.voice.sealed_spool import LOOKS_EVERY_BLOCKS, SealedSpool
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, HEADER_BYTES, SEALED_BYTES, wav_header
from dialer.store.media.call_recordings import RecordedSound, measured, read_sound
from dialer.store.media.folder import FolderMedia

KEY: Final = "0f" * 32
BLOCKS: Final = [bytes([number]) * BLOCK_BYTES for number in (1, 2, 3)]
FILE: Final = "a.call"


def spool(folder: Path, age_ms: int = 0) -> SealedSpool:
    """Return an open file, as it is after a move to another process."""
    made = SealedSpool(SoundStore(str(folder / "calls" / FILE), KEY, age_ms))
    made.open()
    moved: SealedSpool = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    return moved


def whole(folder: Path, key: str = KEY) -> bytes | None:
    """Return the WAV file of all that can be heard."""
    files = FolderMedia(folder / "calls")
    size = measured(files, FILE, key)
    if size is None:
        return None
    sound, found = RecordedSound(FILE, key, HEADER_BYTES + size), b""
    while piece := read_sound(files, sound, len(found)):
        found += piece
    return found


def test_the_sound_is_read_as_it_was_written_and_is_nowhere_in_clear(tmp_path: Path) -> None:
    spool(tmp_path).write([*BLOCKS, b"end."])
    sound = b"".join(BLOCKS) + b"end."
    assert whole(tmp_path) == wav_header(len(sound)) + sound
    path = tmp_path / "calls" / FILE
    assert (path.stat().st_mode & 0o777, BLOCKS[0][:32] in path.read_bytes()) == (0o600, False)


@pytest.mark.parametrize("start", [0, 57, 58, 59, HEADER_BYTES + BLOCK_BYTES, HEADER_BYTES + 2 * BLOCK_BYTES + 7])
def test_any_part_is_read_by_itself(tmp_path: Path, start: int) -> None:
    spool(tmp_path).write(BLOCKS)
    sound = wav_header(3 * BLOCK_BYTES) + b"".join(BLOCKS)
    found = read_sound(FolderMedia(tmp_path / "calls"), RecordedSound(FILE, KEY, len(sound)), start)
    assert found
    assert sound[start:].startswith(found)


@pytest.mark.parametrize("left", [1, 27, 28, 29, 5_000, SEALED_BYTES - 1])
def test_a_block_that_was_not_written_to_its_end_is_left_out_and_replaced(tmp_path: Path, left: int) -> None:
    spool(tmp_path).write(BLOCKS)
    path = tmp_path / "calls" / FILE
    path.write_bytes(path.read_bytes()[: 2 * SEALED_BYTES + left])
    kept = b"".join(BLOCKS[:2])
    assert whole(tmp_path) == wav_header(len(kept)) + kept
    spool(tmp_path).write([BLOCKS[2]])
    assert whole(tmp_path) == wav_header(3 * BLOCK_BYTES) + b"".join(BLOCKS)


def test_time_in_which_nobody_recorded_is_silence_of_that_length_up_to_a_minute(tmp_path: Path) -> None:
    spool(tmp_path).write(BLOCKS[:1])
    spool(tmp_path, age_ms=2_400).write(BLOCKS[1:2])
    sound = BLOCKS[0] + QUIET_BLOCK * 3 + BLOCKS[1]
    assert whole(tmp_path) == wav_header(len(sound)) + sound
    (tmp_path / "calls" / FILE).unlink()
    spool(tmp_path, age_ms=10**9).write(BLOCKS[:1])
    assert whole(tmp_path) == wav_header(121 * BLOCK_BYTES) + QUIET_BLOCK * 120 + BLOCKS[0]


def test_blocks_that_were_changed_or_moved_are_not_heard(tmp_path: Path) -> None:
    spool(tmp_path).write(BLOCKS)
    path, files = tmp_path / "calls" / FILE, FolderMedia(tmp_path / "calls")
    written = path.read_bytes()
    first, second, third = (written[at : at + SEALED_BYTES] for at in range(0, len(written), SEALED_BYTES))
    path.write_bytes(second + first + third)
    sound = RecordedSound(FILE, KEY, HEADER_BYTES + 3 * BLOCK_BYTES)
    assert read_sound(files, sound, HEADER_BYTES) is None
    path.write_bytes(first + second[:100] + b"\0" + second[101:] + third)
    assert read_sound(files, sound, HEADER_BYTES) == BLOCKS[0]
    path.write_bytes(written)
    assert read_sound(files, sound._replace(key="0e" * 32), HEADER_BYTES) is None


def test_a_file_that_is_not_there_has_no_sound(tmp_path: Path) -> None:
    assert whole(tmp_path) is None


@pytest.mark.parametrize("before", [0, LOOKS_EVERY_BLOCKS])
def test_a_recording_leaves_room_on_its_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    one = SealedSpool(SoundStore(str(tmp_path / "a.call"), KEY))
    if before:
        one.open()
        one.write([QUIET_BLOCK] * before)
    monkeypatch.setattr(sealed_spool, "FREE_BYTES_MIN", 2**80)
    with pytest.raises(OSError, match="No space left"):
        one.write([QUIET_BLOCK]) if before else one.open()
    room = SoundRoom()
    room._router.add(SoundLeg("a", 7 << 60, SoundTerms()))  # noqa: SLF001 - without sockets and clock
    room.record("a", SoundStore(str(tmp_path / "b.call"), KEY))
    leg = room.leg("a")
    assert leg is not None
    assert leg.tape is None
    assert not (tmp_path / "b.call").exists()
