"""A campaign over FreeSWITCH: from an upload to pressed keys, with the service killed in the middle of a call."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.api.harness import Caller
from tests.carriers.freeswitch.fake_channel import SwitchCallee
from tests.carriers.freeswitch.fake_switch import PASSWORD, FakeSwitch
from tests.end_to_end.killing import client_of
from tests.end_to_end.test_sip_campaign import NO_TRANSFERS, make_campaign
from tests.test_server import ADMIN, serving

ADA: Final = "3545550101"
BERT: Final = "3545550102"
BUSY: Final = "3545550103"
ANY_HOUR: Final = {"DIALER_CALLING_HOURS": "off", "DIALER_ALLOW_ANY_HOUR": "yes-i-have-consent"}
WAIT_S: Final = 40
ASKED_MAX: Final = 20_000
"""Requests for CDRs, the last of which is written a moment after the switch has ended the call."""


class Watched:
    """A switch whose changes a test waits for."""

    def __init__(self, switch: FakeSwitch) -> None:
        self._switch, self._changed = switch, threading.Condition()
        switch.on_change = self._touch

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the switch is in a state."""
        with self._changed:
            assert self._changed.wait_for(is_so, WAIT_S), self._switch.commands

    def _touch(self) -> None:
        with self._changed:
            self._changed.notify_all()


@contextlib.contextmanager
def service(folder: Path) -> Iterator[tuple[Caller, Callable[[], None]]]:
    """Run the service, and yield its admin and a way to kill it."""
    with serving(folder, **ADMIN, **ANY_HOUR) as served, client_of(served.base) as root:
        yield root, lambda: served.process.send_signal(signal.SIGKILL)


def start(
    root: Caller,
    port: int,
    numbers: tuple[str, ...] = (ADA, BERT, BUSY),
    transfers: Mapping[str, str] = NO_TRANSFERS,
    agents: tuple[str, ...] = (),
) -> None:
    """Create a campaign over the switch, and start it. With `agents`, callees are first connected with one of them."""
    root.create("payment", user=1, amount="10")
    root.create("rate-card", user=1, prefix="", rate="0.02", first_increment=60, next_increment=60)
    parameters = {"port": port, "password": PASSWORD, "dial_string": "sofia/gateway/trunk/{number}"}
    made = make_campaign(root, root, numbers, transfers, protocol="freeswitch", parameters=parameters)
    if agents:
        put_a_desk_before_the_question(root, agents)
    root.change(made["url"], status=1)


def put_a_desk_before_the_question(root: Caller, agents: tuple[str, ...]) -> None:
    """Let callees wait two seconds for an agent first. An agent has an hour of work after each call."""
    queue = root.create("queue", name="desk", strategy=1, max_wait_time=2)
    for contact in agents:
        agent = root.create("agent", name=contact, contact=f"+{contact}", status=2, wrap_up_time=3_600)
        root.create("tier", queue=queue["url"], agent=agent["url"])
    (question,) = root.get("section-template/")["results"]
    fields = {"survey": question["survey"], "script": "", "queue": queue["url"]}
    desk = root.create("section-template", **fields, order=1, type=6, question="Our desk")
    root.create("branching-template", section=desk["url"], keys="timeout", goto=question["url"])
    root.create("branching-template", section=desk["url"], keys="0", goto=None)


def rows(root: Caller, path: str, count: int) -> list[dict[str, Any]]:
    """Return the rows of a list once it has so many."""
    found: list[dict[str, Any]] = []
    for _ in range(ASKED_MAX):
        found = root.get(path)["results"]
        if len(found) >= count:
            break
    return found


def test_pressed_keys_are_answers_once_though_the_service_is_killed_in_the_call(tmp_path: Path) -> None:
    callees = {
        ADA: SwitchCallee(keys=["1"]),
        BERT: SwitchCallee(keys=[None, "1"]),
        BUSY: SwitchCallee(cause="USER_BUSY"),
    }
    with FakeSwitch(callees) as switch:
        watched = Watched(switch)
        with service(tmp_path) as (root, kill):
            start(root, switch.port)
            watched.until(
                lambda: len(switch.dialled) == 3 and [one.number for one in switch.channels.values()] == [BERT]
            )
            watched.until(lambda: BERT in {number for number, *_ in switch.applications})
            assert len(rows(root, "cdr/", 2)) == 2
            kill()
        with service(tmp_path) as (root, _):
            watched.until(lambda: not switch.channels)
            cdrs = rows(root, "cdr/", 3)
            answers = rows(root, "survey-result/", 2)
    found = sorted((one["phone_number"], one["hangup_cause_q850"], one["call_cost"]) for one in cdrs)
    assert found == [(f"+{ADA}", 16, "0.02000"), (f"+{BERT}", 16, "0.02000"), (f"+{BUSY}", 17, "0.00000")]
    assert [(one["question"], one["response"]) for one in answers] == [("Will you come?", "yes")] * 2
    asked = sorted(number for number, application, _ in switch.applications if application == "play_and_get_digits")
    assert (asked, set(switch.dialled.values()), switch.nested) == ([ADA, BERT, BERT], {1}, [])


