"""The export of an account over the API of a service: `dialer export account --url`."""

import csv
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import IO, Final

import httpx

from dialer.commands.remote_account import ServiceError, check_answer, open_client, read_answer, why_lost
from dialer.domain.numbers.spellings import ERASED
from dialer.files.exchange import ExportAnswer, FileBeside
from dialer.files.exporting import CONTACT_COLUMNS, NUMBER_COLUMNS

_START: Final = "/rest-api/"
"""The end of the address of a service in the URL of a file. The key is sent to the given service only."""
_PHONE_NUMBER: Final = "phone_number"
_IN_MEMORY: Final = 1024 * 1024
"""Bytes of a list that are kept in memory while it is written."""


class RemoteExport:
    """An account behind the API, for reading."""

    def __init__(self, client: httpx.Client, username: str | None) -> None:
        self._client: Final = client
        self._parameters: Final = {} if username is None else {"username": username}

    @classmethod
    @contextmanager
    def open(
        cls, url: str, key_file: Path | None, username: str | None, transport: httpx.BaseTransport | None = None
    ) -> Iterator["RemoteExport"]:
        """Open the account of a user for an export, or the key's own account without a name."""
        with open_client(url, key_file, transport) as client:
            yield cls(client, username)

    def text(self) -> str:
        """Return the file of the account as YAML, without files beside it.

        Raises:
            ServiceError: the service refuses, or does not answer.
        """
        with self._opened("export/", {**self._parameters, "format": "yaml"}) as answer:
            return answer.read().decode()

    def write_beside(self, output: Path) -> tuple[str, int]:
        """Write the files beside `output`, and return its text as YAML and their number.

        Raises:
            ServiceError: the service refuses, or does not answer.
            OSError: a file cannot be written.
        """
        with self._opened("export/", {**self._parameters, "name": output.stem}) as answer:
            answer.read()
            found = read_answer(answer, ExportAnswer)
        output.parent.mkdir(parents=True, exist_ok=True)
        for one in found.beside:
            self._fetch(one, _inside(output, one.path))
        if not found.files:
            raise ServiceError("the service answers with no file")
        return found.files[0].content, len(found.beside)

    def _fetch(self, one: FileBeside, path: Path) -> None:
        """Write a sound as it is, and a list as the local command writes it."""
        _, _, place = one.url.partition(_START)
        if not httpx.URL(place).is_relative_url:
            raise ServiceError(f"the service names the address {one.url[:80]!r}, which is not its own")
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._opened(place, None) as answer:
            if path.suffix != ".csv":
                with path.open("wb") as file:
                    file.writelines(answer.iter_bytes())
                return
            with tempfile.SpooledTemporaryFile(_IN_MEMORY) as spool:
                spool.writelines(answer.iter_bytes())
                spool.seek(0)
                with io.TextIOWrapper(spool, "utf-8", newline="") as rows:
                    _write_list(rows, path)

    @contextmanager
    def _opened(self, place: str, parameters: dict[str, str] | None) -> Iterator[httpx.Response]:
        try:
            with self._client.stream("GET", place, params=parameters) as answer:
                if not answer.is_success:
                    answer.read()
                if answer.status_code == HTTPStatus.NOT_FOUND and place != "export/":
                    raise ServiceError(f"{answer.url} is not there any more: run the command again")
                check_answer(answer)
                yield answer
        except httpx.HTTPError as error:
            raise ServiceError(f"{self._client.base_url.host} does not answer: {why_lost(error)}") from None


def _inside(output: Path, path: str) -> Path:
    """Return the place of a file beside `output`; raises ServiceError if its path leads elsewhere."""
    parts = PurePosixPath(path).parts
    if len(parts) != 2 or parts[0] != f"{output.stem}-files" or parts[1] in {".", ".."} or "\\" in path:  # noqa: PLR2004 - a folder and a name
        raise ServiceError(f"the service names a file {path[:80]!r}, which is not beside {output}")
    return output.parent / parts[0] / parts[1]


def _write_list(rows: IO[str], path: Path) -> None:
    """Write the people of a list, in the columns of the local command, so that other users cannot read it."""
    reader = csv.DictReader(rows)
    columns = NUMBER_COLUMNS if _PHONE_NUMBER in (reader.fieldnames or ()) else CONTACT_COLUMNS
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(made, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        emptied = {"url": "", **({"dnc": ""} if columns is NUMBER_COLUMNS else {})}
        writer.writerows({**row, **emptied} for row in reader if row.get(_PHONE_NUMBER) != ERASED)
