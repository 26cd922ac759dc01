"""The ears that write down what recordings say, and the texts that they write."""

import msgspec


class Ears(msgspec.Struct, frozen=True):
    """The server or the program that writes down what a recording says; false if there is none."""

    url: str = ""
    """The start of the URLs of a server (`POST …/audio/transcriptions`), such as `http://127.0.0.1:8000/v1`."""
    model: str = ""
    api_key: str = ""
    command: tuple[str, ...] = ()
    """A program with its arguments, which reads a WAV file and prints a text, in place of a server."""

    def __bool__(self) -> bool:
        """Return whether there is one."""
        return bool(self.url or self.command)


class Transcript(msgspec.Struct, frozen=True):
    """The words of a recording."""

    text: str
    language: str = ""
    """The language that was heard (BCP 47); empty if nobody says."""
