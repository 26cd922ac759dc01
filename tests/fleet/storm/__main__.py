"""A storm over real processes, while campaigns run and users act; then all rules are checked.

    python -m tests.fleet.storm --seconds 80 --seed 1
    python -m tests.fleet.storm --database sqlite --seconds 80 --seed 1 --storms 5
    python -m tests.fleet.storm --bug no-lock
    python -m tests.fleet.storm --bugs

It starts a PostgreSQL cluster, two processes of the API, and workers. Workers are killed and ended, freeze (also inside
a step, and for longer than a lease), and lose their network. Processes of the API freeze, too, also inside the COPY of
an import. Processes die before and after a commit. The database restarts and crashes, and single sessions are ended.
All wall clocks but the database's are wrong. Meanwhile `dialer serve` and `dialer move` must be refused.

A file (`--database sqlite`) has no network, no sessions and no clock of its own, and does not restart.

`--bug` plants a bug of `tests.fleet.storm.planted`, which the storm must find; `--bugs` tries each of them.

A seed gives the same troubles, and not the same run: processes and their database have no common order.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dialer.store.fleet.leases import LEASE_MS
from tests.fleet.storm.planted import BUGS
from tests.fleet.storm.run import WORKERS, Report, Sky, database_of, storm


def run(kind: str, sky: Sky, log: Path | None = None) -> Report:
    """Let a storm pass over a service with a database of a kind. Keep what its processes logged in `log`."""
    with tempfile.TemporaryDirectory() as folder, database_of(kind, Path(folder)) as (url, cluster):
        report = storm(Path(folder), sky, url=url, cluster=cluster)
        if log is not None:
            log.write_text((Path(folder) / "service.log").read_text())
        return report


def find_bugs(kind: str, sky: Sky) -> bool:
    """Plant each bug, print what finds it, and return whether all were found."""
    is_each_found = True
    for name, bug in BUGS.items():
        report = run(kind, sky._replace(bug=name, seed=bug.seed, seconds=bug.seconds, plan=bug.plan))
        print(f"{name}: {report.broken[0][:200] if report.broken else 'NOT FOUND'}", flush=True)  # noqa: T201 - a program
        is_each_found = is_each_found and bool(report.broken)
    return is_each_found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; exit with 1 if a rule is broken, or a planted bug is not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=80)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first storm")
    parser.add_argument("--storms", type=int, default=1, help="how many, each with the next seed")
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--lease-ms", type=int, default=LEASE_MS)
    parser.add_argument("--bug", choices=sorted(BUGS))
    parser.add_argument("--bugs", action="store_true", help="plant each bug, and tell what finds it")
    parser.add_argument("--log", type=Path, help="a file for the log of the last storm")
    given = parser.parse_args(arguments)
    sky = Sky(given.seed, given.seconds, workers=given.workers, bug=given.bug, lease_ms=given.lease_ms)
    if given.bugs:
        sys.exit(0 if find_bugs(given.database, sky) else 1)
    is_broken = False
    for seed in range(given.seed, given.seed + given.storms):
        report = run(given.database, sky._replace(seed=seed), given.log)
        sys.stdout.write(json.dumps({"seed": seed, **report._asdict()}, indent=1) + "\n")
        sys.stdout.flush()
        is_broken = is_broken or bool(report.broken or report.audit[0])
    sys.exit(1 if is_broken else 0)


if __name__ == "__main__":
    main()
