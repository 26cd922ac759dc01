"""Tests of a call in which a program talks: the order, each way on, and a worker that begins anew."""

from typing import Any, Final

import pytest

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.agent_access import AgentAccess
from dialer.domain.calls.plans import Call, CampaignPlan, Subscriber
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Answered, Clear, Converse, Done, Order, Play, Speech
from dialer.domain.sessions.session_state import Stage
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from tests.gateways import FIRST

URL: Final = "wss://agent.example/calls"
CALLID: Final = "0a1b2c3d-0000-8000-8000-0123456789ab"
SECRET: Final = "made-up"
GOODBYE: Final = Section(2, SectionType.HANG_UP, "Goodbye", Prompt(script="Goodbye"))


def answered(**fields: Any) -> tuple[IvrSession, Order]:  # noqa: ANN401 - any field of a section
    """Return the session of an answered call that begins with a program, and its first order."""
    usual: dict[str, Any] = {
        "agent_url": URL,
        "agent_parameters": "first_name, order_id, nothing",
        "disclosure_prompt": Prompt(script="You talk with a program, {first_name}."),
        "branches": {"0": 2},
    }
    talk = Section(1, SectionType.CONVERSATION, "Talk", Prompt(), **usual | fields)
    plan = CampaignPlan(
        7,
        1,
        FIRST,
        CallFlow(Survey((talk, GOODBYE))),
        0,
        2**50,
        agents=AgentAccess("AC" + "1" * 32, {1: SECRET}),
    )
    callee = Subscriber(1, "+12025550100", "", full_name="Ada Byron", additional_vars='{"order_id": 42}')
    call = Call(1, CALLID, plan, callee, 1, 0, 30_000, 900_000, 0, Rate(0), callerid="+12025550199")
    session = IvrSession(call)
    (order,) = session.hear(1_000, Answered(0, "handle")).orders
    return session, order


def test_the_order_has_all_that_the_line_needs_and_nothing_else_of_the_contact() -> None:
    _, order = answered()
    assert order == Converse(
        1,
        (Speech(text="You talk with a program, Ada."),),
        URL,
        20_000,
        5_000,
        CALLID,
        {
            "first_name": "Ada",
            "order_id": "42",
            "from_number": "+12025550199",
            "to_number": "+12025550100",
            "campaign": "7",
            "attempt": "1",
            "direction": "outbound",
        },
        "AC" + "1" * 32,
        SECRET,
        account_id=1,
    )
    assert SECRET not in repr(order)


def test_the_result_is_the_answer_and_the_summary_stands_beside_it() -> None:
    session, _ = answered()
    (order,) = session.hear(9_000, Done(1, 0, '{"age":7}', branch="0", summary="A child.")).orders
    assert order == Play(2, (Speech(text="Goodbye"),))
    (result,) = session.results
    assert (result.response, result.summary, result.at_ms) == ('{"age":7}', "A child.", 9_000)


def test_a_result_is_no_longer_than_it_may_be_and_the_inputs_keep_short_ones() -> None:
    session, _ = answered()
    session.hear(9_000, Done(1, 0, "x" * 99_999, branch="7" * 99, summary="s" * 99_999))
    (result,) = session.results
    assert (len(result.response), len(result.summary)) == (16_384, 4_000)
    assert session.heard[0].text == "/" + "7" * 15


@pytest.mark.parametrize("branch", ["", "invalid"])
def test_without_a_program_the_callee_hears_the_script_and_the_call_goes_on(branch: str) -> None:
    session, _ = answered(branches={"invalid": 2})
    (order,) = session.hear(9_000, Done(1, 0, branch=branch)).orders
    assert order == Play(2, (Speech(text="Goodbye"),))


def test_the_fallback_is_heard_before_the_branch_and_again_after_a_restart() -> None:
    talk = Section(1, SectionType.CONVERSATION, "Talk", Prompt(script="Nobody is here"), agent_url=URL)
    plan = CampaignPlan(7, 1, FIRST, CallFlow(Survey((talk,))), 0, 2**50)
    call = Call(1, CALLID, plan, Subscriber(1, "+12025550100", ""), 1, 0, 30_000, 900_000, 0, Rate(0))
    session = IvrSession(call)
    session.hear(1_000, Answered(0, "handle"))
    (order,) = session.hear(9_000, Done(1, 0, branch="invalid")).orders
    assert (order, session.stage) == (Play(2, (Speech(text="Nobody is here"),)), Stage.FALLING_BACK)
    again = IvrSession.continued(call, session.state)
    (order,) = again.resume(9_500).orders
    assert order == Play(3, (Speech(text="Nobody is here"),))
    (order,) = again.hear(12_000, Done(3, 0)).orders
    assert order == Clear(4)


def test_a_worker_that_begins_anew_goes_on_with_the_conversation() -> None:
    session, _ = answered()
    again = IvrSession.continued(session.call, session.state)
    (order,) = again.resume(5_000).orders
    assert isinstance(order, Converse)
    assert (order.turn, order.goes_on, order.speeches, order.secret) == (2, True, (), SECRET)
    assert again.hear(9_000, Done(1, 0, branch="0")).orders == ()
    (order,) = again.hear(9_000, Done(2, 0, branch="0")).orders
    assert order == Play(3, (Speech(text="Goodbye"),))
