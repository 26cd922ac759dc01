"""Coordinator: what a step of the worker asks before it decides, and stores after it, where workers share a service."""

from typing import Final, NamedTuple, Protocol

from sqlalchemy import Connection

from dialer.domain.calls.campaign_events import GatewayOpened
from dialer.domain.calls.plans import GatewayKey
from dialer.runtime.steps.process_health import Membership
from dialer.store.database.database import Database
from dialer.store.database.service_state import State, open_state, save_state
from dialer.store.database.touched import Touched
from dialer.store.queries.selection import Shards


class LeaseLostError(Exception):
    """Another worker has taken over. Nothing of the step may be stored, and the engine must be discarded."""


class OutdatedStepError(Exception):
    """Another worker has committed, during a step, what the step did not know. Nothing of it may be stored."""


class Wishes(NamedTuple):
    """Counts of the wishes not to be called that an engine has heard."""

    heard: int = 0
    elsewhere: int = 0
    """Those that concern accounts of other workers, too."""


class Coordinator(Protocol):
    """The interface by which a worker shares the service with other workers."""

    is_alone: bool
    """True if there are no other workers."""
    shards: Shards
    """The accounts whose calls are this worker's, since `open_state`."""

    def may_step(self) -> bool:
        """Return whether the worker may dial now."""

    def begin(self, connection: Connection) -> Touched | None:
        """Return the records that other writers have touched since the last step; None to build the engine again.

        Raises:
            LeaseLostError: another worker has taken over.
        """

    def is_outdated(self, connection: Connection) -> bool:
        """Return whether other workers have added callees' wishes to do-not-call lists since `begin`."""

    def open_state(self, connection: Connection, first_now_ms: int) -> State:
        """Return the stored position of the worker, for a new engine."""

    def done_until_ms(self, user_id: int) -> int:
        """Return the time up to which the events of an account are on record, since `open_state`."""

    def lent(self, connection: Connection, gateways: list[GatewayOpened]) -> list[GatewayOpened]:
        """Return gateways with the part of their limits that this worker may use."""

    def take_lent(self) -> frozenset[GatewayKey]:
        """Return the gateways of which this worker has taken more since the last call."""

    def save(self, connection: Connection, state: State | None, *, has_worked: bool, wishes: Wishes) -> None:
        """Store the position after a step; None if storing it can wait.

        `has_worked` is False if only time has passed. `wishes` counts the people who have asked the engine not to be
        called again.

        Raises:
            LeaseLostError: another worker has taken over during the step.
        """

    def after_commit(self) -> None:
        """Notify the other workers that a step is committed."""

    def membership(self) -> Membership | None:
        """Return the membership of the worker; None if there are no other workers."""


class Alone:
    """The coordinator of a service with one worker."""

    is_alone = True
    shards: Shards = None

    def __init__(self, database: Database) -> None:
        self._database: Final = database
        self._done_ms = 0

    def may_step(self) -> bool:
        """Return True: no lease limits a single worker."""
        return True

    def begin(self, connection: Connection) -> Touched | None:
        """Return the records that commits have touched since the last step."""
        return self._database.take_touched(connection)

    def is_outdated(self, connection: Connection) -> bool:  # noqa: ARG002 - as the protocol
        """Return False: no other worker writes during a step."""
        return False

    def open_state(self, connection: Connection, first_now_ms: int) -> State:
        """Return the stored position of the service."""
        state = open_state(connection, first_now_ms)
        self._done_ms = state.now_ms
        return state

    def done_until_ms(self, user_id: int) -> int:  # noqa: ARG002 - one position for all accounts
        """Return the stored position of the service."""
        return self._done_ms

    def lent(self, connection: Connection, gateways: list[GatewayOpened]) -> list[GatewayOpened]:  # noqa: ARG002 - as the protocol
        """Return the gateways with their whole limits."""
        return gateways

    def take_lent(self) -> frozenset[GatewayKey]:
        """Return no gateways: a single worker borrows nothing."""
        return frozenset()

    def save(self, connection: Connection, state: State | None, *, has_worked: bool, wishes: Wishes) -> None:  # noqa: ARG002 - as the protocol
        """Store the position of the service."""
        if state is not None:
            save_state(connection, state)

    def after_commit(self) -> None:
        """Do nothing: there is no other worker to notify."""

    def membership(self) -> Membership | None:
        """Return None: there is no fleet."""
        return None
