"""Erlang C: the waits of callers in a queue, by formula.

A. K. Erlang's delay formula (1917) takes calls that arrive at random and independently of each other, exponential
talks, agents who are always there, and callers who never give up. The load is in erlangs: the arrivals in the mean time
that a call takes an agent.
"""

from math import exp


def waiting_share(agents: int, erlangs: float) -> float:
    """Return the share of callers who find all agents busy; 1 if the load is too much for them.

    The share B that would be lost without a queue follows from B(0) = 1 and B(c) = a B(c - 1) / (c + a B(c - 1)), for a
    load of a erlangs. Then C = B / (1 - (a / c) (1 - B)).
    """
    if erlangs >= agents:
        return 1.0
    blocked = 1.0
    for count in range(1, agents + 1):
        blocked = erlangs * blocked / (count + erlangs * blocked)
    return blocked / (1 - erlangs / agents * (1 - blocked))


def mean_wait_ms(agents: int, erlangs: float, handling_ms: float) -> float | None:
    """Return the mean wait of all callers: C h / (c - a), with the mean handling time h. None: it grows without end."""
    if erlangs >= agents:
        return None
    return waiting_share(agents, erlangs) * handling_ms / (agents - erlangs)


def share_within(agents: int, erlangs: float, handling_ms: float, wait_ms: float) -> float:
    """Return the share of callers who wait no longer than `wait_ms`: 1 - C exp(-(c - a) t / h)."""
    if erlangs >= agents or handling_ms <= 0:
        return 0.0 if erlangs >= agents else 1.0
    return 1 - waiting_share(agents, erlangs) * exp(-(agents - erlangs) * wait_ms / handling_ms)
