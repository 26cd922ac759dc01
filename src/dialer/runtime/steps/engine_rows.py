"""EngineRows: the rows of one engine, read for it wherever others have touched them."""

from collections.abc import Set as AbstractSet
from typing import Final, TypeVar

import structlog
from sqlalchemy import Connection

from dialer.runtime.lines.line_legs import LegNames
from dialer.runtime.steps.contact_collection import Collection
from dialer.runtime.steps.engine_parts import EngineParts
from dialer.runtime.steps.kernel import Kernel
from dialer.runtime.steps.larger_slices import LargerSlices
from dialer.store.database.touched import Touched
from dialer.store.queries.load_engine import LoadedRows
from dialer.store.queries.readable_rows import Unreadable
from dialer.store.rows.live_legs import service_leg_key

Key = TypeVar("Key")

_log = structlog.get_logger(__name__)


class EngineRows:
    """Reader of the rows of one engine."""

    def __init__(
        self, parts: EngineParts, kernel: Kernel, collection: Collection, larger: LargerSlices, names: LegNames
    ) -> None:
        self.loader: Final = parts.loader(parts.coordinator.shards)
        self._collection: Final = collection
        self._coordinator: Final = parts.coordinator
        self._quarantine: Final = parts.quarantine
        self._kernel: Final = kernel
        self._larger: Final = larger
        self._names: Final = names
        self._is_new = True
        """True until the first rows are read."""
        self._unreadable: frozenset[tuple[str, int]] = frozenset()

    def read(self, connection: Connection, scope: Touched, *, is_now: bool = False) -> LoadedRows:
        """Read rows for the engine. With `is_now`, it has done everything that was due before, as a new one has."""
        now_ms = self._kernel.now_ms
        world = self.loader.world(connection, now_ms, scope, with_past=self._is_new)
        looked_for = None if scope.everything else scope.campaigns
        if self._collection.follow(connection, world.campaigns, looked_for, now_ms):
            world = self.loader.world(connection, now_ms, scope, with_past=self._is_new)
        gateways = self._coordinator.lent(connection, world.gateways)
        world = world._replace(gateways=gateways if is_now or self._is_new else self._larger.limited(gateways))
        self._is_new = False
        if self._names.service_key is None and not all(gateway.plan.is_simulated for gateway in world.gateways):
            self._names.service_key = service_leg_key(connection)
        return world.without(self._quarantine.users)

    def report_unreadable(self, unreadable: Unreadable, scope: Touched) -> None:
        """Log each row that cannot be read, once. Its record is left out, and everything else continues."""
        for (table, row_id), reason in unreadable.items():
            if (table, row_id) not in self._unreadable:
                _log.error("row_unreadable", table=table, id=row_id, reason=reason)
        looked_for = {("campaign", campaign_id) for campaign_id in scope.campaigns}
        elsewhere = frozenset() if scope.everything else self._unreadable - looked_for
        self._unreadable = elsewhere | unreadable.keys()


def in_scope(open_ids: AbstractSet[Key], scope: Touched, looked_for: frozenset[Key]) -> AbstractSet[Key]:
    """Return the known records that the update looked for. Those of them without a row are gone."""
    return open_ids if scope.everything else open_ids & looked_for
