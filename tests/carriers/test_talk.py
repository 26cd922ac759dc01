"""Tests of sessions: over a line, with a restart after every report, a call gives the rows of one walked ahead."""

from collections import deque
from functools import lru_cache
from typing import Any, Final

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from dialer.carriers.engine_port import Milestone
from dialer.domain.billing.charge import Rate
from dialer.domain.calls import call_events, text_events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, CampaignPlan, Subscriber
from dialer.domain.engine.retry import CAUSE_REASONS, disposition
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Answered, Ask, Clear, Dialling, Done, Ended, Play, Ringing, Speech
from dialer.domain.sessions.session_state import Reaction, SessionState, Stage
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import BRANCH_INVALID, BRANCH_TIMEOUT, Prompt, Section, Survey
from dialer.domain.words.enums import AmdStatus, Cause, SectionType, SubscriberStatus
from dialer.sim import simulation
from dialer.sim.callee import Callee, callee_behind
from dialer.sim.callee_line import CalleeLine
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.chance import Chance
from dialer.sim.simulation import Simulation
from tests.carriers.phone import Phone
from tests.gateways import FIRST
from tests.sim.scenes import scenario_of
from tests.vopr.dice import Dice

DOCUMENTS: Final = 60


@lru_cache(64)
def with_files(flow: CallFlow) -> CallFlow:
    """Return a survey whose recordings have file names that tell their lengths."""
    return CallFlow(Survey(tuple(_filed(section) for section in flow.survey.sections)))


def _filed(section: Section) -> Section:
    return structs.replace(section, prompt=filed(section.prompt), invalid_prompt=filed(section.invalid_prompt))


def filed(prompt: Any) -> Any:  # noqa: ANN401 - a prompt, or None
    has_file = prompt is not None and prompt.audio_ms is not None
    return structs.replace(prompt, file=f"{prompt.audio_ms}-ms.wav") if has_file else prompt


class Line:
    """One call with a simulated callee behind a line. Another process takes up its session after every report."""

    def __init__(self, call: Call, phone: Phone) -> None:
        plan = structs.replace(
            call.plan, flow=with_files(call.plan.flow), voicemail_prompt=filed(call.plan.voicemail_prompt)
        )
        self._call = structs.replace(call, plan=plan)
        self._phone = phone
        self._state = SessionState()
        self._reports: deque[Milestone] = deque()

    def next(self) -> Milestone:
        """Go on until something has to be reported."""
        while not self._reports:
            at_ms, heard = self._phone.take()
            self._follow(self._session.hear(at_ms, heard), at_ms)
        return self._reports.popleft()

    def transfer_failed(self, now_ms: int) -> Milestone:
        self._follow(self._session.transfer_over(now_ms, is_connected=False), now_ms)
        return self.next()

    def hang_up(self, now_ms: int) -> CallOutcome:
        """Hang up after everything that was heard until now."""
        while self._phone.next_ms is not None and self._phone.next_ms <= now_ms:
            at_ms, heard = self._phone.take()
            self._follow(self._session.hear(at_ms, heard), at_ms)
        self._follow(self._session.hang_up(), now_ms)
        while True:
            milestone = self.next()
            if isinstance(milestone.event, call_events.CallEnded):
                return milestone.event.outcome

    @property
    def _session(self) -> IvrSession:
        """The session as another process would continue it: from its stored state."""
        document = msgspec.json.encode(self._state)
        self._last = IvrSession.continued(self._call, msgspec.json.decode(document, type=SessionState))
        return self._last

    def _follow(self, reaction: Reaction, at_ms: int) -> None:
        self._state = self._last.state
        for order in reaction.orders:
            self._phone.perform(order, at_ms)
        self._reports.extend(Milestone(at_ms, event) for event in reaction.engine_events)


