"""The listeners of the events of use cases. They write in the transaction that caused the events, or not at all."""

from collections.abc import Callable
from typing import Final

from dialer.app.telling.account_events import write_account_events
from dialer.app.telling.audit_log import Origin, write_audit_log
from dialer.app.work.unit import UnitOfWork

Listener = Callable[[UnitOfWork, Origin], None]
"""Takes a unit of work that is done but not committed, and the user who acted."""
LISTENERS: Final[tuple[Listener, ...]] = (write_audit_log, write_account_events)


def tell_listeners(unit: UnitOfWork, origin: Origin) -> None:
    """Tell every listener what a unit of work did. If one fails, the unit of work fails."""
    for listener in LISTENERS:
        listener(unit, origin)
