"""The rows of `make bench`: each benchmark with its arguments, at three sizes where it has sizes, and at one."""

from typing import Final, NamedTuple

POSTGRESQL: Final = "PostgreSQL"
REAL_TIME: Final = "many seconds of real time"


class Run(NamedTuple):
    """One benchmark with the arguments of a full run, and those of its smallest size."""

    name: str
    full: str
    smallest: str
    needs: str = ""
    """The means that a quick run does not have; empty if it needs none of them."""


PLAN: Final = (
    Run("plainest", "--once 10000", "--once 200"),
    Run("simulate", "--once 1000 5000 30000", "--once 500"),
    Run("agents", "12 5 50 500", "--quick 3 6"),
    Run("overhead", "--once", "--quick --once"),
    Run("reading", "--once 1000 10000 100000", "--quick --once 500"),
    Run("creating", "--once 1000 10000 100000", "--quick --once 500"),
    Run("importing", "--once 1000 10000 50000", "--once 500"),
    Run("exporting", "--once 10000 50000 200000", "--once 1000"),
    Run("people_sheet", "--once 10000 100000", "--once 200"),
    Run("advance", "--once 1000 5000 20000", "--once 500"),
    Run("forecasting", "--once 4", "--quick --once 2"),
    Run("what_if", "10 5000 20", "2 200 2"),
    Run("counting", "10000 50000 200000", "--once 1000"),
    Run("searching", "10000 50000 200000", "--once 500"),
    Run("touching", "--once 10 100 300", "--once 10"),
    Run("crowded", "", "--quick"),
    Run("sound", "--packets", "--packets"),
    Run("launching", "", "--quick"),
    Run("restart", "--once 10000 50000 200000", "--once 1000"),
    Run("first_steps", "1000 10000 100000", "500"),
    Run("million", "--once 10000 100000 1000000", "--once 3000"),
    Run("delivering", "100 300 1000", "--quick 100"),
    Run("misbehaving", "", "--quick 5", REAL_TIME),
    Run("crowding", "10", "2", REAL_TIME),
    Run("live", "50 500", "--quick 20 60", REAL_TIME),
    Run("live", "1000 10000", "--quick 20 60", REAL_TIME),
    Run("telling", "250", "--quick 20", REAL_TIME),
    Run("console", "--quick", "--small", REAL_TIME),
    Run("desks", "100", "--quick 20", REAL_TIME),
    Run("sound", "--quick", "--quick 10", REAL_TIME),
    Run("calling", "--quick", "--quick", REAL_TIME),
    Run("durable", "2000", "50", POSTGRESQL),
    Run("steps", "50 200 1000 --quick", "10 --smallest", POSTGRESQL),
    Run("starting", "10000 100000", "--quick 500", POSTGRESQL),
    Run("rush", "", "--quick", POSTGRESQL),
    Run("databases", "1000 5000 20000", "--quick", POSTGRESQL),
    Run("fleet", "--short", "--quick", POSTGRESQL),
)
"""In an order in which what needs PostgreSQL and many cores comes last."""
