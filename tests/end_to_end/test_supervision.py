"""A supervisor in a call of a campaign: three telephones of another maker, and nothing between them but the service."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from tests.api.harness import Caller
from tests.carriers.pitches import PITCHES
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import Buttons, baresip
from tests.carriers.voice.private_exchange import exchange
from tests.carriers.voice.test_baresip import BOTH, HEARD
from tests.end_to_end.test_sip_campaign import ASKED_MAX, callers, make_campaign

__all__ = ["callers"]
NUMBERS: Final = {"callee": "3545550101", "agent": "3545550301", "supervisor": "3545550401"}


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until the service says that something holds. The telephones live meanwhile."""
    for _ in range(ASKED_MAX):
        if await asyncio.to_thread(is_so):
            return
    raise AssertionError("it never holds")


def furnish(admin: Caller, ann: Caller, port: int) -> dict[str, Any]:
    """Create a campaign that connects its callee with an agent. Ann's telephone is the supervisor's."""
    parameters = {"server": f"127.0.0.1:{port}", "session_expires": 0}
    made = make_campaign(admin, ann, [NUMBERS["callee"]], protocol="sip", parameters=parameters)
    queue = ann.create("queue", name="desk")
    agent = ann.create("agent", name="Gus", contact=f"+{NUMBERS['agent']}", status=2)
    ann.create("tier", queue=queue["url"], agent=agent["url"])
    survey = ann.get("survey-template/")["results"][0]["url"]
    ann.create("section-template", survey=survey, order=1, type=6, question="Our desk", queue=queue["url"])
    admin.change("users/2/", telephone=f"+{NUMBERS['supervisor']}")
    return made


async def supervise(ann: Caller, phones: dict[str, Buttons]) -> None:
    """Hear the only call in each mode, stop, and hear it again until the supervisor hangs up."""
    await phones["callee"].hears_voices({"agent"})
    (call,) = ann.get("callrequest/")["results"]
    path = f"callrequest/{call['id']}"

    def is_over() -> bool:
        return int(ann.request("GET", f"{path}/listen/").status_code) == 404

    for mode, (callee, agent) in HEARD.items():
        assert ann.request("POST", f"{path}/listen/", json={"mode": mode}).status_code == 200
        for who, voices in (("supervisor", BOTH), ("callee", callee), ("agent", agent)):
            await phones[who].hears_voices(voices)
    await phones["supervisor"].press("hangup")
    await until(is_over)
    for who, voices in (("callee", {"agent"}), ("agent", {"callee"})):
        await phones[who].hears_voices(voices)
    assert ann.get(f"{path}/")["status"] == call["status"]


async def talk(admin: Caller, ann: Caller, folder: Path) -> None:
    """Let the campaign call, a supervisor hear the call, and the callee hang up."""
    async with AsyncExitStack() as stack:
        ports, phones = {who: free_port() for who in PITCHES}, {}
        for who, hz in PITCHES.items():
            (folder / who).mkdir()
            phones[who] = await stack.enter_async_context(baresip(folder / who, NUMBERS[who], ports[who], hz))
        port = await stack.enter_async_context(exchange({NUMBERS[who]: ports[who] for who in PITCHES}))
        ann.change(furnish(admin, ann, port)["url"], status=1)
        await supervise(ann, phones)
        await phones["callee"].press("hangup")
        await until(lambda: len(ann.get("cdr/")["results"]) == 2)


def test_a_supervisor_hears_a_call_of_a_campaign_and_nobody_pays_for_that(
    callers: tuple[Caller, Caller],
    tmp_path: Path,
) -> None:
    admin, ann = callers
    asyncio.run(talk(admin, ann, tmp_path))
    cdrs = [(one["leg_type"], one["phone_number"], one["hangup_cause_q850"]) for one in ann.get("cdr/")["results"]]
    assert sorted(cdrs) == [(1, f"+{NUMBERS['callee']}", 16), (2, f"+{NUMBERS['agent']}", 16)]
    kinds = [entry["kind"] for entry in ann.get("ledger/")["results"]]
    assert sorted(kinds) == ["call", "call", "payment"]
