"""Recordings of whole calls: which calls are recorded, and where the sound of one goes."""

import zlib
from typing import Final

import msgspec

NO_CALL: Final = "no"
ALL_CALLS: Final = "all"
SHARE: Final = "share:"
SHARE_MIN: Final = 2
SHARE_MAX: Final = 1_000
DAY_MS: Final = 86_400_000


class RecordingPlan(msgspec.Struct, frozen=True):
    """The settings by which a campaign records calls."""

    share: int = 0
    """Each `share`-th call is recorded; 1: all, 0: none."""
    days: int = 0
    """Days for which a recording is kept, from the end of its call; 0: for ever."""

    def chooses(self, callid: str) -> bool:
        """Return whether a call is recorded, by its own name: the same calls of the same seed are."""
        return self.share > 0 and zlib.crc32(callid.encode()) % self.share == 0

    def kept_until_ms(self, ended_ms: int) -> int | None:
        """Return the moment until which the recording of a call is kept that ended at a moment; None: for ever."""
        return ended_ms + self.days * DAY_MS if self.days else None


NOT_RECORDED: Final = RecordingPlan()


class SoundStore(msgspec.Struct, frozen=True):
    """The place of the recording of one call."""

    file: str
    """The name of the file in the folder of recordings, and its whole path where it is written."""
    key: str
    """The key of its sound in hexadecimal digits, which is sealed wherever it is stored."""
    age_ms: int = 0
    """Time since the answer, with which the sound begins that is written from now on."""

    def __repr__(self) -> str:
        """Leave out the key, so that no log line shows it."""
        return f"{type(self).__name__}(file={self.file!r}, age_ms={self.age_ms})"


def share_of(record: str) -> int:
    """Return the `share` of a campaign's `record`.

    Raises:
        ValueError: it is no such text.
    """
    if record in {NO_CALL, ALL_CALLS}:
        return int(record == ALL_CALLS)
    digits = record.removeprefix(SHARE)
    if record.startswith(SHARE) and digits.isascii() and digits.isdecimal() and digits[0] != "0":
        share = int(digits) if len(digits) <= len(str(SHARE_MAX)) else 0
        if SHARE_MIN <= share <= SHARE_MAX:
            return share
    raise ValueError(record)
