"""The ledger's entries: each names what caused it, and that is there."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, Integer, String, and_, case, func, literal, not_, or_, select

from dialer.store.audit.differences import MISSING, ROWS_AT_ONCE, Difference
from dialer.store.models import Cdr, LedgerEntry, Payment
from dialer.store.models._base import BIG

