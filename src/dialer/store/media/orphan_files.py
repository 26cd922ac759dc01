"""Orphans: files in the media folder that nobody needs, such as recordings of deleted campaigns and old lists."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from dialer.store.media.kept_lists import old_lists
from dialer.store.media.waiting_sounds import old_sounds
from dialer.store.tables import AudioFile, SealedSurvey, SurveyResult

GRACE_S: Final = 3_600
"""Minimum age of an orphan, as a file is saved before the record that refers to it is committed."""

_OURS: Final = re.compile(r"\.?[0-9a-f]{32}\.wav|[0-9a-f-]{36}-[0-9]{1,19}\.wav")
"""Names of uploads, complete and incomplete, and of recordings."""
_UPLOAD: Final = re.compile(r"[0-9a-f]{32}\.wav")


def orphans(connection: Connection, folder: Path, now_s: float) -> Iterator[Path]:
    """Yield uploads and recordings older than `GRACE_S` that nothing refers to, and old lists and sounds that wait.

    `now_s` is the time of the machine's clock in seconds.
    """
    uploads = set(connection.scalars(select(AudioFile.audio_file)))
    recordings = set(connection.scalars(select(SurveyResult.record_file)))
    named = uploads | recordings | _played(connection)
    if not folder.is_dir():
        return
    yield from old_lists(folder, now_s)
    yield from old_sounds(folder, now_s)
    for path in folder.iterdir():
        if path.name not in named and _OURS.fullmatch(path.name) and _is_old_file(path, now_s):
            yield path


def _played(connection: Connection) -> set[str]:
    """Return the uploads that started campaigns play. The sound of a recording may have been replaced since."""
    documents = connection.scalars(select(SealedSurvey.document))
    return {name for document in documents for name in _UPLOAD.findall(document)}


def _is_old_file(path: Path, now_s: float) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_mtime < now_s - GRACE_S