class LineCarrier(SimulatedCarrier):
    """The simulated carrier, with its calls behind a line."""

    def __init__(self, seed: int, *, is_rehearsal: bool = False) -> None:
        super().__init__(seed, is_rehearsal=is_rehearsal)
        self.lines: dict[int, Line] = {}

    def dial(self, call: Call) -> Milestone | None:
        if call.parts:
            return super().dial(call)
        chance = Chance(self._seed, call.plan.id, call.subscriber.id, call.attempt)
        callee = callee_behind(self._behaviours[call.plan.gateway_id], call.subscriber.number, call.attempt, chance)
        leg = Dialling(call.callid, call.dialled, call.callerid, call.ring_limit_ms, call.talk_limit_ms)
        self.lines[call.id] = Line(call, Phone(leg, callee, call.started_ms))
        return self.lines[call.id].next()

    def proceed(self, call_id: int) -> Milestone | None:
        return self.lines[call_id].next() if call_id in self.lines else super().proceed(call_id)

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        return self.lines[call_id].transfer_failed(now_ms)

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        return None, self.lines.pop(call_id).hang_up(now_ms)

    def forget(self, call_id: int) -> None:
        if self.lines.pop(call_id, None) is None:
            super().forget(call_id)


def made_up(seed: int) -> dict[str, Any]:
    """Return the parts of a scenario with a dozen callees, from a seed."""
    dice = Dice(seed, "talk")
    count = dice.between(1, 6)
    behaviour = {
        "answer": 0.75,
        "machine": dice.pick((0.0, 0.5)),
        "amd_error": dice.pick((0.0, 0.3)),
        "listen": dice.pick((1.0, 0.8, 0.5)),
        "ring": dice.pick((0, [0, 12], [3, 25])),
        "keys": {"1": 0.3, "2": 0.2, "77#": 0.1, "9": 0.1, "12345": 0.1, "": 0.2},
        "key_delay": dice.pick(([0, 2], [1, 8])),
        "talk": [1, 60],
        "sms_reply_stop": 0.5,
    }
    return {
        "seed": seed,
        "survey": {"sections": [made_up_section(dice, place, count) for place in range(1, count + 1)]},
        "gateway": {"parameters": behaviour, "max_channels": dice.pick((0, 3))},
        "account": {"balance": dice.pick(("100", "0.4")), "call_rate": "0.06", "sms_rate": "0.01"},
        "population": {"size": 12, "patterns": ["+4930123456xx", "+331555501xx"]},
        "campaign": {
            "calltimeout": dice.pick((10, 30)),
            "callmaxduration": dice.pick((3, 20, 90, 600)),
            "maxretry": dice.between(0, 2),
            "completion_maxretry": 1,
            "voicemail": dice.happens(50),
            "amd_behavior": dice.between(1, 3),
            "voicemail_audio_seconds": dice.pick((None, 0, 7)),
        },
    }


def made_up_section(dice: Dice, place: int, count: int) -> dict[str, Any]:
    targets: list[int | None] = [*range(1, count + 1), *range(1, count + 1), None]
    return {
        "id": place,
        "type": dice.pick(list(SectionType)),
        "question": f"Section {place}",
        "script": dice.pick(("", "word", "{first_name}, " + "word " * 20)),
        "audio_seconds": dice.pick((None, None, 0, 2.5, 12)),
        "invalid_audio_seconds": dice.pick((None, 3)),
        "retries": dice.between(0, 2),
        "timeout": dice.between(0, 6),
        "key_1": "yes",
        "number_digits": dice.between(1, 4),
        "max_number": dice.pick((50, 9_999)),
        "completed": dice.happens(20),
        "conference": dice.pick(("", "room")),
        "sms_text": "Thank you {contact}",
        "branches": {key: dice.pick(targets) for key in ("0", "1", "any", "timeout", "invalid") if dice.happens(60)},
    }


