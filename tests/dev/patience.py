"""The words of `dialer dev` on a machine that does much else."""

import re
from typing import Final

_WAITING: Final = re.compile(r"^Waiting for the server to start, since \d+ seconds\..*\n", re.MULTILINE)


def without_waiting(said: str) -> str:
    """Return what was said, without the lines about a server that takes its time to start."""
    return _WAITING.sub("", said)
