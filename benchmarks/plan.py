"""The rows of `make bench`: each benchmark with its arguments, at three sizes where it has sizes."""

from typing import Final, NamedTuple


class Run(NamedTuple):
    """One benchmark with the arguments of a full and of a quick run.

    `quick` is None for one that needs PostgreSQL or minutes of real time, which a quick run leaves out.
    """

    name: str
    full: str = "--once"
    quick: str | None = "--quick --once"


PLAN: Final = (
    Run("overhead"),
    Run("reading", "--once 1000 10000 100000", "--quick --once 500 1000 2000"),
    Run("creating", "--once 1000 10000 100000", "--quick --once 500 1000 2000"),
    Run("importing", "--once 1000 10000 50000", "--once 500 1000 2000"),
    Run("exporting", "--once 10000 50000 200000", "--once 500 1000 5000"),
    Run("simulate", "--once 1000 5000 30000", "--once 300 1000 3000"),
    Run("advance", "--once 1000 5000 20000", "--once 300 1000 3000"),
    Run("forecasting", "--once 4", "--quick --once 2"),
    Run("counting", "10000 50000 200000", "5000 10000 20000"),
    Run("searching", "10000 50000 200000", "2000"),
    Run("delivering", "100 300 1000", "100"),
    Run("misbehaving", "", "5"),
    Run("touching", "--once 10 100 300", "--once 10 30 100"),
    Run("crowded", "", ""),
    Run("crowding 20", "", None),
    Run("restart", "--once 10000 50000 200000", "--once 3000"),
    Run("million", "--once 10000 100000 1000000", "--once 10000"),
    Run("launching", quick="--quick"),
    Run("live 50 500", "", None),
    Run("live 200 2000", "", None),
    Run("live 1000 10000", "", None),
    Run("telling 250", "", None),
    Run("console", "--quick", None),
    Run("sound", "--quick", None),
    Run("calling", "--quick", None),
    Run("steps 50 --quick", "", None),
    Run("steps 200 --quick", "", None),
    Run("steps 1000 --quick", "", None),
    Run("starting", "10000 50000 100000", None),
    Run("rush", "", None),
    Run("databases", "1000 5000 20000", None),
    Run("fleet", "--short", None),
)
"""In an order in which what needs PostgreSQL and many cores comes last."""
