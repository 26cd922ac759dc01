"""The rules of fairness: what one account sees does not depend on what another one sends, but for a fifth of a second.

The bugs below take a limit or a share away, and some seed has to find each of them.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import cache
from typing import Any, Final

import pytest

from dialer.api import service
from dialer.api.actions import forecast, imports
from dialer.api.http import event_streams
from dialer.api.http.account_turns import AccountTurns
from dialer.resources.crud import preparing
from dialer.shares import Shares
from tests.vopr.crowd import HORIZON_MS, Seen, seen

LATE_MS: Final = 200.0
"""The time by which another account may delay a dial or an answer."""
LOOKS_MS: Final = 500.0
"""The time between two looks for events to send, by which an event comes later if it just misses one."""
_LAST_DIALS_MS: Final = 1_000
"""Time before the end in which a delayed dial may be missing."""


def broken_rules(alone: Seen, beside: Seen) -> Iterator[str]:
    """Yield the rules that a run with a crowd has broken; `alone` is the run without it."""
    yield from _answers(alone, beside)
    yield from _dials(alone, beside)
    yield from _events(alone, beside)
    for error in (*alone.errors, *beside.errors):
        yield f"an error was logged: {error}"
    if alone.crowd or not beside.crowd:
        yield f"the crowd is not where it should be: {beside.crowd}"


def _answers(alone: Seen, beside: Seen) -> Iterator[str]:
    """Each answer is the same, and hardly later."""
    for one, other in zip(alone.answers, beside.answers, strict=True):
        what = f"the answer to {one.what} at {one.at_ms}"
        if (one.at_ms, one.what, one.status) != (other.at_ms, other.what, other.status):
            yield f"{what} is {other.status}, and was {one.status}"
        elif other.took_ms > one.took_ms + LATE_MS:
            yield f"{what} is late by {other.took_ms - one.took_ms:.0f} ms"


def _dials(alone: Seen, beside: Seen) -> Iterator[str]:
    """Each person is dialled, and hardly later."""
    for number, at_ms in alone.dialled_ms.items():
        dialled_ms = beside.dialled_ms.get(number)
        if dialled_ms is None and at_ms < HORIZON_MS - _LAST_DIALS_MS:
            yield f"the dial of {number} at {at_ms:.0f} is missing"
        elif dialled_ms is not None and dialled_ms > at_ms + LATE_MS:
            yield f"the dial of {number} at {at_ms:.0f} is late by {dialled_ms - at_ms:.0f} ms"


def _events(alone: Seen, beside: Seen) -> Iterator[str]:
    """Each event comes to the account's own receiver, and at most one look later."""
    latest_ms = LATE_MS + LOOKS_MS
    for place, at_ms in enumerate(alone.came_ms):
        if at_ms > HORIZON_MS - _LAST_DIALS_MS:
            return
        came_ms = beside.came_ms[place] if place < len(beside.came_ms) else None
        if came_ms is None:
            yield f"the event {place} of {at_ms:.0f} did not come"
        elif came_ms > at_ms + latest_ms:
            yield f"the event {place} of {at_ms:.0f} is late by {came_ms - at_ms:.0f} ms"


@cache
def seen_alone(seed: int) -> Seen:
    """Return what the run of a seed without its crowd shows."""
    return seen(seed, has_crowd=False)


def crowd_findings(seed: int) -> str:
    """Run a seed with its crowd and without, and return the first rule that is broken; empty if none is."""
    return next(broken_rules(seen_alone(seed), seen(seed, has_crowd=True)), "")


# --- bugs that some seed has to find -------------------------------------------------------------------------------


def _no_limit_of_turns(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AccountTurns, "share", lambda *_: nullcontext())
    patch.setattr(AccountTurns, "working", lambda _: nullcontext())


def _no_share_of_turns(patch: pytest.MonkeyPatch) -> None:
    before: Callable[..., None] = AccountTurns.__init__

    def init(self: AccountTurns, at_once: int, _of_account: int, waiting_most: int, **texts: Any) -> None:  # noqa: ANN401 - passed on
        before(self, at_once, at_once + waiting_most, waiting_most, **texts)

    patch.setattr(AccountTurns, "__init__", init)


def _one_request_for_files(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(service, "APPLIED_AT_ONCE", 1)


def _no_share_of_streams(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(event_streams, "STREAMS_OF_ACCOUNT_MAX", event_streams.STREAMS_MAX)


def _no_share_of_imports(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(imports, "IMPORTS_OF_A_USER_AT_WORK", imports.IMPORTS_MAX)


def _no_share_of_forecasts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(forecast, "RUNNING_OF_ACCOUNT_MAX", forecast.RUNNING_MAX)


def _no_share_of_names(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(preparing, "PREPARED_OF_ACCOUNT_AT_ONCE", preparing.PREPARED_AT_ONCE)


def _no_share_at_all(patch: pytest.MonkeyPatch) -> None:
    before: Callable[..., AbstractAsyncContextManager[None]] = Shares.place
    patch.setattr(Shares, "place", lambda self, _: before(self, 0))


CROWD_PLANTED: Final = {
    "files and tests have no limit": _no_limit_of_turns,
    "one account may have all turns": _no_share_of_turns,
    "requests to apply files wait for each other": _one_request_for_files,
    "one account may have all streams": _no_share_of_streams,
    "one account may have all imports": _no_share_of_imports,
    "one account may have all forecasts": _no_share_of_forecasts,
    "one account may save all webhooks": _no_share_of_names,
    "all accounts share as one": _no_share_at_all,
}
"""Bugs that some seed has to find."""
