"""Archives of recordings: a ZIP file that is made while it is read, with memory that does not grow with it."""

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
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


class ArchivedSound(NamedTuple):
    """The size of a recording, and the function that returns some of its bytes from a place: none at its end."""

    size: int
    read: Callable[[int], bytes | None]


class ArchivedFile(NamedTuple):
    """A recording to archive: its name in the archive, its time, and the function that looks for it."""

    shown_name: str
    recorded_ms: int
    find: Callable[[], ArchivedSound | None]
    """It is called when its turn comes, and returns None if there is no such recording any more."""


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

    def __init__(self, files: Sequence[ArchivedFile], index: Callable[[Sequence[bool]], bytes]) -> None:
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
        sound = file.find()
        if sound is None:
            self._has_all.append(False)
            return
        entry, offset = _entry(file.shown_name, file.recorded_ms), 0
        entry.file_size = sound.size
        with target.open(entry, "w") as packed:
            while piece := sound.read(offset):
                packed.write(piece)
                offset += len(piece)
                if ready := self._outlet.take():
                    yield ready
        self._has_all.append(offset == sound.size)


def media_sound(media: MediaFiles, name: str) -> ArchivedSound | None:
    """Return a recording among the media files; None if there is none of this name."""
    facts = facts_of(media, name)
    return None if facts is None else ArchivedSound(facts.size, partial(read_piece, media, name))


def unique_names(paths: Sequence[str]) -> list[str]:
    """Return names of files of which no two are equal: one that comes again gets `-2`, `-3` before its suffix.

    Names that differ only in case count as equal, as many file systems take them for one.
    """
    taken = {path.casefold() for path in paths}
    given: set[str] = set()
    names: list[str] = []
    for path in paths:
        stem, dot, suffix = path.rpartition(".")
        name, number = path, 1
        while name.casefold() in given or (number > 1 and name.casefold() in taken):
            number += 1
            name = f"{stem}-{number}{dot}{suffix}"
        given.add(name.casefold())
        names.append(name)
    return names


def _entry(name: str, recorded_ms: int) -> zipfile.ZipInfo:
    moment = datetime.fromtimestamp(min(max(recorded_ms // _SECOND_MS, _OLDEST_S), _NEWEST_S), UTC)
    entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry
