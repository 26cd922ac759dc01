"""The figures of a committed step: they are added to those of the process, and what is unusual is logged."""

from typing import Final

import structlog

from dialer.domain.engine.engine import Engine
from dialer.domain.words.reasons import TextReason
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.live_engine import LiveEngine

TEXTS_LOST: Final = frozenset({TextReason.TOO_MANY, TextReason.ABORTED, TextReason.ERASED})
"""Reasons why texts of surveys are not sent that are logged. All others are those of a single message."""

_log = structlog.get_logger(__name__)


def publish(figures: DialCounters, live: LiveEngine) -> None:
    """Add the figures of the step that an engine has committed."""
    done = live.tally.committed()
    for gateway_id in done.rests:
        _log.warning("gateway_rests", **gateway_id.columns())
    for reason in sorted(TEXTS_LOST & done.texts_dropped.keys()):
        _log.warning("texts_not_sent", reason=reason, count=done.texts_dropped[reason])
    figures.add(done)
    _count_ignored(figures, live.engine)


def _count_ignored(figures: DialCounters, engine: Engine) -> None:
    """Count reports that changed nothing, and log the last ones. They may show that a carrier is confused."""
    figures.reports_ignored += engine.reports_ignored
    engine.reports_ignored = 0
    for report in engine.kept_aside:
        _log.warning("report_ignored", report=type(report).__name__, call_id=report.call_id)
    engine.kept_aside.clear()
