"""The account of an API key, behind the API of a service: `dialer apply --url`."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx
import msgspec
import rich_click as click

from dialer.app.imports.report import ImportReport
from dialer.commands.service_access import checked_url, read_key
from dialer.files.applying import RecordChange
from dialer.files.beside import path_of
from dialer.files.exchange import (
    REQUEST_BYTES_MAX,
    ApplyAnswer,
    ApplyRequest,
    PeopleList,
    SentFile,
    SentRecording,
)
from dialer.files.kinds import RECORDINGS, Wanted
from dialer.files.nodes import FileError, Node
from dialer.files.people_files import PeopleFile, PeopleReport, PeopleTarget, pieces_of, refuse_new_people
from dialer.files.reading import read_content
from dialer.files.sent_changes import changes_of
from dialer.files.sounds import RecordingFiles
from dialer.files.units import OtherChangeError

TIMEOUT_S: Final = 120.0
"""The time without a byte of the service after which it counts as lost."""
_MESSAGE_MAX: Final = 1_000
"""Characters of an unexpected answer that an error shows."""
_Answer = TypeVar("_Answer")
_CSV: Final = "text/csv"
_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class ServiceError(click.ClickException):
    """The service does not answer, or refuses."""


class KeyLacksError(ServiceError):
    """Raised when the API key lacks a scope for the request."""


def open_client(url: str, key_file: Path | None, transport: httpx.BaseTransport | None = None) -> httpx.Client:
    """Return a client of the API at an address, with the key of a file or of the environment."""
    key = read_key(key_file)
    return httpx.Client(
        base_url=f"{checked_url('--url', url)}/rest-api/",
        headers={"Authorization": f"Bearer {key}", "Accept": "application/json"},
        timeout=TIMEOUT_S,
        transport=transport,
    )


class RemoteAccount:
    """An account behind the API. Files are sent as they are, and the service reads them."""

    def __init__(self, client: httpx.Client, files: Sequence[Path]) -> None:
        self._client: Final = client
        self._files: Final = tuple(SentFile(str(path), read_content(path).decode("utf-8-sig")) for path in files)
        self._sounds: Final = RecordingFiles()
        self._planned: ApplyAnswer | None = None
        self._lists: Sequence[PeopleList] = ()
        self._sent: Final[list[str]] = []

    @classmethod
    @contextlib.contextmanager
    def open(
        cls, url: str, key_file: Path | None, files: Sequence[Path], transport: httpx.BaseTransport | None = None
    ) -> Iterator["RemoteAccount"]:
        """Open the account of a key."""
        with open_client(url, key_file, transport) as client:
            yield cls(client, files)

    @property
    def username(self) -> str:
        """Return the name of the user of the key, once a plan is made."""
        return "" if self._planned is None else self._planned.username

    def plan(self, wanted: Sequence[Wanted]) -> list[RecordChange]:
        """Return the changes that `apply` would make, without making them.

        Raises:
            FileError: a record cannot be written.
            ServiceError: the service refuses, or does not answer.
        """
        try:
            self._planned = self._apply(self._request(wanted, is_dry=True))
        except KeyLacksError as error:
            raise FileError.at(wanted[0].place, str(error)) if wanted else ServiceError(str(error)) from None
        self._lists = self._planned.people
        return changes_of(self._planned.records)

    def apply(self, wanted: Sequence[Wanted], shown: Sequence[RecordChange] | None = None) -> list[RecordChange]:
        """Send the recordings that the account lacks, then write the records in one transaction.

        Raises:
            FileError: a record cannot be written; nothing was.
            OtherChangeError: the changes would be other ones than those of the plan; nothing was written.
            ServiceError: the service refuses, or does not answer. The message says what is done.
        """
        planned = self._planned
        if planned is None or (shown is not None and changes_of(planned.records) != list(shown)):
            raise OtherChangeError("there is no plan of these changes: run the command again")
        try:
            self._send(wanted, frozenset(planned.missing))
            answer = self._apply(msgspec.structs.replace(self._request(wanted, is_dry=False), plan=planned.plan))
        except ServiceError as error:
            sent = f"{len(self._sent)} of {len(planned.missing)} recordings are sent" if planned.missing else ""
            done = f"No record is changed{f', {sent}' if sent else ''}, unless the answer was lost"
            raise ServiceError(
                f"{error.format_message()}\n{done}. Run the command again: what is done is not done twice."
            ) from None
        self._lists = answer.people
        return changes_of(answer.records)

    def try_people(self, one: PeopleFile) -> PeopleReport:
        """Return the report that an import of a file of people would give. Its list need not exist yet.

        Raises:
            FileError: the file is wrong, or has new people for a running campaign.
        """
        report = self._import(one, {"dry_run": "true"})
        refuse_new_people(one, self._target(one), report)
        return report

    def import_people(self, one: PeopleFile) -> PeopleReport:
        """Import a file of people into its list; raises FileError if it is wrong."""
        return self._import(one, {})

    def _target(self, one: PeopleFile) -> PeopleTarget:
        (found,) = (other for other in self._lists if (other.kind, other.name) == (one.kind.one, one.name))
        return PeopleTarget(found.id, found.running)

    def _import(self, one: PeopleFile, parameters: Mapping[str, str]) -> PeopleReport:
        kind = _XLSX if one.path.lower().endswith(".xlsx") else _CSV
        path = f"{one.kind.path}/{self._target(one).record_id}/import/"
        with one.open() as file:
            answer = self._ask(
                path, params={**one.options, **parameters}, headers={"Content-Type": kind}, content=pieces_of(file)
            )
        if answer.status_code == HTTPStatus.BAD_REQUEST:
            raise FileError([f"{one.path}: {text}" for text in _messages(answer)])
        return PeopleReport(one.kind.one, one.name, one.path, read_answer(answer, ImportReport))

    def _request(self, wanted: Sequence[Wanted], *, is_dry: bool) -> ApplyRequest:
        found = {path_of(node): self._sounds.facts(node) for node in _sounds_of(wanted)}
        recordings = [SentRecording(path, facts.digest, facts.size) for path, facts in found.items()]
        return ApplyRequest(list(self._files), recordings, dry_run=is_dry)

    def _apply(self, request: ApplyRequest) -> ApplyAnswer:
        body = msgspec.json.encode(request)
        if len(body) > REQUEST_BYTES_MAX:
            most = REQUEST_BYTES_MAX // 1024**2
            raise FileError([f"the files are larger than {most} MiB together: apply them one after the other"])
        answer = self._ask("apply/", headers={"Content-Type": "application/json"}, content=body)
        if answer.status_code == HTTPStatus.BAD_REQUEST:
            raise FileError(_messages(answer))
        if answer.status_code == HTTPStatus.CONFLICT:
            raise OtherChangeError("somebody has changed the records meanwhile: run the command again")
        return read_answer(answer, ApplyAnswer)

    def _send(self, wanted: Sequence[Wanted], missing: frozenset[str]) -> None:
        """Send the recordings that are missing, each content once."""
        digests: set[str] = set()
        for node in _sounds_of(wanted):
            path, digest = path_of(node), self._sounds.facts(node).digest
            if path in missing and digest not in digests:
                content = self._sounds.content(node)
                answer = self._ask("apply/recordings/", files={"audio_file": ("sound.wav", content, "audio/wav")})
                if answer.status_code == HTTPStatus.BAD_REQUEST:
                    raise FileError([f"{node.place}: {path}: {text}" for text in _messages(answer)])
                check_answer(answer)
                digests.add(digest)
            if path in missing:
                self._sent.append(path)

    def _ask(self, path: str, **parts: Any) -> httpx.Response:  # noqa: ANN401 - as httpx has it
        try:
            return self._client.post(path, **parts)
        except httpx.HTTPError as error:
            raise ServiceError(f"{self._client.base_url.host} does not answer: {why_lost(error)}") from None


def _sounds_of(wanted: Sequence[Wanted]) -> list[Node]:
    return [one.file for one in wanted if one.file is not None and one.kind.key == RECORDINGS]


def why_lost(error: httpx.HTTPError) -> str:
    """Return the reason of a failed request as text: the error's message, or else its type."""
    return str(error) or type(error).__name__


