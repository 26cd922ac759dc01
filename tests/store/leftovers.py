"""A search for a number in the bytes of all files of a folder."""

from pathlib import Path

from dialer.domain.numbers.spellings import Spellings


def holding(folder: Path, number: str) -> list[str]:
    """Return the files that contain the number, in any spelling."""
    spellings = Spellings(number)
    texts = {path: path.read_bytes().decode("latin-1") for path in sorted(folder.rglob("*")) if path.is_file()}
    return [path.name for path, text in texts.items() if spellings.without(text) != text]
