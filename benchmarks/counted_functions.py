"""The number of calls of Python functions in a piece of work."""

import gc
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def counted_functions() -> Iterator[Counter[str]]:
    """Count the calls of Python functions, in this thread and in those that begin meanwhile.

    Garbage is not collected meanwhile: what was made before, and refers to functions, would be counted at any time.
    """
    counts: Counter[str] = Counter()

    def count(_frame: object, what: str, _argument: object) -> None:
        counts[what] += 1

    before = sys.getprofile()
    is_collected = gc.isenabled()
    gc.disable()
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        yield counts
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
        if is_collected:
            gc.enable()
