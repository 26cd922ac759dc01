"""People who work for Alice: a viewer, and an agent who has taken a call."""

from typing import Final

from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Connection, select, update

from dialer.store.tables import Agent, Transfer, User
from tests.api.builders import Estate, stored
from tests.api.harness import Caller

VIEWER: Final = "vera"
AGENT: Final = "carl"
_users = User.__table__


def hire(client: TestClient[Litestar], estate: Estate) -> dict[str, Caller]:
    """Create the people, with Alice's password, and link the agent record of the estate to the agent."""

    def copied(connection: Connection) -> str:
        password_hash = connection.scalar(select(_users.c.password_hash).where(_users.c.id == estate.user_id))
        return str(password_hash)

    common = {"password_hash": estate.database.read_now(copied), "manager_id": estate.user_id}
    stored(estate.database, User, username=VIEWER, role="viewer", **common)
    agent_id = stored(estate.database, User, username=AGENT, role="agent", **common)
    agents, transfers = Agent.__table__, Transfer.__table__

    def link(connection: Connection) -> None:
        connection.execute(update(agents).where(agents.c.id == estate.agent["id"]).values(login_id=agent_id))
        connection.execute(
            update(transfers).where(transfers.c.id == estate.transfer_id).values(agent_id=estate.agent["id"])
        )

    estate.database.write_now(link)
    return {name: Caller(client, name) for name in (VIEWER, AGENT)}
