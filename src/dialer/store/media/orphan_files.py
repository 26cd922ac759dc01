"""Orphans: media files that nobody needs, such as recordings of deleted campaigns and old lists."""

import re
from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, select

from dialer.domain.formats.media_files import MediaFiles
from dialer.store.media.kept_lists import old_lists
from dialer.store.media.waiting_sounds import old_sounds
from dialer.store.tables import AudioFile, SealedSurvey, SurveyResult

GRACE_S: Final = 3_600
"""Minimum age of an orphan, as a file is saved before the record that refers to it is committed."""

_SECOND_NS: Final = 1_000_000_000
_OURS: Final = re.compile(r"\.?(?:[0-9a-f]{32}|[0-9a-f-]{36}-[0-9]{1,19})\.wav(?:\.[0-9a-f]{16})?")
"""Names of uploads and of recordings, complete and incomplete."""
_UPLOAD: Final = re.compile(r"[0-9a-f]{32}\.wav")


def orphans(connection: Connection, media: MediaFiles, now_s: float) -> Iterator[str]:
    """Yield the names of uploads and recordings older than `GRACE_S` without a record, and of old lists and sounds.

    `now_s` is the time of the machine's clock in seconds.
    """
    uploads = set(connection.scalars(select(AudioFile.audio_file)))
    recordings = set(connection.scalars(select(SurveyResult.record_file)))
    named = uploads | recordings | _played(connection)
    yield from old_lists(media, now_s)
    yield from old_sounds(media, now_s)
    for name, facts in media.list_files():
        if name not in named and _OURS.fullmatch(name) and facts.changed_ns < (now_s - GRACE_S) * _SECOND_NS:
            yield name


def _played(connection: Connection) -> set[str]:
    """Return the uploads that started campaigns play. The sound of a recording may have been replaced since."""
    documents = connection.scalars(select(SealedSurvey.document))
    return {name for document in documents for name in _UPLOAD.findall(document)}
