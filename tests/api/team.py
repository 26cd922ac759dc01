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


def hire(client: TestClient[Litestar], estate: Estate) -> dict[str, Caller]:
    """Create the people, with Alice's password, and link the agent record of the estate to the agent."""

    def copied(connection: Connection) -> str:
        password_hash = connection.scalar(select(User.password_hash).where(User.id == estate.user_id))
        return str(password_hash)

    common = {"password_hash": estate.database.read_now(copied), "manager_id": estate.user_id}
    stored(estate.database, User, username=VIEWER, role="viewer", **common)
    agent_id = stored(estate.database, User, username=AGENT, role="agent", **common)

    def link(connection: Connection) -> None:
        connection.execute(update(Agent).where(Agent.id == estate.agent["id"]).values(login_id=agent_id))
        connection.execute(
            update(Transfer).where(Transfer.id == estate.transfer_id).values(agent_id=estate.agent["id"])
        )

    estate.database.write_now(link)
    return {name: Caller(client, name) for name in (VIEWER, AGENT)}
