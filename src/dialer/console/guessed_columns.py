"""The columns of a CSV file that hold numbers and names, guessed from the names that people give them."""

import csv
from collections.abc import AsyncIterator
from typing import Final

HEADER_BYTES_MAX: Final = 65_536
"""Bytes among which the end of the first line is looked for."""
NUMBER: Final = "contact"
NAME: Final = "full_name"
_NUMBERS: Final = (
    *("phone", "phone number", "phonenumber", "mobile", "mobile phone", "mobile number", "cell", "cell phone"),
    *("telephone", "telephone number", "tel", "number", "msisdn", "telefon", "handy", "telephone 1", "phone 1"),
)
_NAMES: Final = ("name", "full name", "fullname", "contact name", "customer", "customer name", "display name")


def guess_columns(beginning: bytes) -> dict[str, str]:
    """Return our names for the columns of a file, by their names in lower case, from its beginning.

    It is empty if the file has our names already, or none that can be guessed.
    """
    line = beginning.decode("utf-8-sig", "replace").splitlines()[:1]
    delimiter = max(",;\t", key=line[0].count) if line else ","
    try:
        header_names = [name.strip().lower() for name in next(csv.reader(line, delimiter=delimiter), [])]
    except csv.Error:
        return {}
    renamed = {}
    for ours, usual in ((NUMBER, _NUMBERS), (NAME, _NAMES)):
        guessed = next((name for usual_name in usual for name in header_names if _plain(name) == usual_name), None)
        if ours not in header_names and guessed is not None:
            renamed[guessed] = ours
    return renamed


async def first_line(body: AsyncIterator[bytes]) -> bytes:
    """Return the beginning of a file up to the end of its first line, or a little more, as it arrives."""
    beginning = b""
    async for piece in body:
        beginning += piece
        if b"\n" in piece or b"\r" in piece or len(beginning) >= HEADER_BYTES_MAX:
            break
    return beginning


async def chained(beginning: bytes, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the beginning of a file, and then the rest."""
    yield beginning
    async for piece in body:
        yield piece


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").replace(".", " ").split())
