"""Limits of the processes that read hostile files."""

import os
import resource
from contextlib import suppress
from typing import Final

NICENESS: Final = 5


def limit_process(memory_bytes: int, cpu_s: int) -> None:
    """Limit the address space and the processor time of this process, and lower its priority. It can write no files."""
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for name, most in limits.items():
        with suppress(ValueError, OSError):  # A system without this limit, or with a lower one.
            resource.setrlimit(name, (most, most))
    os.nice(NICENESS)
