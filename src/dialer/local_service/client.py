"""An HTTP client of the API, the only way in which the demonstration talks to the server."""

import contextlib
from collections.abc import Iterator
from decimal import Decimal
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx
import msgspec

from dialer.local_service.errors import DemoError
from dialer.local_service.server import DemoAccount

REQUEST_S_MAX: Final = 120
"""Time-out of a request; an advance of the clock takes longest, as it simulates everything due until then."""
PAGE_SIZE: Final = 1_000
PAGES_MAX: Final = 1_000
IGNORED: Final = "X-Ignored-Fields"
"""The header that names fields which the API does not know: our own requests have none by mistake."""
ANSWER_SHOWN: Final = 500
"""Characters of an unexpected response that an error shows."""

Record = dict[str, Any]
Filter = str | int
_Shape = TypeVar("_Shape")


class ResultPage(msgspec.Struct):
    """One page of a list."""

    count: int
    next: str | None
    results: list[Record]


# JSON numbers are decoded as decimals: a balance keeps exactly the digits that the server wrote.
_RECORD: Final = msgspec.json.Decoder(Record, float_hook=Decimal)
_RECORDS: Final = msgspec.json.Decoder(list[Record], float_hook=Decimal)
_PAGE: Final = msgspec.json.Decoder(ResultPage, float_hook=Decimal)


class Client:
    """A client of the API with the credentials of one user. An unexpected response raises `DemoError`."""

    def __init__(
        self, url: str, account: DemoAccount | httpx.Auth, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        # The server is on this machine: ignore the proxies of the environment.
        self._http = httpx.Client(
            base_url=f"{url}/rest-api/",
            auth=account if isinstance(account, httpx.Auth) else (account.username, account.password),
            headers={"Accept": "application/json"},
            timeout=REQUEST_S_MAX,
            trust_env=False,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def create(self, resource: str, **fields: object) -> Record:
        """Create a record, and return it as it was created."""
        return self._object(self._ask("POST", f"{resource}/", httpx.codes.CREATED, json=fields))

    def change(self, resource: str, record_id: int, **fields: object) -> None:
        """Change some fields of a record."""
        self._ask("PATCH", f"{resource}/{record_id}/", httpx.codes.ACCEPTED, json=fields)

    def keep_events(self) -> None:
        """Switch the events of the account on."""
        self._ask("PATCH", "events/", httpx.codes.OK, json={"enabled": True})

    def upload(self, name: str, wav: bytes) -> Record:
        """Upload a recording, and return its record."""
        answer = self._ask(
            "POST",
            "audio-files/",
            httpx.codes.CREATED,
            data={"name": name},
            files={"audio_file": (f"{name}.wav", wav, "audio/wav")},
        )
        return self._object(answer)

    def import_csv(self, resource: str, record_id: int, content: bytes) -> Record:
        """Import a CSV file into a phonebook or a do-not-call list, and return the report on its lines."""
        answer = self._ask(
            "POST",
            f"{resource}/{record_id}/import/",
            httpx.codes.OK,
            content=content,
            headers={"Content-Type": "text/csv"},
        )
        return self._object(answer)

    def advance_to(self, to: str) -> None:
        """Advance the server's clock to a time, and return when all events due until then have happened."""
        self._ask("POST", "clock/advance/", httpx.codes.OK, json={"to": to})

    def read(self, resource: str, record_id: int) -> Record:
        """Return a record of a resource by its id."""
        return self._object(self._ask("GET", f"{resource}/{record_id}/", httpx.codes.OK))

    def count(self, resource: str, **filters: Filter) -> int:
        """Count the records that the filters select."""
        return self._page(f"{resource}/", {**filters, "page_size": 1}).count

    def every_page(self, resource: str, **filters: Filter) -> list[Record]:
        """Return all records that the filters select, read page by page."""
        page = self._page(f"{resource}/", {**filters, "page_size": PAGE_SIZE})
        records = page.results
        for _ in range(PAGES_MAX):
            if page.next is None:
                return records
            page = self._page(page.next)
            records += page.results
        raise DemoError(f"{resource} has more than {PAGES_MAX} pages")

    def array(self, resource: str, **filters: Filter) -> list[Record]:
        """Return all records of a resource whose lists are plain arrays."""
        answer = self._ask("GET", f"{resource}/", httpx.codes.OK, params=filters)
        with _told_of(answer):
            return _RECORDS.decode(answer.content)

    def export(self, resource: str, shape: type[_Shape], **filters: Filter) -> list[_Shape]:
        """Return all records that the filters select, exported as NDJSON."""
        answer = self._ask("GET", f"{resource}/", httpx.codes.OK, params={**filters, "format": "ndjson"})
        decoder = msgspec.json.Decoder(shape, float_hook=Decimal)
        with _told_of(answer):
            return decoder.decode_lines(answer.content)

    def export_csv(self, resource: str, **filters: Filter) -> bytes:
        """Return all records that the filters select, exported as a CSV file."""
        return self._ask("GET", f"{resource}/", httpx.codes.OK, params={**filters, "format": "csv"}).content

    def _page(self, path: str, parameters: dict[str, Filter] | None = None) -> ResultPage:
        # The link to the next page is complete: parameters, even an empty set, would replace its own.
        answer = self._ask("GET", path, httpx.codes.OK, **({"params": parameters} if parameters else {}))
        with _told_of(answer):
            return _PAGE.decode(answer.content)

    def _object(self, answer: httpx.Response) -> Record:
        with _told_of(answer):
            return _RECORD.decode(answer.content)

    def _ask(self, method: str, path: str, expected: int, **content: Any) -> httpx.Response:  # noqa: ANN401 - httpx's
        try:
            answer = self._http.request(method, path, **content)
        except httpx.HTTPError as error:
            raise DemoError(f"{method} {path}: {error}") from error
        if answer.status_code != expected:
            raise DemoError(f"{_told(answer)}, not {expected}: {answer.text[:ANSWER_SHOWN]}")
        if IGNORED in answer.headers:
            raise DemoError(f"{_told(answer)}, but does not know these fields: {answer.headers[IGNORED]}")
        return answer


def _told(answer: httpx.Response) -> str:
    return f"{answer.request.method} {answer.request.url.raw_path.decode()} returned {answer.status_code}"


@contextlib.contextmanager
def _told_of(answer: httpx.Response) -> Iterator[None]:
    try:
        yield
    except msgspec.DecodeError as error:
        raise DemoError(f"{_told(answer)} with an unexpected body: {error}") from error