def test_a_caller_is_asked_again_after_the_service_was_killed_and_answers_once(tmp_path: Path) -> None:
    """Somebody else calls while no process runs, and is answered by the next one."""
    ours, zoe, yan = "3545550199", "3545559999", "3545559998"
    with FakeSwitch({zoe: SwitchCallee(keys=[None, "1"]), yan: SwitchCallee(keys=["1"])}) as switch:
        watched = Watched(switch)
        with service(tmp_path) as (root, kill):
            parameters = {"port": switch.port, "password": PASSWORD, "dial_string": "sofia/gateway/trunk/{number}"}
            made = make_campaign(root, root, [ADA], protocol="freeswitch", parameters=parameters)
            root.change(made["url"], startingdate="2037-01-01 00:00:00", expirationdate="2037-01-02 00:00:00")
            root.change(made["url"], status=1)
            root.create("did", did_number=f"+{ours}", campaign=made["url"])
            watched.until(lambda: "filter Event-Name HEARTBEAT" in switch.commands)
            key = switch.call_in(zoe, ours, "gateway-1")
            watched.until(lambda: len(switch.applications) == 1)
            kill()
        later = switch.call_in(yan, ours, "gateway-1")
        with service(tmp_path) as (root, _):
            watched.until(lambda: not switch.channels)
            cdrs = rows(root, "cdr/", 2)
            answers = rows(root, "survey-result/", 2)
            requests = rows(root, "callrequest/", 2)
    names = ("callid", "callerid", "phone_number", "hangup_cause_q850", "subscriber_id")
    found = {tuple(cdr[name] for name in names) for cdr in cdrs}
    assert found == {(key, f"+{zoe}", f"+{ours}", 16, 0), (later, f"+{yan}", f"+{ours}", 16, 0)}
    assert {(one["callid"], one["response"]) for one in answers} == {(key, "yes"), (later, "yes")}
    assert [one["subscriber"] for one in requests] == [None, None]
    picked_up = [one for one in switch.commands if "uuid_answer" in one]
    assert picked_up == [f"api uuid_answer {key}", f"api uuid_answer {later}"]


def test_two_legs_go_on_talking_though_the_service_is_killed(tmp_path: Path) -> None:
    """Bert's transfer finds a busy telephone, so he is asked the question. Ada's goes on until her clerk hangs up."""
    clerk, engaged = "3545550201", "3545550202"
    callees = {BERT: SwitchCallee(keys=["1"]), engaged: SwitchCallee(cause="USER_BUSY")}
    with FakeSwitch(callees) as switch:
        watched = Watched(switch)
        with service(tmp_path) as (root, kill):
            start(root, switch.port, (ADA, BERT), {ADA: clerk, BERT: engaged})
            watched.until(lambda: {one.number for one in switch.channels.values() if one.other} == {ADA})
            assert len(rows(root, "cdr/", 2)) == 2
            kill()
        with service(tmp_path) as (root, _):
            watched.until(lambda: "uuid_dump" in switch.commands[-1] or "uuid_dump" in switch.commands[-2])
            switch.hang_up(clerk)
            watched.until(lambda: not switch.channels)
            cdrs = rows(root, "cdr/", 4)
    found = sorted((one["leg_type"], one["phone_number"], one["hangup_cause_q850"]) for one in cdrs)
    assert found == [(1, f"+{ADA}", 16), (1, f"+{BERT}", 16), (2, f"+{clerk}", 16), (2, f"+{engaged}", 17)]
    assert (len(switch.dialled), set(switch.dialled.values()), switch.nested) == (4, {1}, [])
    bridges = [one for one in switch.commands if one.startswith("api uuid_bridge")]
    assert (len(bridges), [one for one in switch.commands if "uuid_park" in one]) == (1, [])


def test_a_callee_talks_to_the_agent_who_answers_and_who_then_rests(tmp_path: Path) -> None:
    """Bea's telephone is busy, so Dan talks to Ada. He has work to do after it: Bert waits in vain, and is asked."""
    bea, dan = "3545550301", "3545550302"
    callees = {BERT: SwitchCallee(rings=True, keys=["1"]), bea: SwitchCallee(cause="USER_BUSY")}
    with FakeSwitch(callees) as switch, service(tmp_path) as (root, _):
        watched = Watched(switch)
        start(root, switch.port, (ADA, BERT), agents=(bea, dan))
        watched.until(lambda: {one.number for one in switch.channels.values() if one.other} == {ADA})
        switch.hang_up(dan)
        watched.until(lambda: {one.number for one in switch.channels.values()} == {BERT})
        switch.answer(BERT)
        watched.until(lambda: not switch.channels)
        cdrs = rows(root, "cdr/", 3)
        transfers = {(one["agent"] or "")[-8:]: one["reason"] for one in rows(root, "transfer/", 2)}
        (answer,) = [one for one in rows(root, "survey-result/", 2) if one["question"] != "Our desk"]
    found = sorted((one["leg_type"], one["phone_number"], one["hangup_cause_q850"]) for one in cdrs)
    assert found == [(1, f"+{ADA}", 16), (1, f"+{BERT}", 16), (2, f"+{dan}", 16)]
    assert transfers == {"agent/2/": "", "": "max_wait"}
    assert answer["response"] == "yes"
    rung = [one.rpartition("/")[2].partition(" ")[0] for one in switch.commands if "originate" in one]
    assert (rung.count(dan), rung.count(ADA), bea in rung, switch.nested) == (1, 1, True, [])
