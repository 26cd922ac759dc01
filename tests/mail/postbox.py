"""A real mail server on this machine, which keeps what it takes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, Final

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from anyio import lowlevel

HOST: Final = "127.0.0.1"
USER: Final = "ada"
SECRET: Final = "p@ss:w/rd"


class Postbox:
    """The handler of the server. It refuses what it is told to refuse."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.envelopes: list[tuple[str | None, list[str]]] = []
        self.answers: dict[str, str] = {}
        """The refusals by recipient, such as `550 No such user`."""

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, _server: object, _session: object, envelope: Envelope, address: str, _options: object
    ) -> str:
        """Take a recipient, or refuse them."""
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: object, _session: object, envelope: Envelope) -> str:  # noqa: N802 - as above
        """Keep a mail."""
        content: Any = envelope.content
        mail: Any = message_from_bytes(content, policy=default)
        self.mails.append(mail)
        self.envelopes.append((envelope.mail_from, envelope.rcpt_tos))
        return "250 Taken"


@asynccontextmanager
async def serving(box: Postbox, host: str = HOST, **options: Any) -> AsyncIterator[str]:  # noqa: ANN401 - of the library
    """Serve a mailbox while the context is entered, and yield its host and port."""
    loop = asyncio.get_running_loop()
    connections: list[SMTP] = []

    def connection() -> SMTP:
        connections.append(SMTP(box, loop=loop, **options))
        return connections[-1]

    server = await loop.create_server(connection, host, 0)
    try:
        yield f"{host}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for one in connections:
            if isinstance(one.transport, asyncio.Transport):
                one.transport.abort()
        await lowlevel.checkpoint()
        await lowlevel.checkpoint()


def knows_ada(_server: object, _session: object, _envelope: object, _mechanism: str, given: object) -> AuthResult:
    """Let one user in."""
    is_right = isinstance(given, LoginPassword) and given == LoginPassword(USER.encode(), SECRET.encode())
    return AuthResult(success=is_right, handled=False)
