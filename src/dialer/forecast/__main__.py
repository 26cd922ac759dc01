"""`python -m dialer.forecast`: the process that `dialer.forecast.subprocess` starts. Users do not run it."""

import os
import sys
import threading

from dialer.forecast.subprocess import reply_to


def _end_with_parent() -> None:
    """Exit when standard input ends: the parent is gone, and nobody waits for the reply."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main() -> None:
    """Read a task from the one line of standard input, and reply with its result."""
    task = sys.stdin.buffer.readline()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Log lines and prints go to standard error, as standard output carries the progress and the reply alone.
    with os.fdopen(os.dup(1), "wb", buffering=0) as output:
        os.dup2(2, 1)
        output.write(reply_to(task, output.write))


if __name__ == "__main__":
    main()
