"""Words for the waits of calls in queues."""

from collections.abc import Mapping
from typing import Final

from dialer.console.parts.rendering import waited
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.words.reasons import TRANSFER_REASONS, TransferReason
from dialer.store.queries.waits_in_queues import CallWait

QUEUE_REASONS: Final[Mapping[str, str]] = {
    **TRANSFER_REASONS,
    TransferReason.HUNG_UP: gettext_noop("the callee hung up while waiting"),
}
"""The meaning of each reason why no agent took a call, to be translated."""
_SECOND_MS: Final = 1_000


def wait_words(wait: CallWait | None) -> str:
    """Return why no agent took a call in time, and its wait; empty if one did, or the call had no transfer."""
    if wait is None or not (wait.reason or wait.is_abandoned):
        return ""
    length = "" if wait.waited_ms is None else waited(wait.waited_ms / _SECOND_MS)
    if not wait.reason:
        return gettext("taken after %(time)s") % {"time": length}
    reason = gettext(QUEUE_REASONS.get(wait.reason, wait.reason))
    return gettext("%(reason)s, after %(time)s") % {"reason": reason, "time": length} if length else reason
