"""A line that talks nonsense: wrong values in every field, unknown legs, wrong order; and an engine that it may break.

Every seed draws for itself whether its line does so. A report that cannot be handled may fail one step. If it fails
another one, `Failures` says so.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NoReturn

import structlog

from dialer.carriers.line_port import Alive, Over, Unplaced
from dialer.domain.calls import call_events, events, text_events
from dialer.domain.sessions.leg_protocol import Accepted, Answered, Arrived, Done, Ended, Receipt, Ringing, TextReceived
from dialer.domain.words.enums import AmdStatus, Cause, MessageStatus
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.chance import Chance
from tests.vopr.dice import Dice

POISON: Final = "+493012345678"
"""A caller at whom the brittle engine always breaks."""
BREAKS_PERCENT: Final = 6
"""Calls of a hundred, for each kind of report, that break the brittle engine."""
_TEXTS: Final = (
    *("", " ", "+", "++", "++4930123456", "00", "+49", "sip:%00", "'; DROP TABLE callrequest; --", "{{7*7}}"),
    *("\\x00", "\\ud800", "\\U0001f9e8", "9" * 300, "x" * 70_000, POISON),
)
_WHOLES: Final = (0, -1, 7, 2**31, 2**53 + 1, -(2**70), 10**40)
_ODD: Final[tuple[Any, ...]] = (None, True, 0.5, float("nan"), float("inf"), b"\\xff", [], {}, object(), "soon", 999)
_ODD_AGES: Final[tuple[Any, ...]] = tuple("999" if one == 999 else one for one in _ODD)
"""Values that are no ages. A leg that ended 999 ms ago is none that is up, so that its row may go."""
_CAUSES: Final = (*Cause, 0, -1, 999, None, "busy")
_BROKEN: Final = (call_events.CallEnded, call_events.DncReached, text_events.TextRequested, call_events.TransferReached)


class TwiceError(Exception):
    """A report has failed a step a second time."""


class Failures:
    """The log, as far as it tells of steps that have failed and of reports that were set aside."""

    def __init__(self) -> None:
        self._seen: Final[Counter[tuple[object, ...]]] = Counter()
        self._broken: TwiceError | None = None
        self.set_aside = 0
        """Number of reports that were set aside."""

    def hear(self, _logger: Any, _name: str, event: structlog.typing.EventDict) -> NoReturn:  # noqa: ANN401 - structlog
        """Take a line of the log, and write none.

        Raises:
            TwiceError: a report has failed a step a second time, or a step has failed for good.
        """
        if self._broken is not None:
            raise self._broken
        if event["event"] == "report_set_aside":
            self.set_aside += 1
            one = (event["gateway_id"], event["key"], event["report"], event["reason"])
            is_broken = event.get("exc_info") is not None
            self._seen[one] += is_broken
            if self._seen[one] > 1:
                self._broken = TwiceError(f"no report fails a step twice: {one}")
        if event["event"] == "step_failed" and event.get("problem") == "engine":
            self._broken = TwiceError("no report fails a step for good: the step failed, and nothing was set aside")
        if self._broken is not None:
            raise self._broken
        raise structlog.DropEvent


class BrittleKernel(Kernel):
    """A kernel whose engine breaks at some reports, in the same way whenever it is told them."""

    percent = BREAKS_PERCENT

    def apply(self, event: events.Event) -> None:
        """Apply an event now. Some break the engine half-way."""
        if isinstance(event, call_events.CallReceived) and event.caller == POISON:
            self._engine.engine_state.new_id()
            raise RuntimeError(f"{type(event).__name__} breaks the engine")
        super().apply(event)
        if self._is_breaking(event):
            raise RuntimeError(f"{type(event).__name__} breaks the engine")

    def _is_breaking(self, event: events.Event) -> bool:
        """Return whether an event breaks the engine. The end of a call of which nobody can say anything does not."""
        if not isinstance(event, _BROKEN):
            return False
        if isinstance(event, call_events.CallEnded):
            outcome = event.outcome
            if outcome.message_status is not None or outcome.cause is Cause.TEMPORARY_FAILURE:
                return False
        chance = Chance(event.call_id, 0, 0, 0, type(event).__name__)
        return chance.between(0, 99) < self.percent


def babble(dice: Dice, keys: list[str], say: Callable[[str, Any], None]) -> None:
    """Say a few things that are nonsense, of the legs with these names and of others."""
    for _ in range(dice.between(1, 6)):
        key: Any = dice.pick((*keys, *keys, *keys, *_TEXTS, "6f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11", None, 7))
        said = _nonsense(dice)
        is_known = isinstance(key, str) and key in keys
        if not (is_known and isinstance(said, Arrived)):
            say(key, said)
        if dice.happens(20):
            say(key, said)


def _nonsense(dice: Dice) -> Any:  # noqa: ANN401 - anything
    """Draw a report with a field that no report may have, or one that no leg is waiting for."""
    text: Callable[[], Any] = lambda: dice.pick((*_TEXTS, *_ODD))  # noqa: E731 - short, as the next two
    whole: Callable[[], Any] = lambda: dice.pick((*_WHOLES, *_ODD))  # noqa: E731
    makers: tuple[Callable[[], Any], ...] = (
        lambda: Arrived(text(), text(), text()),
        lambda: Ringing(whole()),
        lambda: Answered(whole(), dice.pick(("\\x00", None, b"", "x" * 70_000))),  # type: ignore[arg-type]
        lambda: Done(whole(), whole(), text(), whole(), dice.pick((*AmdStatus, *_ODD))),
        lambda: Done(-1, 0),
        lambda: Ended(dice.pick((*_WHOLES[5:], *_ODD_AGES)), dice.pick(_CAUSES)),
        lambda: Accepted(dice.pick(((text(), text()), text(), ("n",) * 2_000))),
        lambda: Receipt(text(), dice.pick((*MessageStatus, *_ODD))),
        lambda: TextReceived(text(), text(), dice.pick(("STOP", *_TEXTS))),
        lambda: Over(Ended(10**40, Cause.NORMAL_CLEARING)),
        lambda: Over(None),  # type: ignore[arg-type]
        lambda: Alive(Ended(0, Cause.NORMAL_CLEARING)),  # type: ignore[arg-type]
        lambda: dice.pick(_ODD),
        lambda: Unplaced,
    )
    return dice.pick(makers)()
