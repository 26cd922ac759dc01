"""Character sets of files: which one a file has, and its bytes in UTF-8 while they arrive."""

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from dialer.app.imports.charset_guess import guess_script
from dialer.app.imports.headers import CsvError
from dialer.app.imports.latin_guess import guess_latin
from dialer.domain.words.sentences import Grouped, Sentence

UTF8: Final = "utf-8"
WINDOWS: Final = "windows-1252"
MAC: Final = "macintosh"
CHARSETS: Final[Mapping[str, str]] = {
    UTF8: UTF8,
    "utf8": UTF8,
    "us-ascii": UTF8,
    "utf-16": "utf-16",
    "utf16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    WINDOWS: "cp1252",
    "cp1252": "cp1252",
    "iso-8859-1": "latin-1",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "iso-8859-15": "iso8859-15",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "windows-1255": "cp1255",
    "windows-1256": "cp1256",
    "windows-1257": "cp1257",
    "shift_jis": "cp932",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "gb18030": "gb18030",
    "big5": "cp950",
    "euc-kr": "cp949",
    "tis-620": "cp874",
    "windows-874": "cp874",
    MAC: "mac-roman",
}
"""The codecs of the character sets that files may have, by the names of these sets in lower case."""
_WESTERN: Final = frozenset({UTF8, WINDOWS, MAC})
_UTF16: Final = "utf-16"
_BIG: Final = codecs.BOM_UTF16_BE
_LITTLE: Final = codecs.BOM_UTF16_LE
_JUDGED_BYTES: Final = 4_096
_ZEROS_ONE_IN: Final = 5
_UNDECIDED_BYTES_MAX: Final = 1024 * 1024
"""Bytes without a line end after which the character set is decided."""
_OF_MAC: Final = re.compile(
    rb"[A-Za-z][\x81-\x84\x86-\x89\x8b\x8d\x8f\x90\x9b\x9d\x9f]|[\x81-\x84\x86-\x89\x8d\x8f\x90\x9b\x9d\x9f][a-z]|[a-z][\x8a\x8e]"
)
"""A letter beside a byte that is a letter in Mac Roman, and a sign or a capital out of place in Windows-1252."""
_OF_WINDOWS: Final = re.compile(rb"[\xc0-\xff][a-z]|[A-Za-z][\xc0-\xff]")
"""A letter beside a byte that is a letter in Windows-1252, and a sign in Mac Roman."""
_OF_POLAND: Final = re.compile(rb"[A-Za-z][\xa3\xa5\xaf\xb3\xb9\xbf][a-z]|[a-z]{3}[\xb3\xb9](?![0-9A-Za-z\x80-\xff])")
"""A letter of Windows-1250 within a word, or at its end, where Windows-1252 has a sign."""
_NOT_UTF8: Final = "\N{REPLACEMENT CHARACTER}"


def as_utf8(chunks: Iterable[bytes], charset: str | None) -> Iterator[bytes]:
    """Yield the text of a file in UTF-8. `charset` is a key of `CHARSETS`; None if the file itself tells it.

    UTF-8 passes unchanged, as the reader of the file reports its wrong lines one by one.

    Raises:
        CsvError: some bytes are not text of the character set; the message names their line.
    """
    if charset is not None:
        return _decoded(iter(chunks), charset)
    return _detected(iter(chunks))


def charset_of(chunks: Iterable[bytes]) -> str:
    """Return the character set of a file, by its bytes up to the first that are not ASCII: a key of `CHARSETS`."""
    arriving = iter(chunks)
    first = next(arriving, b"")
    others = (_eight_bits(chunk) for chunk in chain([first], arriving) if not chunk.isascii())
    return _of_sixteen_bits(first) or next(others, UTF8)


def _detected(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the text of a file whose character set nobody has named. Windows-1252 is told from UTF-8 part by part.

    The first part in another script tells the character set of all later ones that are not UTF-8.
    """
    first = next(chunks, b"")
    charset = _of_sixteen_bits(first)
    if charset is not None:
        yield from _decoded(chain([first], chunks), charset)
        return
    pending, script = b"", None
    for chunk, is_last in chain(((chunk, False) for chunk in chain([first], chunks)), [(b"", True)]):
        data = pending + chunk
        is_whole = is_last or data.isascii() or len(data) > _UNDECIDED_BYTES_MAX
        end = len(data) if is_whole else data.rfind(b"\n") + 1
        pending = data[end:]
        if end:
            charset = UTF8 if data[:end].isascii() else _eight_bits(data[:end], script)
            script = script if charset in _WESTERN else charset
            yield data[:end] if charset == UTF8 else data[:end].decode(CHARSETS[charset], "replace").encode()


def _of_sixteen_bits(beginning: bytes) -> str | None:
    """Return the kind of UTF-16 that a file is in, by its beginning; None if it is in another character set."""
    if beginning.startswith((_BIG, _LITTLE)):
        return _UTF16
    judged = beginning[:_JUDGED_BYTES]
    zeros = [judged[place::2].count(0) for place in (0, 1)]
    # Most letters have a zero in the upper byte, and none in the lower one.
    if max(zeros) * _ZEROS_ONE_IN <= len(judged) or min(zeros) * _ZEROS_ONE_IN * _ZEROS_ONE_IN > len(judged):
        return None
    return "utf-16be" if zeros[0] > zeros[1] else "utf-16le"


def _eight_bits(chunk: bytes, script: str | None = None) -> str:
    """Return UTF-8 if most characters are valid, or the set of a script or of a Latin alphabet, if letters tell it.

    `script` is the character set of the text before, if it is no western one.
    """
    text = codecs.getincrementaldecoder(UTF8)("replace").decode(chunk)
    wrong = text.count(_NOT_UTF8)
    right = sum(not character.isascii() for character in text) - wrong
    if right >= wrong:
        return UTF8
    return script or guess_script(chunk) or _latin(chunk)


def _latin(chunk: bytes) -> str:
    """Return the set of a text in Latin letters: Windows-1252 if nothing else is told; UTF-8 if it is no text."""
    if len(_OF_MAC.findall(chunk)) > len(_OF_WINDOWS.findall(chunk)):
        return MAC
    latin = guess_latin(chunk)
    if latin is not None:
        return latin
    if _OF_POLAND.search(chunk):
        return "windows-1250"
    try:
        chunk.decode("cp1252")
    except UnicodeDecodeError:
        return UTF8
    return WINDOWS


def _decoded(chunks: Iterator[bytes], charset: str) -> Iterator[bytes]:
    codec, line = CHARSETS[charset], 1
    if codec == UTF8:
        yield from chunks
        return
    if codec == _UTF16:
        codec, chunks = _by_mark(chunks)
    decoder = codecs.getincrementaldecoder(codec)()
    for chunk, is_last in chain(((chunk, False) for chunk in chunks), [(b"", True)]):
        try:
            text = decoder.decode(chunk, is_last)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].decode(codec, "ignore").count("\n")
            wrong_bytes = error.object[error.start : error.end].hex(" ")
            raise CsvError(
                Sentence(
                    "Line %(line)s is not %(charset)s: it has the bytes %(wrong_bytes)s. Lines that were read "
                    "before it may be imported. Name the charset of the file, and send it again.",
                    line=Grouped(line),
                    charset=charset,
                    wrong_bytes=wrong_bytes,
                )
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
