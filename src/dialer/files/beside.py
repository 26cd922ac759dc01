"""Files that a file of records names: paths are relative to the folder of that file."""

import hashlib
import stat
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from dialer.files.nodes import FileError, Node

PATH_MAX: Final = 1_000
"""Characters of the path of a file."""


def path_of(node: Node) -> str:
    """Return the path of the file that a value names, as seen from the folder in which the command runs.

    Raises:
        FileError: it is no path that is relative to the folder of its file.
    """
    text = node.text()
    if not text.strip() or "\0" in text or len(text) > PATH_MAX:
        raise FileError.at(node.place, f"expected the path of a file, of {PATH_MAX} characters at most")
    if PurePosixPath(text).is_absolute():
        raise FileError.at(node.place, f"{text!r} is absolute. Give the path from the folder of this file")
    return str(PurePosixPath(node.place.file).parent / text)


def open_beside(node: Node, bytes_max: int) -> BinaryIO:
    """Open the file that a value of a document names.

    Raises:
        FileError: there is none, it is no regular file, it cannot be read, or it is too large.
    """
    path = Path(path_of(node))
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise FileError.at(node.place, f"{path} is no regular file")
        if found.st_size > bytes_max:
            raise FileError.at(node.place, f"{path} is larger than {bytes_max // 1024**2} MiB")
        return path.open("rb")
    except OSError as error:
        raise FileError.at(node.place, f"{path} cannot be read: {error.strerror}") from None


def digest_of(content: bytes) -> str:
    """Return the digest by which contents are compared: SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
