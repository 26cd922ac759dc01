"""Answers with long tables: CSV that is sent as it is read, and spreadsheets that are sent when they are complete."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final

import anyio.to_thread
from litestar import Response
from litestar.response import Stream

from dialer.api.answers.downloads import content_disposition, no_content
from dialer.api.answers.spreadsheets import CellValue, Spreadsheet, answer_spreadsheet
from dialer.api.service import ApiRequest
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.headers import is_head

CSV: Final = "csv"
XLSX: Final = "xlsx"
FORMAT: Final = "format"


def format_of(request: ApiRequest) -> str:
    """Return the format in which a request wants a table.

    Raises:
        InvalidError: there is no such format.
    """
    wanted = request.query_params.get(FORMAT, CSV)
    if wanted not in {CSV, XLSX}:
        raise InvalidError({FORMAT: [f"{wanted!r} is not a format. Use csv or xlsx."]})
    return wanted


async def answer_csv(request: ApiRequest, name: str, head: bytes, lines: AsyncIterator[bytes]) -> Response[Any]:
    """Answer with CSV: its first line, and the others as they come."""
    headers = {"Content-Disposition": content_disposition(f"{name}.csv"), "Cache-Control": "no-store"}
    # The first part is read before the answer begins, so that a failure still has a status of its own.
    first = await anext(lines, b"")

    async def parts() -> AsyncIterator[bytes]:
        yield head + first
        async for part in lines:
            yield part

    return Stream(no_content() if is_head(request.scope) else parts(), media_type="text/csv", headers=headers)


async def answer_xlsx(
    request: ApiRequest, name: str, heads: Sequence[str], chunks: AsyncIterator[Iterable[Sequence[CellValue]]]
) -> Response[Any]:
    """Answer with a spreadsheet, whose rows come a chunk at a time."""
    spreadsheet = Spreadsheet(name, heads)
    try:
        async for rows in chunks:
            await anyio.to_thread.run_sync(spreadsheet.add, rows)
    except BaseException:
        spreadsheet.drop()
        raise
    return await answer_spreadsheet(request, spreadsheet, name)
