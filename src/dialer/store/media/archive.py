"""Archives of recordings: a ZIP file that is made while it is read, with memory that does not grow with it."""

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from dialer.domain.formats.media_files import MediaFiles
from dialer.store.media.recordings import facts_of, read_piece

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

INDEX_NAME: Final = "index.csv"
_OLDEST_S: Final = int(datetime(1980, 1, 1, tzinfo=UTC).timestamp())
_NEWEST_S: Final = int(datetime(2107, 12, 31, 23, 59, 58, tzinfo=UTC).timestamp())
"""The first and the last moment that a ZIP file can hold."""
_SECOND_MS: Final = 1_000


class ArchivedFile(NamedTuple):
    """A recording to archive: its name among the media files, that in the archive, and its time."""

    name: str
    shown_name: str
    recorded_ms: int


class _Outlet(io.RawIOBase):
    """A file that can be written only, and whose bytes are taken away as they come."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, content: "ReadableBuffer", /) -> int:
        self._written.append(bytes(content))
        return len(self._written[-1])

    def take(self) -> bytes:
        content = b"".join(self._written)
        self._written.clear()
        return content


class RecordingArchive:
    """A ZIP file with recordings, and with an index as its last entry. Equal files give equal bytes.

    A file that is missing is left out. `index` gets, for each file, whether the archive has all of it, and returns the
    content of the index.
    """

    def __init__(
        self, media: MediaFiles, files: Sequence[ArchivedFile], index: Callable[[Sequence[bool]], bytes]
    ) -> None:
        self._media: Final = media
        self._files: Final = files
        self._index: Final = index
        self._outlet: Final = _Outlet()
        self._has_all: Final[list[bool]] = []

    def pieces(self) -> Iterator[bytes]:
        """Yield the ZIP file piece by piece. No file stays open between the pieces."""
        with zipfile.ZipFile(self._outlet, "w", zipfile.ZIP_DEFLATED) as target:
            for file in self._files:
                yield from self._add(target, file)
            last_ms = self._files[-1].recorded_ms if self._files else 0
            target.writestr(_entry(INDEX_NAME, last_ms), self._index(self._has_all))
        yield self._outlet.take()

    def _add(self, target: zipfile.ZipFile, file: ArchivedFile) -> Iterator[bytes]:
        facts = facts_of(self._media, file.name)
        if facts is None:
            self._has_all.append(False)
            return
        entry, offset = _entry(file.shown_name, file.recorded_ms), 0
        entry.file_size = facts.size
        with target.open(entry, "w") as packed:
            while piece := read_piece(self._media, file.name, offset):
                packed.write(piece)
                offset += len(piece)
                if ready := self._outlet.take():
                    yield ready
        self._has_all.append(offset == facts.size)


def _entry(name: str, recorded_ms: int) -> zipfile.ZipInfo:
    moment = datetime.fromtimestamp(min(max(recorded_ms // _SECOND_MS, _OLDEST_S), _NEWEST_S), UTC)
    entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry
