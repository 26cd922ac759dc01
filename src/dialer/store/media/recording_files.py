"""The files of recordings wherever they are: in the folder in which calls are recorded, or in the bucket behind it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dialer.domain.formats.buckets import BucketAccess
from dialer.domain.formats.media_files import FileFacts, MediaFiles
from dialer.store.media.folder import FolderMedia


class FilesOfBoth:
    """Files that are saved in a folder, and moved to a bucket later. Names are those of one file only."""

    def __init__(self, folder: MediaFiles, bucket: MediaFiles) -> None:
        self._folder: Final = folder
        self._bucket: Final = bucket

    def save(self, name: str, content: bytes, *, zeros: int = 0, is_lasting: bool = True) -> None:
        """Save a file in the folder."""
        self._folder.save(name, content, zeros=zeros, is_lasting=is_lasting)

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """Return a part of a file; None if it is in neither place.

        Raises:
            OSError: one of them does not say.
        """
        found = self._folder.read(name, start, size)
        return self._bucket.read(name, start, size) if found is None else found

    def facts(self, name: str) -> FileFacts | None:
        """Return the facts of a file; None if it is in neither place.

        Raises:
            OSError: one of them does not say.
        """
        return self._folder.facts(name) or self._bucket.facts(name)

    def list_files(self, folder: str = "") -> Iterator[tuple[str, FileFacts]]:
        """Yield the files of both places, one after the other."""
        yield from self._folder.list_files(folder)
        yield from self._bucket.list_files(folder)

    def delete(self, name: str) -> None:
        """Delete a file wherever it is."""
        self._folder.delete(name)
        self._bucket.delete(name)


def recording_files(folder: Path, access: BucketAccess | None) -> MediaFiles:
    """Return the files of recordings, which are in a folder, and with an `access` in a bucket as well."""
    spool = FolderMedia(folder)
    if access is None:
        return spool
    # Most services have no bucket.
    from dialer.store.media.bucket import BucketMedia  # noqa: PLC0415

    return FilesOfBoth(spool, BucketMedia(access))