def check_answer(answer: httpx.Response) -> None:
    """Raise an error for an answer that is no success."""
    if answer.is_success:
        return
    text = " ".join(_messages(answer))[:_MESSAGE_MAX]
    if answer.status_code == HTTPStatus.FORBIDDEN:
        raise KeyLacksError(text)
    if answer.status_code == HTTPStatus.UNAUTHORIZED:
        raise ServiceError(f"the service does not accept the API key: {text}")
    if answer.status_code == HTTPStatus.NOT_FOUND:
        raise ServiceError(f"{answer.url} is not there: the address is another one, or the service an older release")
    raise ServiceError(f"the service refuses ({answer.status_code}): {text}")


def read_answer(answer: httpx.Response, kind: type[_Answer]) -> _Answer:
    """Return the content of an answer; raises ServiceError if it is no success, or of another form."""
    check_answer(answer)
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.DecodeError:
        raise ServiceError(f"{answer.url} answers with something else than a service of this release") from None


def _messages(answer: httpx.Response) -> list[str]:
    """Return the messages of an error, of whatever form."""
    try:
        found = msgspec.json.decode(answer.content)
    except msgspec.DecodeError:
        return [answer.text[:_MESSAGE_MAX]]
    if not isinstance(found, dict):
        return [answer.text[:_MESSAGE_MAX]]
    messages: list[str] = []
    for name, texts in found.items():
        listed = texts if isinstance(texts, list) else [texts]
        plain = name in {"detail", "files", "audio_file"}
        messages += [str(text) if plain else f"{name}: {text}" for text in listed if name != "code"]
    return messages
