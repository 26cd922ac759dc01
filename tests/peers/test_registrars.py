"""A registration at a registrar that nobody here wrote, and a call that it challenges."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from dialer.domain.sessions.leg_protocol import Answered
from dialer.domain.words.enums import Cause
from tests.peers.matrix import REGISTRATION
from tests.peers.telephones import NUMBER, NpmRegistrar, running
from tests.peers.trunk import trunk

ANNA: Final = {"username": "anna", "password": NpmRegistrar.password, "register": True}


@pytest.mark.parametrize("word", ["secret, with a comma", "wrong"])
async def test_a_registrar_in_node_js(
    tmp_path: Path, record_property: Callable[[str, object], None], word: str
) -> None:
    """MD5, with a challenge of its own to each method."""
    record_property("cell", f"{NpmRegistrar.name}/{REGISTRATION}")
    async with running(NpmRegistrar(tmp_path)) as phone:
        if word == "wrong":
            with pytest.raises(TimeoutError):
                async with trunk(tmp_path, phone.port, **{**ANNA, "password": word}):
                    pass
            assert "registered" not in phone.transcript
            return
        async with trunk(tmp_path, phone.port, **ANNA) as line:
            await phone.shows("registered 3600")
            line.dial(NUMBER)
            await phone.ring()
            await phone.push("answer")
            await line.hears(Answered)
            await phone.push("hang up")
            assert await line.cause() == Cause.NORMAL_CLEARING
        await phone.shows("registered 0")
