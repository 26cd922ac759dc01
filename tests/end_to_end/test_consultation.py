"""An agent consults another one in a call of a campaign: three telephones of another maker, and tones at each.

The queue needs a skill. So the telephone of the agent who lacks it does not ring, until the other one consults them.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from tests.api.harness import Caller
from tests.carriers.pitches import PITCHES
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import Buttons, baresip
from tests.carriers.voice.private_exchange import exchange
from tests.end_to_end.test_sip_campaign import callers
from tests.end_to_end.test_supervision import NUMBERS, furnish, until

__all__ = ["callers"]
CALLEE, AGENT, THIRD = "callee", "agent", "supervisor"
NOBODY: Final[set[str]] = set()
HEARD: Final = {
    "third": {CALLEE: NOBODY, AGENT: {THIRD}, THIRD: {AGENT}},
    "callee": {CALLEE: {AGENT}, AGENT: {CALLEE}, THIRD: NOBODY},
    "all": {CALLEE: {AGENT, THIRD}, AGENT: {CALLEE, THIRD}, THIRD: {CALLEE, AGENT}},
    "hand_over": {CALLEE: {THIRD}, THIRD: {CALLEE}},
}
"""The people whom each of them hears, by what the agent wants."""


def need_a_skill(ann: Caller) -> dict[str, Any]:
    """Let the queue need a skill that its first agent lacks, and its second one, Gus, has. Return the first."""
    (queue,), (gus,) = ann.get("queue/")["results"], ann.get("agent/")["results"]
    (tier,) = ann.get("tier/")["results"]
    una: dict[str, Any] = ann.create("agent", name="Una", contact=f"+{NUMBERS[THIRD]}", status=2)
    ann.change(tier["url"], position=2)
    ann.create("tier", queue=queue["url"], agent=una["url"], position=1)
    ann.change(queue["url"], skills="Icelandic")
    ann.change(gus["url"], skills="icelandic")
    return una


async def consult(ann: Caller, una: dict[str, Any], phones: dict[str, Buttons]) -> None:
    """Let Gus consult Una, talk with each and both, and hand the callee over."""
    await phones[CALLEE].hears_voices({AGENT})
    (call,) = ann.get("callrequest/")["results"]
    path = f"callrequest/{call['id']}"
    assert ann.request("POST", f"{path}/consult/", json={"agent": una["url"]}).status_code == 200
    await phones[THIRD].hears_voices({AGENT})
    for mode, heard in HEARD.items():
        assert ann.request("POST", f"{path}/consultation/", json={"mode": mode}).status_code == 200
        for who, voices in heard.items():
            await phones[who].hears_voices(voices)
    talks = [one["agent"] for one in ann.get("transfer/")["results"] if one["status"] == 2]
    assert talks == [una["url"]]


async def talk(admin: Caller, ann: Caller, folder: Path) -> None:
    """Let the campaign call, the agents consult, and the callee hang up."""
    async with AsyncExitStack() as stack:
        ports, phones = {who: free_port() for who in PITCHES}, {}
        for who, hz in PITCHES.items():
            (folder / who).mkdir()
            phones[who] = await stack.enter_async_context(baresip(folder / who, NUMBERS[who], ports[who], hz))
        port = await stack.enter_async_context(exchange({NUMBERS[who]: ports[who] for who in PITCHES}))
        campaign = furnish(admin, ann, port)
        una = need_a_skill(ann)
        ann.change(campaign["url"], status=1)
        await consult(ann, una, phones)
        await phones[CALLEE].press("hangup")
        await until(lambda: len(ann.get("cdr/")["results"]) == 3)


def test_an_agent_consults_another_one_and_hands_the_callee_over(
    callers: tuple[Caller, Caller], tmp_path: Path
) -> None:
    admin, ann = callers
    asyncio.run(talk(admin, ann, tmp_path))
    cdrs = [(one["leg_type"], one["phone_number"], one["hangup_cause_q850"]) for one in ann.get("cdr/")["results"]]
    seconds = [(2, f"+{NUMBERS[who]}", 16) for who in (AGENT, THIRD)]
    assert sorted(cdrs) == [(1, f"+{NUMBERS[CALLEE]}", 16), *sorted(seconds)]
