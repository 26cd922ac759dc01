"""The access of programs that talk: the name of the installation, and the secrets of a campaign's programs."""

from collections.abc import Mapping

import msgspec


class AgentAccess(msgspec.Struct, frozen=True):
    """The names and secrets with which calls of a campaign connect programs."""

    account_sid: str = ""
    """The name of the installation for its programs: `AC` and 32 hexadecimal digits."""
    secrets: Mapping[int, str] = {}
    """The secrets by the ids of the sections that have one."""

    def __repr__(self) -> str:
        """Return a text without the secrets, for logs."""
        return f"AgentAccess({self.account_sid!r})"


NO_ACCESS = AgentAccess()
