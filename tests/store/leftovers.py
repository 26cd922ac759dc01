"""What is left of a number in the files of a folder, byte by byte."""

from pathlib import Path

from dialer.domain.numbers.spellings import Spellings


def holding(folder: Path, number: str) -> list[str]:
    """The files in which the number stands, in any spelling, whatever they are."""
    spellings = Spellings(number)
    texts = {path: path.read_bytes().decode("latin-1") for path in sorted(folder.rglob("*")) if path.is_file()}
    return [path.name for path, text in texts.items() if spellings.without(text) != text]
