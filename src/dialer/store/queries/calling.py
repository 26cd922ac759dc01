"""The condition of calls in progress."""

from typing import Final

from sqlalchemy import ColumnElement, literal_column

from dialer.domain.enums import CallRequestStatus
from dialer.store.tables import CallRequest

IS_CALLING: Final[ColumnElement[bool]] = CallRequest.status == literal_column(str(int(CallRequestStatus.CALLING)))
"""True for a call request whose call is in progress.

A literal, because SQLite uses the partial index over calls in progress only for a constant status.
"""
