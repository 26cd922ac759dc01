"""All benchmarks, one after the other: `python -m benchmarks`."""

import sys

from benchmarks import advance, creating, exporting, overhead, reading, restart, simulate

if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    for benchmark in (simulate, advance, restart, reading, creating, overhead, exporting):
        benchmark.main()
