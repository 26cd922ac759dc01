"""Calls with telephones that nobody here wrote, one a test. `python -m tests.peers` makes the matrix of the guide."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.peers.cases import CASES, SESSION_S
from tests.peers.matrix import PEERS, SESSION_TIMER
from tests.peers.telephones import Telephone, running
from tests.peers.trunk import trunk
from tests.sizes import IS_WHOLE


@pytest.mark.parametrize(("peer", "case"), [(peer, case) for peer, cases in PEERS.items() for case in cases])
async def test_a_call(
    tmp_path: Path, record_property: Callable[[str, object], None], peer: type[Telephone], case: str
) -> None:
    record_property("cell", f"{peer.name}/{case}")
    if case == SESSION_TIMER and not IS_WHOLE:
        pytest.skip("a session timer takes 45 seconds, and runs under CI=true only")
    more: dict[str, Any] = {"session_expires": SESSION_S} if case == SESSION_TIMER else {}
    async with running(peer(tmp_path)) as phone, trunk(tmp_path, phone.port, **more) as line:
        try:
            await CASES[case](line, phone)
        except BaseException:
            print(phone.transcript)  # noqa: T201 - pytest shows it with the failure
            raise