def rows(parts: dict[str, Any], carrier: type[SimulatedCarrier]) -> tuple[Any, ...]:
    """Return everything that a run has stored."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, "SimulatedCarrier", carrier)
        run = Simulation(scenario_of(**parts))
        run.run()
    store = run.store
    states = [store.standing(one.id) for one in run.subscribers]
    messages = [(call.id, call.callid, call.dialled, call.text, outcome) for call, outcome in store.messages]
    return store.cdrs, store.results, states, messages, store.spent, run.now_ms


@settings(max_examples=DOCUMENTS, deadline=None)
@given(st.integers(0, 2**40))
@example(1)
@example(2)
def test_a_campaign_over_lines_and_restarts_gives_the_rows_of_one_that_is_walked_ahead(seed: int) -> None:
    parts = made_up(seed)
    assert rows(parts, LineCarrier) == rows(parts, SimulatedCarrier)


FLOW: Final = CallFlow(
    Survey(
        (
            Section(
                1, SectionType.SMS, "Text", Prompt(3_000, file="3000-no.wav"), sms_text="Thank you", branches={"0": 2}
            ),
            Section(2, SectionType.CAPTURE_DIGITS, "Age", Prompt(script="Your age?"), branches={"any": 3}),
            Section(3, SectionType.RECORD_MESSAGE, "Say", Prompt(1_000, file="1000-say.wav"), branches={"0": 4}),
            Section(4, SectionType.HANG_UP, "Bye", Prompt()),
        )
    )
)
DIALLED_MS: Final = 1_000_000


def call_of(flow: CallFlow = FLOW, **plan: Any) -> Call:  # noqa: ANN401 - any field of a plan
    """Return a call that was dialled at `DIALLED_MS` and may session for 100 s."""
    return Call(
        id=7,
        callid="callid",
        plan=CampaignPlan(id=1, user_id=1, gateway_id=FIRST, flow=flow, starting_ms=0, expires_ms=2**50, **plan),
        subscriber=Subscriber(1, "+4930123456", "Europe/Berlin"),
        attempt=1,
        started_ms=DIALLED_MS,
        ring_limit_ms=30_000,
        talk_limit_ms=100_000,
        hold=0,
        rate=Rate(0),
    )


def answered(call: Call, after_ms: int = 2_000) -> IvrSession:
    """Return the session of a call that has just been answered."""
    session = IvrSession(call)
    session.hear(DIALLED_MS + after_ms, Answered(0, "handle"))
    return session


def end_of(reaction: Reaction) -> CallOutcome:
    (report,) = reaction.engine_events
    assert isinstance(report, call_events.CallEnded)
    return report.outcome


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**40), st.integers(0, 120_000))
def test_a_call_that_is_hung_up_at_any_moment_ends_as_if_walked_ahead(seed: int, after_ms: int) -> None:
    plan = Simulation(scenario_of(**made_up(seed))).plan
    call = structs.replace(call_of(), plan=plan, amd=plan.amd, talk_limit_ms=plan.callmaxduration_s * 1_000)
    behaviour = parse_behaviour(made_up(seed)["gateway"]["parameters"])

    def callee() -> Callee:
        return callee_behind(behaviour, call.subscriber.number, 1, Chance(seed, 1, 1, 1))

    now_ms, walked = DIALLED_MS + after_ms, CalleeLine(call, callee(), IvrSession(call))
    milestone = walked.dial()
    while milestone is not None and milestone.at_ms <= now_ms:
        if isinstance(milestone.event, call_events.CallEnded | call_events.TransferReached):
            break
        milestone = walked.next()
    leg = Dialling("key", "", "", call.ring_limit_ms, call.talk_limit_ms)
    outcome = Line(call, Phone(leg, callee(), DIALLED_MS)).hang_up(now_ms)
    if milestone is not None and milestone.at_ms <= now_ms and isinstance(milestone.event, call_events.CallEnded):
        assert outcome == milestone.event.outcome
    else:
        assert (None, outcome) == walked.hang_up(now_ms)


def test_a_section_begins_again_after_a_restart_and_its_message_is_not_sent_again() -> None:
    first = IvrSession(call_of())
    reaction = first.hear(DIALLED_MS + 2_000, Answered(0, "handle"))
    prompt = (Speech(file="3000-no.wav", length_ms=3_000),)
    assert reaction == Reaction((Play(1, prompt),), (text_events.TextRequested(7, "+4930123456", "Thank you", 1),))
    second = IvrSession.continued(call_of(), first.state)
    assert second.resume(DIALLED_MS + 4_000) == Reaction((Play(2, prompt),), ())
    assert second.hear(DIALLED_MS + 5_000, Done(1, 0)) == Reaction((), ())
    asked = Ask(3, (Speech(text="Your age?"),), digits_max=2, timeout_ms=5_000)
    assert second.hear(DIALLED_MS + 7_000, Done(2, 0)) == Reaction((asked,), ())


def test_a_recording_that_a_restart_interrupts_is_asked_for_again() -> None:
    session = answered(call_of())
    for turn, keys in ((1, ""), (2, "42"), (3, "")):
        session.hear(DIALLED_MS + 9_000, Done(turn, 0, keys))
    assert session.stage is Stage.RECORDING
    assert IvrSession.continued(call_of(), session.state).resume(0).orders == (
        Play(5, (Speech(file="1000-say.wav", length_ms=1_000),)),
    )


@pytest.mark.parametrize("stage", [Stage.DIALLED, Stage.OVER])
def test_before_the_answer_and_after_the_end_there_is_nothing_to_begin_again(stage: Stage) -> None:
    assert IvrSession(call_of(), stage=stage).resume(0) == Reaction((), ())


def test_an_end_that_is_heard_late_costs_no_more_than_the_talk_limit() -> None:
    session = answered(call_of())
    outcome = end_of(session.hear(DIALLED_MS + 3_600_000, Ended(1_000, Cause.NORMAL_CLEARING)))
    assert (outcome.answered_ms, outcome.ended_ms) == (DIALLED_MS + 2_000, DIALLED_MS + 102_000)


@settings(max_examples=30)
@given(st.lists(st.integers(-(2**70), 2**70), min_size=3, max_size=3))
def test_no_age_moves_a_call_into_the_future_or_before_its_dial(ages: list[int]) -> None:
    session, now_ms = IvrSession(call_of()), DIALLED_MS + 50_000
    session.hear(now_ms, Ringing(ages[0]))
    session.hear(now_ms, Answered(ages[1], "handle"))
    outcome = end_of(session.hear(now_ms, Ended(ages[2], Cause.NORMAL_CLEARING)))
    assert DIALLED_MS <= (outcome.answered_ms or 0) <= outcome.ended_ms <= now_ms


def test_nothing_counts_after_the_end() -> None:
    session = answered(call_of())
    end_of(session.hear(DIALLED_MS + 3_000, Ended(0, Cause.NORMAL_CLEARING)))
    for heard in (Ended(0, Cause.USER_BUSY), Done(1, 0), Answered(0, ""), Ringing(0)):
        assert session.hear(DIALLED_MS + 4_000, heard) == Reaction((), ())
    assert session.hang_up() == Reaction((), ())


def test_an_answer_that_crosses_the_hang_up_begins_no_survey() -> None:
    session = IvrSession(call_of())
    assert session.hang_up() == Reaction((Clear(1),), ())
    assert session.hear(DIALLED_MS + 1_000, Answered(0, "handle")) == Reaction((), ())
    assert end_of(session.hear(DIALLED_MS + 1_000, Ended(0, Cause.NORMAL_CLEARING))).answered_ms is None


def test_a_detection_without_a_result_is_unsure() -> None:
    call = structs.replace(call_of(), amd=2)
    session = answered(call)
    session.hear(DIALLED_MS + 4_000, Done(1, 0))
    outcome = end_of(session.hear(DIALLED_MS + 5_000, Ended(0, Cause.NORMAL_CLEARING)))
    assert (outcome.amd_status, outcome.is_refused_machine) == (AmdStatus.UNSURE, False)


@pytest.mark.parametrize("cause", sorted(Cause))
def test_an_answered_call_has_no_cause_of_one_that_nobody_answered(cause: Cause) -> None:
    """A carrier may end it so, as when a telephone behind it is busy. No statistics may count it as busy."""
    outcome = end_of(answered(call_of()).hear(DIALLED_MS + 9_000, Ended(0, cause, retry_after_ms=60_000)))
    is_of_no_answer = CAUSE_REASONS.get(cause) is not None
    assert outcome.cause is (Cause.NORMAL_CLEARING if is_of_no_answer else cause)
    assert outcome.retry_after_ms == 0
    assert end_of(IvrSession(call_of()).hear(DIALLED_MS + 900, Ended(0, cause))).cause is cause


def test_a_busy_line_is_the_first_signal_of_the_network_and_the_ring_limit_is_none() -> None:
    ends = [Ended(100, cause) for cause in (Cause.USER_BUSY, Cause.NO_ANSWER)]
    signals = [end_of(IvrSession(call_of()).hear(DIALLED_MS + 900, end)).signalled_ms for end in ends]
    assert signals == [DIALLED_MS + 800, None]


@given(st.integers(-(2**40), 2**40))
@settings(max_examples=10)
def test_a_state_moves_with_the_clock(by_ms: int) -> None:
    session = answered(call_of())
    moved = session.state.moved(by_ms)
    assert moved.moved(-by_ms) == session.state
    assert moved.answered_ms == DIALLED_MS + 2_000 + by_ms


ASKED: Final = (
    Section(
        1,
        SectionType.MULTI_CHOICE,
        "Will you come?",
        Prompt(file="ask.wav", audio_ms=2_000),
        key_labels={"1": "yes"},
        branches={"1": 2, BRANCH_INVALID: 2, BRANCH_TIMEOUT: 2},
    ),
    Section(2, SectionType.PLAY_MESSAGE, "Thanks", Prompt(file="bye.wav", audio_ms=1_000), completed=True),
)


@pytest.mark.parametrize("keys", ["1", "", "7"])
def test_a_callee_who_presses_a_key_after_detection_took_them_for_a_machine_is_a_person(keys: str) -> None:
    """Without a key the machine has heard the survey to its end, which completes nothing. A wrong key is a person's."""
    call = structs.replace(call_of(CallFlow(Survey(ASKED))), amd=1)
    session, at_ms = answered(call), DIALLED_MS + 4_000
    heard = session.hear(at_ms, Done(1, 0, status=AmdStatus.MACHINE))
    outcome: CallOutcome | None = None
    for _ in range(20):
        ended = [one for one in heard.engine_events if isinstance(one, call_events.CallEnded)]
        if ended:
            outcome = ended[0].outcome
            break
        at_ms += 1_000
        order = heard.orders[0]
        if isinstance(order, Clear):
            heard = session.hear(at_ms, Ended(0, Cause.NORMAL_CLEARING))
        else:
            heard = session.hear(at_ms, Done(order.turn, 0, answer=keys if isinstance(order, Ask) else ""))
    assert outcome is not None
    status = disposition(call, outcome)
    if keys:
        assert (outcome.amd_status, outcome.is_live, outcome.is_completed) == (AmdStatus.PERSON, True, True)
        assert (status.status, status.reason) == (SubscriberStatus.COMPLETED, "")
    else:
        assert (outcome.amd_status, outcome.is_live, outcome.is_completed) == (AmdStatus.MACHINE, False, False)
        assert (status.status, status.reason) == (SubscriberStatus.FAIL, "machine")
    assert outcome.is_message_left is (keys == "")
