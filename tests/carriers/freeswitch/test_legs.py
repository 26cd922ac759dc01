"""Tests of legs in the switch, without a switch: events in, commands and news out."""

from typing import Final

import pytest

from dialer.carriers.freeswitch.events import SwitchEvent
from dialer.carriers.freeswitch.leg_lookup import over_by_note
from dialer.carriers.freeswitch.legs import (
    QUIET_MS,
    RECORDING_MS_MAX,
    STOP_MS,
    LegOutput,
    Look,
    Say,
    SwitchLegs,
    Tell,
)
from dialer.carriers.freeswitch.parameters import FreeSwitchParameters
from dialer.carriers.line_port import LiveLeg, Over
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Ask,
    Bridge,
    Clear,
    Confer,
    Detect,
    Dialling,
    Done,
    Ended,
    Hold,
    Play,
    Record,
    Speech,
)
from dialer.domain.words.enums import AmdStatus, Cause

ADA: Final = Dialling("ada", "1", "", 30_000, 60_000)
KILL: Final = Say("api uuid_kill ada NORMAL_CLEARING")
PARAMETERS: Final = FreeSwitchParameters(password="x", dial_string="user/{number}")


def event(name: str, **fields: str) -> SwitchEvent:
    """Return an event of Ada's leg. Names of headers have `_` for `-`."""
    named = {key if key[0].islower() else key.replace("_", "-"): value for key, value in fields.items()}
    return SwitchEvent({"Event-Name": name, "Unique-ID": "ada", "Core-UUID": "core", **named})


def legs(parameters: FreeSwitchParameters = PARAMETERS) -> SwitchLegs:
    """Return Ada's leg, dialled."""
    one = SwitchLegs(parameters, "gateway-1", lambda name: f"/media/{name}")
    one.dial(0, ADA)
    return one


def said(outputs: list[LegOutput]) -> list[str]:
    """Return the first lines of commands, and the applications of executions."""
    texts = [one.command for one in outputs if isinstance(one, Say)]
    return [text.partition("execute-app-name: ")[2].partition("\n")[0] or text for text in texts]


def test_a_leg_that_was_given_up_is_ended_whenever_it_appears() -> None:
    ours = legs()
    assert ours.lose("ada") == [KILL]
    assert [ours.hear(1, event(name)) for name in ("CHANNEL_CREATE", "CHANNEL_ANSWER")] == [[KILL], [KILL]]
    assert ours.hear(2, event("CHANNEL_HANGUP_COMPLETE", Answer_State="hangup")) == []


def test_a_leg_that_was_cleared_before_its_channel_existed_is_ended_once_it_exists() -> None:
    ours = legs()
    assert ours.perform(0, "ada", Clear(1)) == [KILL]
    assert ours.hear(1, event("CHANNEL_CREATE"))[1:] == [KILL]
    assert ours.hear(2, event("CHANNEL_ANSWER")) == [Tell("ada", Answered(0, "core")), KILL]


