"""Character sets of files: bytes in another one become UTF-8 while they arrive."""

import codecs
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from dialer.app.imports.csv_records import CsvError

UTF8: Final = "utf-8"
CHARSETS: Final[Mapping[str, str]] = {
    UTF8: UTF8,
    "utf8": UTF8,
    "us-ascii": UTF8,
    "utf-16": "utf-16",
    "utf16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "windows-1252": "cp1252",
    "cp1252": "cp1252",
}
"""The codecs of the character sets that files may have, by the names of these sets in lower case."""
_UTF16: Final = "utf-16"
_BIG: Final = codecs.BOM_UTF16_BE
_LITTLE: Final = codecs.BOM_UTF16_LE


def as_utf8(chunks: Iterable[bytes], charset: str) -> Iterator[bytes]:
    """Yield the text of a file in UTF-8. `charset` is a key of `CHARSETS`.

    UTF-8 passes unchanged, as the reader of the file reports its wrong lines one by one.

    Raises:
        CsvError: some bytes are not text of the character set; the message names their line.
    """
    codec = CHARSETS[charset]
    if codec == UTF8:
        yield from chunks
        return
    if codec == _UTF16:
        codec, chunks = _by_mark(iter(chunks))
    decoder, line = codecs.getincrementaldecoder(codec)(), 1
    for chunk, is_last in chain(((chunk, False) for chunk in chunks), [(b"", True)]):
        try:
            text = decoder.decode(chunk, is_last)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].decode(codec, "ignore").count("\n")
            wrong_bytes = error.object[error.start : error.end].hex(" ")
            raise CsvError(
                f"Line {line:,} is not {charset}: it has the bytes {wrong_bytes}. Lines that were read before it may be"
                " imported. Name the charset of the file, and send it again."
            ) from None
        line += text.count("\n")
        if text:
            yield text.encode()


def _by_mark(chunks: Iterator[bytes]) -> tuple[str, Iterator[bytes]]:
    """Return the codec that the byte order mark of UTF-16 tells, and the chunks. Without a mark it is little-endian."""
    begin = b""
    while len(begin) < len(_BIG) and (chunk := next(chunks, None)) is not None:
        begin += chunk
    codec = "utf-16-be" if begin.startswith(_BIG) else "utf-16-le"
    marked = begin.startswith((_BIG, _LITTLE))
    return codec, chain([begin[len(_BIG) :] if marked else begin], chunks)
