"""The sounds of recordings in files: where they come from, and how they get into the media folder."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from dialer.files.beside import digest_of, open_beside, path_of
from dialer.files.nodes import FileError, Node
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
    """The sounds that the recordings of files name."""

    def facts(self, node: Node) -> SoundFacts:
        """Return what is known of the sound that a value names; raises FileError if it is none."""

    def keep(self, node: Node) -> KeptSound:
        """Return the sound in the media folder, or a stand-in for a transaction that is rolled back."""

    def stored_digest(self, file_name: str) -> str:
        """Return the digest of a file in the media folder; empty if it is gone."""


class _StoredSounds:
    """The sounds in the media folder."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._media: Final = Media(folder)

    def stored_digest(self, file_name: str) -> str:
        """Return the digest of a file in the media folder; empty if it is gone."""
        try:
            return digest_of((self._folder / file_name).read_bytes())
        except OSError:
            return ""


class _ReadSound(NamedTuple):
    facts: SoundFacts
    sound: AudioRecording


class RecordingFiles:
    """Sounds in files of this machine. Each is read once to be compared, and again to be sent or saved."""

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

    A plan notes which of them are needed. They are saved before the transaction that refers to them.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._files: Final = RecordingFiles()
        self._needed: Final[dict[str, Node]] = {}
        self._saved: Final[dict[str, str]] = {}
        self._taken: Final[set[str]] = set()

    def facts(self, node: Node) -> SoundFacts:
        """Return the digest and the size of the file; raises FileError if it is no recording."""
        return self._files.facts(node)

    def keep(self, node: Node) -> KeptSound:
        """Return the saved file, or a stand-in if it is not saved yet. It is needed from now on."""
        path = path_of(node)
        self._needed[path] = node
        if path in self._saved:
            self._taken.add(path)
        return KeptSound(self._saved.get(path, _PLANNED), self._files.sound(node))

    @contextlib.contextmanager
    def saved(self) -> Iterator[None]:
        """Save the sounds that are needed. Those to which nothing refers at the end are deleted."""
        try:
            for path, node in self._needed.items():
                self._saved[path] = self._media.save(self._files.content(node))
            yield
        except BaseException:
            self._taken.clear()
            raise
        finally:
            for path, file_name in self._saved.items():
                if path not in self._taken:
                    self._media.delete(file_name)
            self._saved.clear()
            self._taken.clear()


class SentSounds(_StoredSounds):
    """Sounds that a client has described, and that it sends before they are needed."""

    def __init__(self, folder: Path, user_id: int, described: Mapping[str, SoundFacts], *, is_dry: bool) -> None:
        super().__init__(folder)
        self._waiting: Final = WaitingSounds(folder, user_id)
        self._described: Final = described
        self._is_dry: Final = is_dry
        self.missing: Final[list[str]] = []
        """The paths of sounds that are needed and were not sent yet."""
        self._kept: Final[list[str]] = []

    def facts(self, node: Node) -> SoundFacts:
        """Return the digest and the size as the client gives them."""
        try:
            return self._described[path_of(node)]
        except KeyError:
            raise FileError.at(node.place, f"{path_of(node)} is not among the recordings of the request") from None

    def keep(self, node: Node) -> KeptSound:
        """Return a copy of the sound that waits; if it is missing or this is a dry run, a stand-in."""
        content = self._waiting.read(self.facts(node).digest)
        if content is None:
            self.missing.append(path_of(node))
            return KeptSound(_PLANNED, _UNHEARD_OF)
        if len(content) != self.facts(node).size:
            raise FileError.at(node.place, f"{path_of(node)} has {len(content)} bytes, not {self.facts(node).size}")
        sound = _judged(node, content)
        if self._is_dry:
            return KeptSound(_PLANNED, sound)
        self._kept.append(self._media.save(content))
        return KeptSound(self._kept[-1], sound)

    def drop(self) -> None:
        """Delete what was kept for a transaction that was rolled back."""
        for file_name in self._kept:
            self._media.delete(file_name)


def _read(node: Node) -> bytes:
    with open_beside(node, AUDIO_BYTES_MAX) as file:
        content = file.read(AUDIO_BYTES_MAX + 1)
    if len(content) > AUDIO_BYTES_MAX:
        raise FileError.at(node.place, f"{path_of(node)} is larger than {AUDIO_BYTES_MAX // 1024**2} MiB")
    return content


def _judged(node: Node, content: bytes) -> AudioRecording:
    try:
        return judge(content)
    except AudioError as error:
        raise FileError.at(node.place, f"{path_of(node)}: {error}") from None
