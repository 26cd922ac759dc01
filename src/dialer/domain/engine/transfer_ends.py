"""The ends of transfers: why one reached nobody, and what its B-leg comes to."""

from typing import Final

from dialer.domain.calls import call_events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, Transfer
from dialer.domain.words.enums import Cause, Consulted, TransferStatus
from dialer.domain.words.reasons import NoReason, TransferReason

_ASKED: Final = Consulted.ASKED
_LEG_REASONS: Final = {
    Cause.USER_BUSY: TransferReason.BUSY,
    Cause.NO_USER_RESPONDING: TransferReason.NO_ANSWER,
    Cause.NO_ANSWER: TransferReason.NO_ANSWER,
    Cause.SUBSCRIBER_ABSENT: TransferReason.NO_ANSWER,
    Cause.CALL_REJECTED: TransferReason.REJECTED,
    Cause.UNALLOCATED_NUMBER: TransferReason.INVALID_NUMBER,
    Cause.NORMAL_CLEARING: TransferReason.HUNG_UP,
}


def reason_of(transfer: Transfer, outcome: LegOutcome) -> TransferReason:
    """Return the reason why a B-leg was not connected."""
    if transfer.consulted is Consulted.HANDED_OVER:
        return TransferReason.NOT_HANDED_OVER
    if outcome.answered_ms is not None and outcome.cause is Cause.NORMAL_CLEARING:
        return TransferReason.NOT_CONFIRMED
    return _LEG_REASONS.get(outcome.cause, TransferReason.CARRIER_FAILURE)


def missing_destination(event: call_events.TransferReached, transfer: Transfer) -> TransferReason | NoReason:
    """Return the reason why a transfer has no destination; empty if it has one."""
    if event.queue_id is not None:
        return "" if transfer.queue_id is not None else TransferReason.NO_QUEUE
    if transfer.number:
        return ""
    return TransferReason.INVALID_NUMBER if event.number else TransferReason.NO_NUMBER


def outcome_at_call_end(transfer: Transfer, outcome: CallOutcome) -> LegOutcome:
    """Return the outcome of a B-leg whose end nobody reported: it ended with its call, or at its own limit before."""
    answered_ms = transfer.answered_ms
    if answered_ms is None:
        return LegOutcome(outcome.ended_ms, outcome.cause)
    ended_ms = min(outcome.ended_ms, answered_ms + transfer.talk_limit_ms)
    return LegOutcome(ended_ms, outcome.cause, answered_ms, is_connected=True)


def open_transfer(call: Call) -> Transfer | None:
    """Return the transfer that a call is in, if it is not over. The leg of a third person is none."""
    for transfer in call.transfers[::-1]:
        if transfer.consulted is not _ASKED:
            return None if transfer.status is TransferStatus.OVER else transfer
    return None
