"""Benchmark of the command line's start: `python -m benchmarks.launching [--quick]`.

It measures the processor time and the largest memory of new processes: a help, a completion, a history that does not
exist, and a server until its first answer. Each is the best of several runs, because other programs only add to it. A
first run writes the compiled modules, as an installation does.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.measure import Figure, print_row

RUNS: Final = 7
QUICK_RUNS: Final = 1
KIB_OF_MIB: Final = 1_024
MAIN: Final = "from dialer.cli import main; main()"
SERVE: Final = "serve to its first answer"
EXPLAIN: Final = "explain of an unknown number"
WANTED: Final = {SERVE: (1_050, 120), EXPLAIN: (500, None)}
COMPLETES: Final = {"_DIALER_COMPLETE": "bash_complete", "COMP_WORDS": "dialer users cr", "COMP_CWORD": "2"}


class Spent(NamedTuple):
    """The processor time in milliseconds, and the largest memory in MiB, of a process."""

    cpu_ms: float
    memory_mib: float


def launched(folder: Path, *arguments: str, environ: Mapping[str, str] | None = None, serves: bool = False) -> Spent:
    """Run `dialer` until its end, or until its first answer if it serves, and return what it spent."""
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", MAIN, *arguments],
        cwd=folder,
        env={**_environ(folder), **(environ or {})},
        stdout=subprocess.PIPE if serves else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    if serves and process.stdout is not None:
        address = json.loads(process.stdout.readline())["event"].split()[-1]
        with urllib.request.urlopen(address.replace("rest-api/", "health/live")) as answer:  # noqa: S310 - our own
            answer.read()
        process.send_signal(signal.SIGKILL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return Spent(1_000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / KIB_OF_MIB)


def _environ(folder: Path) -> dict[str, str]:
    compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **compiled, "DIALER_ADMIN_USERNAME": "ann", "DIALER_ADMIN_PASSWORD": "correct horse battery"}


def main() -> None:
    """Measure and print the results."""
    runs = QUICK_RUNS if "--quick" in sys.argv else RUNS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        works: dict[str, Callable[[], Spent]] = {
            SERVE: lambda: launched(folder, "serve", "--port", "0", serves=True),
            "--help": lambda: launched(folder, "--help"),
            "completion of users cr": lambda: launched(folder, environ=COMPLETES),
            EXPLAIN: lambda: launched(folder, "explain", "1", "+12025550100"),
        }
        for work in works.values():
            work()
        spent = {title: [work() for _ in range(runs)] for title, work in works.items()}
    for title, samples in spent.items():
        best = Spent(*(min(values) for values in zip(*samples, strict=True)))
        sys.stderr.write(f"  {title:<32} {best.cpu_ms:>7,.0f} ms of processor {best.memory_mib:>6,.0f} MiB\n")
        sys.stdout.write(json.dumps({"title": title, **best._asdict()}) + "\n")
        cpu_ms, memory_mib = WANTED.get(title, (None, None))
        print_row(Figure(f"dialer: {title}", "", "", best.cpu_ms, cpu_ms, "ms of CPU", at_most=True))
        print_row(Figure(f"dialer: {title}", "", "", best.memory_mib, memory_mib, "MiB", at_most=True))


if __name__ == "__main__":
    main()
