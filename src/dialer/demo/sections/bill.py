"""The bill: every charge is the rate times the billed duration, to five decimals."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

import msgspec
from rich.console import Console

from dialer.demo.checks import Checks
from dialer.demo.display import heading, indented, table
from dialer.demo.evidence import CdrRecord, Evidence
from dialer.demo.preparation import CALL_RATE, PAID_IN

_MINUTE_S: Final = 60
_PLACES: Final = Decimal("0.00001")


class BillFigures(msgspec.Struct, frozen=True):
    """The sums of the bill; money with five decimals."""

    paid_in: Decimal
    answered: int
    seconds: int
    """Seconds of conversation."""
    minutes: int
    """Billed minutes: each call is rounded up to full minutes."""
    rate: Decimal
    cost: Decimal
    balance: Decimal


def figures(evidence: Evidence, checks: Checks) -> BillFigures:
    """Return the sums that the API gives, checked against the call detail records."""
    rate = evidence.user["call_rate"]
    checks.same("rate", rate, Decimal(CALL_RATE))
    wrong = sum(not _is_right(cdr, rate) for cdr in evidence.cdrs)
    checks.same("wrongly billed calls", wrong, 0)
    minutes = sum(-(-cdr.billsec // _MINUTE_S) for cdr in evidence.cdrs)
    cost = sum((cdr.cost for cdr in evidence.cdrs), Decimal(0))
    paid_in = sum((Decimal(payment["amount"]) for payment in evidence.payments), Decimal(0))
    checks.same("rate times what was billed", (rate * minutes).quantize(_PLACES), cost)
    return BillFigures(
        paid_in=checks.same("paid in", paid_in, Decimal(PAID_IN)),
        answered=checks.same("answered", evidence.campaign["answered"], sum(cdr.billsec > 0 for cdr in evidence.cdrs)),
        seconds=checks.same(
            "seconds of conversation",
            sum(record["billsec"] for record in evidence.cdr_pages),
            sum(cdr.billsec for cdr in evidence.cdrs),
        ),
        minutes=checks.same("billed minutes", sum(cdr.billed_duration for cdr in evidence.cdrs) // _MINUTE_S, minutes),
        rate=rate,
        cost=checks.same("cost", Decimal(evidence.campaign["cost"]), cost),
        balance=checks.same("balance", evidence.user["balance"], paid_in - cost),
    )


def _is_right(cdr: CdrRecord, rate: Decimal) -> bool:
    """Return whether a call is billed by started minutes, and charged exactly for these."""
    billed = -(-cdr.billsec // _MINUTE_S) * _MINUTE_S
    cost = (rate * billed / _MINUTE_S).quantize(_PLACES, ROUND_HALF_UP)
    return cdr.billed_duration == billed and cdr.cost == cost


def show(console: Console, bill: BillFigures) -> None:
    """Print the balance before, the charge and the balance after."""
    heading(console, "The bill", f"{bill.answered:,} answered calls, {bill.seconds:,} s of conversation")
    charge = f"{bill.minutes:,} billed minutes \N{MULTIPLICATION SIGN} {bill.rate:.5f}"
    rows = [
        ("balance before", f"{bill.paid_in:.5f}"),
        (charge, f"\N{EN DASH} {bill.cost:.5f}"),
        ("balance after", f"{bill.balance:.5f}"),
    ]
    indented(console, table(["", ""], rows))
