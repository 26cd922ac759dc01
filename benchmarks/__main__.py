"""All benchmarks, in order: `python -m benchmarks`."""

import sys

from benchmarks import (
    advance,
    calling,
    console,
    counting,
    creating,
    crowded,
    databases,
    detecting,
    exporting,
    fleet,
    forecasting,
    importing,
    launching,
    live,
    million,
    overhead,
    reading,
    restart,
    searching,
    simulate,
    sound,
    starting,
    steps,
    touching,
)

ALL = (
    simulate,
    advance,
    forecasting,
    restart,
    reading,
    searching,
    counting,
    creating,
    databases,
    fleet,
    overhead,
    launching,
    importing,
    exporting,
    million,
    starting,
    touching,
    crowded,
    steps,
    live,
    console,
    sound,
    calling,
    detecting,
)

if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    for benchmark in ALL:
        benchmark.main()
