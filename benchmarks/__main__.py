"""All benchmarks, one after the other: `python -m benchmarks`."""

import sys

from benchmarks import advance, restart, simulate

if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    simulate.main()
    advance.main()
    restart.main()