def test_what_an_order_needs_is_prepared_before_it() -> None:
    """Variables keep their last values, and the switch keeps keys for the next reader."""
    ours = legs()
    assert said(ours.perform(0, "ada", Ask(1, (), 1, 1))) == ["api uuid_flush_dtmf ada", "play_and_get_digits"]
    done = event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:1", variable_keys_1="1x2", variable_keys_2="9")
    assert ours.hear(1, done) == [Tell("ada", Done(1, 0, "12"))]
    assert said(ours.perform(2, "ada", Record(2, "r.wav"))) == [
        "api uuid_setvar ada record_ms",
        "api uuid_flush_dtmf ada",
        "api uuid_setvar ada playback_terminators #",
        "record",
    ]
    ours.hear(3, event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:2"))
    assert said(ours.perform(4, "ada", Play(3, ()))) == ["api uuid_setvar ada playback_terminators none", "playback"]
    ours.hear(5, event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:3"))
    assert said(ours.perform(6, "ada", Confer(4, "room"))) == [
        "api uuid_setvar ada conference_controls none",
        "conference",
    ]


def test_a_recording_that_the_switch_does_not_end_is_ended() -> None:
    """As when it reads no frames of a callee on hold, and so counts no silence."""
    ours = legs()
    ours.hear(0, event("CHANNEL_ANSWER"))
    ours.perform(0, "ada", Record(2, "r.wav"))
    stop = Say("api uuid_break ada all")

    def breaks(at_ms: int) -> list[LegOutput]:
        return [one for one in ours.tick(at_ms) if one == stop]

    assert [breaks(at_ms) for at_ms in (100, RECORDING_MS_MAX + 99, RECORDING_MS_MAX + 100)] == [[], [], [stop]]
    assert [breaks(RECORDING_MS_MAX + 100 + more) for more in (1, STOP_MS)] == [[], [stop]]
    done = event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:2", variable_record_ms="2400")
    assert ours.hear(200_000, done) == [Tell("ada", Done(2, 0, recording_ms=2_400))]
    ours.perform(200_000, "ada", Play(3, ()))
    assert breaks(900_000) == []
    ours.hear(900_000, event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:3"))
    ours.perform(900_000, "ada", Record(4, "r.wav"))
    assert [breaks(at_ms) for at_ms in (900_000, 900_000 + RECORDING_MS_MAX)] == [[], [stop]]


def test_the_end_of_another_programs_application_is_not_the_end_of_an_order() -> None:
    ours = legs()
    ours.perform(0, "ada", Play(1, ()))
    for order in ("bert:1", "1", "", "ada:2", "ada:0"):
        assert ours.hear(1, event("CHANNEL_EXECUTE_COMPLETE", Application_UUID=order)) == []
    assert ours.hear(1, event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:1")) == [Tell("ada", Done(1, 0))]


@pytest.mark.parametrize(
    ("application", "stop"), [("playback", "api uuid_break ada all"), ("conference", "api uuid_park ada")]
)
def test_an_adopted_leg_stops_the_order_of_the_process_before(application: str, stop: str) -> None:
    ours = SwitchLegs(PARAMETERS, "gateway-1", lambda name: name)
    ours.adopt(0, ADA, SwitchEvent({"variable_current_application": application}))
    assert said(ours.perform(0, "ada", Hold(4))) == [stop]
    assert list(ours.tick(STOP_MS - 1)) == []
    assert said(list(ours.tick(STOP_MS))) == ["endless_playback"]
    assert said(list(ours.tick(STOP_MS + 1))) == []


def test_an_adopted_leg_that_is_parked_obeys_at_once() -> None:
    ours = SwitchLegs(PARAMETERS, "gateway-1", lambda name: name)
    ours.adopt(0, ADA, SwitchEvent({"variable_current_application": "park"}))
    assert said(ours.perform(0, "ada", Hold(4))) == ["endless_playback"]


def test_a_leg_whose_prompt_cannot_be_named_is_ended() -> None:
    """A survey whose prompts nobody hears would run through."""
    assert legs().perform(0, "ada", Play(1, (Speech("../a b;.wav"),))) == [KILL]


def test_without_detection_the_callee_is_undecided() -> None:
    ours = legs(FreeSwitchParameters(password="x", dial_string="user/{number}", amd="none"))
    assert ours.perform(0, "ada", Detect(1)) == [Tell("ada", Done(1, 0, status=AmdStatus.UNSURE))]


def test_a_leg_that_is_adopted_in_a_recording_hears_its_next_prompt_whole() -> None:
    ours = SwitchLegs(PARAMETERS, "gateway-1", lambda name: name)
    ours.adopt(0, ADA, SwitchEvent({"variable_current_application": "park", "variable_playback_terminators": "#"}))
    assert said(ours.perform(0, "ada", Hold(4))) == [
        "api uuid_setvar ada playback_terminators none",
        "endless_playback",
    ]


@pytest.mark.parametrize(
    ("timeout", "listenhits", "silence_hits", "status"),
    [
        ("false", "", "", AmdStatus.PERSON),
        ("true", "0", "25", AmdStatus.UNSURE),
        ("true", "5", "25", AmdStatus.UNSURE),
        ("true", "6", "12", AmdStatus.MACHINE),
        ("true", "90", "0", AmdStatus.PERSON),
        ("true", "", "", AmdStatus.MACHINE),
    ],
)
def test_a_callee_who_says_nothing_is_undecided(
    timeout: str, listenhits: str, silence_hits: str, status: AmdStatus
) -> None:
    """`wait_for_silence` tells how many frames were loud, and how many more it would have had to wait."""
    ours = legs()
    before = said(ours.perform(0, "ada", Detect(1)))
    names = ("timeout", "listenhits", "silence_hits")
    assert before == [*(f"api uuid_setvar ada wait_for_silence_{name}" for name in names), "wait_for_silence"]
    found = {
        "variable_wait_for_silence_timeout": timeout,
        "variable_wait_for_silence_listenhits": listenhits,
        "variable_wait_for_silence_silence_hits": silence_hits,
    }
    done = event("CHANNEL_EXECUTE_COMPLETE", Application_UUID="ada:1", **found)
    assert ours.hear(1, done) == [Tell("ada", Done(1, 0, status=status))]


def test_a_quiet_leg_is_asked_about_again_and_again() -> None:
    ours = legs()
    times = (QUIET_MS - 1, QUIET_MS, QUIET_MS + 1, 2 * QUIET_MS)
    assert [list(ours.tick(now_ms)) for now_ms in times] == [[], [Look("ada")], [], [Look("ada")]]


@pytest.mark.parametrize(
    ("note", "answered_age_ms", "found"),
    [
        (
            "16_1000000000_3000000000_ALLOTTED_TIMEOUT",
            None,
            Over(Ended(500, Cause.NORMAL_CLEARING), Answered(2_000_500, "")),
        ),
        ("16_1000000000_3000000000_NORMAL_CLEARING", 2_000_700, Over(Ended(700, Cause.NORMAL_CLEARING))),
        ("17_0_3000000000_USER_BUSY", None, Over(Ended(500, Cause.USER_BUSY))),
        ("16_0_3000000000_GATEWAY_DOWN\n", None, Over(Ended(500, Cause.NETWORK_OUT_OF_ORDER))),
        ("-ERR no reply", None, None),
        ("", None, None),
        ("1_2_3", None, None),
    ],
)
def test_the_note_of_an_end_tells_cause_and_ages(note: str, answered_age_ms: int | None, found: Over | None) -> None:
    """The talk lasted as long as the switch's clock says, whatever ours does."""
    assert over_by_note(note, LiveLeg(ADA, 9, answered_age_ms), 3_000_500) == found


def test_two_legs_that_were_found_connected_go_on_talking() -> None:
    """Another order parks the leg first, which ends the bridge."""
    ours = legs()
    ours.adopt(1, ADA, event("CHANNEL_DATA", variable_bridge_uuid="bob"))
    assert ours.perform(2, "ada", Bridge(4, "bob")) == []
    assert ours.hear(3, event("CHANNEL_UNBRIDGE")) == [Tell("ada", Done(4, 0))]
    ours.adopt(4, ADA, event("CHANNEL_DATA", variable_bridge_uuid="bob"))
    ours.perform(5, "ada", Bridge(5, "bob"))
    assert ours.perform(6, "ada", Bridge(6, "eve")) == [Say("api uuid_park ada")]
    assert said(ours.hear(7, event("CHANNEL_UNBRIDGE"))) == ["api uuid_bridge ada eve"]
