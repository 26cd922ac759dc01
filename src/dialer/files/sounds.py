"""The sounds of recordings in files: where they come from, and how they get into the media folder."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol

from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.formats.wave_files import with_true_lengths
from dialer.files.beside import digest_of, open_beside, path_of
from dialer.files.nodes import FileError, FilePlace, Node
from dialer.store.media.audio import AudioError, AudioRecording, judge
from dialer.store.media.files import AUDIO_BYTES_MAX, Media
from dialer.store.media.waiting_sounds import WaitingSounds

_PLANNED: Final = "planned"
"""Stands for the name of a file that is not kept yet, in rows that are rolled back."""
_UNHEARD_OF: Final = AudioRecording("", 1, 0, 0)


class SoundFacts(NamedTuple):
    """The digest and the size of a sound, by which it is compared with stored ones."""

    digest: str
    size: int


class KeptSound(NamedTuple):
    """A sound in the media folder: its file, and what it is."""

    file_name: str
    sound: AudioRecording


class Sounds(Protocol):
    """The sounds of the recordings that files name."""

    def facts(self, node: Node) -> SoundFacts:
        """Return the digest and the size of the sound that a value names; raises FileError without one."""

    def keep(self, node: Node) -> KeptSound:
        """Return the sound in the media folder, or a stand-in for a transaction that is rolled back."""

    def stored_digest(self, file_name: str) -> str:
        """Return the digest of a file in the media folder; empty if it is gone."""


class _StoredSounds:
    """The sounds in the media folder."""

    def __init__(self, files: MediaFiles) -> None:
        self._stored: Final = files
        self._media: Final = Media(files)
        self._digests: Final[dict[str, str]] = {}

    def stored_digest(self, file_name: str) -> str:
        """Return the digest of a file in the media folder; empty if it is gone. A file never changes."""
        if file_name not in self._digests:
            content = self._stored.read(file_name)
            if content is None:
                return ""
            self._digests[file_name] = digest_of(content)
        return self._digests[file_name]


class _ReadSound(NamedTuple):
    facts: SoundFacts
    sound: AudioRecording


class RecordingFiles:
    """Sounds in local files, each read once to be compared, and again to be sent or saved."""

    def __init__(self) -> None:
        self._read: Final[dict[str, _ReadSound]] = {}

    def facts(self, node: Node) -> SoundFacts:
        """Return the digest and the size of the file; raises FileError if it is no recording."""
        return self._look(node).facts

    def sound(self, node: Node) -> AudioRecording:
        """Return the format and the duration of the file; raises FileError if it is no recording."""
        return self._look(node).sound

    def content(self, node: Node) -> bytes:
        """Return the content of the file; raises FileError if it has changed since it was compared."""
        content = _read(node)
        if digest_of(content) != self._look(node).facts.digest:
            raise FileError.at(node.place, f"{path_of(node)} has changed meanwhile: run the command again")
        return content

    def _look(self, node: Node) -> _ReadSound:
        path = path_of(node)
        if path not in self._read:
            content = _read(node)
            self._read[path] = _ReadSound(SoundFacts(digest_of(content), len(content)), _judged(node, content))
        return self._read[path]


class LocalSounds(_StoredSounds):
    """Sounds in files of this machine, for a service whose media folder is here.

    A plan notes which of them are needed. They are saved before the transaction that refers to them. Each recording has
    a file of its own in the media folder, because the file is deleted with the recording.
    """

    def __init__(self, files: MediaFiles) -> None:
        super().__init__(files)
        self._files: Final = RecordingFiles()
        self._needed: Final[dict[FilePlace, Node]] = {}
        self._saved: Final[dict[FilePlace, str]] = {}
        self._taken: Final[set[FilePlace]] = set()

    def facts(self, node: Node) -> SoundFacts:
        """Return the digest and the size of the file; raises FileError if it is no recording."""
        return self._files.facts(node)

    def keep(self, node: Node) -> KeptSound:
        """Return the saved file of a sound, or a stand-in until `saved` saves it."""
        self._needed[node.place] = node
        if node.place in self._saved:
            self._taken.add(node.place)
        return KeptSound(self._saved.get(node.place, _PLANNED), self._files.sound(node))

    @contextlib.contextmanager
    def saved(self) -> Iterator[None]:
        """Save the needed sounds, and delete those without a record at the end."""
        try:
            for place, node in self._needed.items():
                self._saved[place] = self._media.save(self._files.content(node))
            yield
        except BaseException:
            self._taken.clear()
            raise
        finally:
            for place, file_name in self._saved.items():
                if place not in self._taken:
                    self._media.delete(file_name)
            self._saved.clear()
            self._taken.clear()


class SentSounds(_StoredSounds):
    """Sounds that a client has described, and that it sends before they are needed."""

    def __init__(self, files: MediaFiles, user_id: int, described: Mapping[str, SoundFacts], *, is_dry: bool) -> None:
        super().__init__(files)
        self._waiting: Final = WaitingSounds(files, user_id)
        self._described: Final = described
        self._is_dry: Final = is_dry
        self.missing: Final[list[str]] = []
        """The paths of sounds that are needed and were not sent yet."""
        self._kept: Final[list[str]] = []
        self._prepared: Final[dict[FilePlace, KeptSound]] = {}

    def facts(self, node: Node) -> SoundFacts:
        """Return the digest and the size as the client gives them."""
        try:
            return self._described[path_of(node)]
        except KeyError:
            raise FileError.at(node.place, f"{path_of(node)} is not among the recordings of the request") from None

    def prepare(self, nodes: Iterable[Node]) -> None:
        """Copy the sounds that wait into the media folder, before the transaction in which they are needed."""
        for node in nodes:
            if (found := self._take(node)) is not None:
                self._prepared[node.place] = found

    def keep(self, node: Node) -> KeptSound:
        """Return a copy of the sound that waits; if it is missing or this is a dry run, a stand-in."""
        found = self._prepared.pop(node.place, None) or self._take(node)
        if found is not None:
            return found
        self.missing.append(path_of(node))
        return KeptSound(_PLANNED, _UNHEARD_OF)

    def drop(self) -> None:
        """Delete the sounds of a transaction that was rolled back."""
        for file_name in self._kept:
            self._media.delete(file_name)

    def drop_unused(self) -> None:
        """Delete prepared sounds that the transaction did not use."""
        for found in self._prepared.values():
            self._media.delete(found.file_name)

    def _take(self, node: Node) -> KeptSound | None:
        content = self._waiting.read(self.facts(node).digest)
        if content is None:
            return None
        if len(content) != self.facts(node).size:
            raise FileError.at(node.place, f"{path_of(node)} has {len(content)} bytes, not {self.facts(node).size}")
        sound = _judged(node, content)
        if self._is_dry:
            return KeptSound(_PLANNED, sound)
        self._kept.append(self._media.save(with_true_lengths(content)))
        return KeptSound(self._kept[-1], sound)


def _read(node: Node) -> bytes:
    """Return a recording as it is stored, with which it is compared."""
    from dialer.store.media.decoding import as_wave  # noqa: PLC0415 - a start need not wait for it

    with open_beside(node, AUDIO_BYTES_MAX) as file:
        content = file.read(AUDIO_BYTES_MAX + 1)
    if len(content) > AUDIO_BYTES_MAX:
        raise FileError.at(node.place, f"{path_of(node)} is larger than {AUDIO_BYTES_MAX // 1024**2} MiB")
    try:
        return as_wave(content)
    except AudioError as error:
        raise _wrong(node, error) from None


def _judged(node: Node, content: bytes) -> AudioRecording:
    try:
        return judge(content)
    except AudioError as error:
        raise _wrong(node, error) from None


def _wrong(node: Node, error: AudioError) -> FileError:
    return FileError.at(node.place, f"{path_of(node)}: {error}")
