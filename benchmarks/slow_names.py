"""The command `dialer` on a machine on which names that end in `SLOW` are looked up for long, and have no address.

`python -m benchmarks.slow_names serve --port 8000`
"""

import socket
import time
from typing import Any, Final

from dialer.cli import main

SLOW: Final = ".slow.test"
LOOKUP_S: Final = 20.0


def with_slow_names(look_up: Any) -> Any:  # noqa: ANN401 - as the library's
    """Return a function in place of `socket.getaddrinfo`."""

    def looked_up(host: Any, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - passed on
        if str(host).endswith(SLOW):
            time.sleep(LOOKUP_S)
            raise socket.gaierror(socket.EAI_AGAIN, "The name was looked up for long.")
        return look_up(host, *arguments, **options)

    return looked_up


if __name__ == "__main__":
    socket.getaddrinfo = with_slow_names(socket.getaddrinfo)
    main()
