"""The condition of calls in progress."""

from typing import Final

from sqlalchemy import ColumnElement, select

from dialer.store.tables import CallInProgress, CallRequest

IS_CALLING: Final[ColumnElement[bool]] = CallRequest.id.in_(select(CallInProgress.id))
"""True for a call request whose call is in progress. No index has its status, which changes with every call."""
