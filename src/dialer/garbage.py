"""The garbage collector, where a process makes thousands of objects that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def making_what_stays() -> Iterator[None]:
    """Enter a context without garbage collection, which would find nothing, and take a tenth of a start.

    Later collections leave out all objects that exist at its end.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
