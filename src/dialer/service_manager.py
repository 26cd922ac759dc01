"""systemd: the report of a service of `Type=notify` that it is ready."""

import contextlib
import os
import socket
from typing import Final

_VARIABLE: Final = "NOTIFY_SOCKET"
_READY: Final = b"READY=1"


def report_ready() -> None:
    """Tell systemd that the service answers requests. Do nothing if systemd did not start this process.

    A report that cannot be delivered is not an error of the service: systemd stops it after its own time-out.
    """
    address = os.environ.get(_VARIABLE, "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"  # A name in Linux's abstract namespace begins with a zero byte.
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.connect(address)
        manager.sendall(_READY)
