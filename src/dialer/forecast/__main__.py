"""`python -m dialer.forecast`: the process that `dialer.forecast.subprocess` starts; not for people."""

import os
import sys
import threading

from dialer.forecast.subprocess import answer


def _end_with_parent() -> None:
    """Wait for the end of the input, of which nothing more comes: then nobody waits for an answer any more."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main() -> None:
    """Answer the one line on standard input."""
    task = sys.stdin.buffer.readline()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Whatever is logged or printed on the way belongs to the log, not into the answer.
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)
        output.write(answer(task))


if __name__ == "__main__":
    main()
