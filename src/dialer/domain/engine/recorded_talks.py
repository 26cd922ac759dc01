"""Calls that are recorded because a queue wants it, from the answer of its agent on."""

from dialer.domain.calls.call_recording import UNBEGUN
from dialer.domain.calls.plans import Call, Transfer


def records_from(call: Call, talk: Transfer, now_ms: int) -> bool:
    """Let a call be recorded from now on if the queue of the agent who has taken it wants that.

    Return False if nothing changes: the queue does not want it, the call is recorded by its campaign, or by an earlier
    queue.
    """
    if talk.queue_id not in call.plan.recording.queue_ids or call.tape_at_dial not in UNBEGUN:
        return False
    if any(one.recorded_ms is not None for one in call.transfers):
        return False
    talk.recorded_ms = now_ms
    return True
