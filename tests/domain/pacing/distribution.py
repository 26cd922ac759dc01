"""Compare the strategies over many seeds: `python -m tests.domain.pacing.distribution [SEEDS [ANSWERS]]`.

For each population and strategy: the abandoned share of a campaign (mean, median, 95th percentile and largest), the
largest share at any moment from the first hundred answers on, utilisation with its 95 % interval, on how many seeds
progressive was beaten, and the mean wait of the callees who were served.
"""

import sys
from collections.abc import Iterator
from multiprocessing import Pool
from statistics import fmean, median, quantiles, stdev
from typing import Final

from dialer.domain.pacing.strategies import STRATEGIES
from tests.domain.pacing.bench import Bench, Population, Result

SEEDS: Final = 200
ANSWERS: Final = 1_000
POPULATIONS: Final = {
    "5 agents, 80 % answer": Population(5, 0.8),
    "20 agents, 45 % answer": Population(20, 0.45),
    "60 agents, 20 % answer": Population(60, 0.2),
}
COMPARED: Final = tuple(name for name in STRATEGIES if name != "fixed")
"""All strategies but the fixed rate, which ignores agents."""
HEAD: Final = (
    f"{'':26}{'abandoned %':>31}  {'at any':>6}  {'utilisation':>15}  {'beats':>9}  {'wait':>6}\n"
    f"{'':26}{'mean':>7} {'median':>7} {'95th':>7} {'most':>7}  {'time':>6}  {'%':>15}  {'progr.':>9}  {'s':>6}\n"
)


def campaign(strategy: str, population: str, seed: int, answers: int) -> Result:
    """Run one campaign with a strategy and a population, by name."""
    return Bench(STRATEGIES[strategy], POPULATIONS[population], seed).run(answers)


def line(name: str, results: list[Result], progressive: list[Result]) -> str:
    """Return a line of figures of one strategy."""
    shares = [100 * result.abandoned / result.answered for result in results]
    busy = [100 * result.utilisation for result in results]
    margin = 1.96 * stdev(busy) / len(busy) ** 0.5
    beats = sum(ours.utilisation > theirs.utilisation for ours, theirs in zip(results, progressive, strict=True))
    worst = 100 * max(result.worst_share for result in results)
    wait_s = fmean(result.wait_ms for result in results) / 1_000
    return (
        f"  {name:24}{fmean(shares):7.2f} {median(shares):7.2f} {quantiles(shares, n=20)[-1]:7.2f} {max(shares):7.2f}  "
        f"{worst:6.2f}  {fmean(busy):7.2f} ± {margin:5.2f}  {beats:4}/{len(busy):4}  {wait_s:6.2f}\n"
    )


def table(seeds: int, answers: int) -> Iterator[str]:
    """Yield the lines of the table, each as soon as it is computed."""
    yield HEAD
    with Pool() as pool:
        for population in POPULATIONS:
            yield f"{population}\n"
            progressive: list[Result] = []
            for name in COMPARED:
                jobs = [(name, population, seed, answers) for seed in range(seeds)]
                results = pool.starmap(campaign, jobs, chunksize=4)
                progressive = progressive or results
                yield line(name, results, progressive)


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:]]
    for text in table(*(counts + [SEEDS, ANSWERS][len(counts) :])):
        sys.stdout.write(text)
        sys.stdout.flush()
