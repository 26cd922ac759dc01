"""Commands to the switch, as text.

Everything that comes from outside is matched against a small alphabet before it is put into a command, since blanks,
commas, quotes, braces, `$` and line breaks have a meaning there.
"""

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from dialer.carriers.freeswitch.parameters import NUMBER, FreeSwitchParameters
from dialer.domain.sessions.leg_protocol import (
    SPEECH_FOLDER,
    Arriving,
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Converse,
    Detect,
    Dialling,
    Hold,
    Order,
    Play,
    Record,
    Speech,
    Supervise,
    Tape,
)
from dialer.domain.words.enums import AmdSensitivity

SoundPath = Callable[[str], str]
"""The path under which the switch finds a file of the media folder."""

EVENTS: Final = (
    "CHANNEL_CREATE CHANNEL_PROGRESS CHANNEL_PROGRESS_MEDIA CHANNEL_ANSWER CHANNEL_EXECUTE_COMPLETE "
    "CHANNEL_UNBRIDGE CHANNEL_HANGUP_COMPLETE CHANNEL_PARK BACKGROUND_JOB HEARTBEAT"
)
RECORDING_S_MAX: Final = 120
RECORDING_SILENCE_S: Final = 5
LOUDNESS: Final = 200
"""Mean sample below which a frame is silent."""
SPEECH_FRAMES_MIN: Final = 5
"""Frames of 20 ms that are speech. With fewer of them, nobody has spoken."""
DETECTIONS: Final = {
    AmdSensitivity.CAUTIOUS: f"{LOUDNESS} 20 {SPEECH_FRAMES_MIN} 7000",
    AmdSensitivity.BALANCED: f"{LOUDNESS} 25 {SPEECH_FRAMES_MIN} 6000",
    AmdSensitivity.EAGER: f"{LOUDNESS} 30 {SPEECH_FRAMES_MIN} 5000",
}
"""Silence of so many frames after speech, within so many milliseconds: a person.

The switch waits for 25 frames more before it tells of the silence.
"""
GREETING_END: Final = f"{LOUDNESS} 50 1 30000"
"""Silence of a second within 30 s: the greeting is over, and so is its beep."""
DIGITS_MAX: Final = 128
"""Limit of `play_and_get_digits`."""
NOTHING: Final = "silence_stream://1"
_NUMBER: Final = re.compile(r"[0-9+*#]{1,40}", re.ASCII)
_CALLERID: Final = re.compile(r"[0-9A-Za-z+]{0,40}", re.ASCII)
_KEY: Final = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)
_FILE: Final = re.compile(rf"(?:{SPEECH_FOLDER}/)?[0-9A-Za-z_][0-9A-Za-z_.-]{{0,254}}", re.ASCII)


class UnfitError(ValueError):
    """A number or a file name cannot be put into a command."""


def service_mark(gateway_id: int) -> str:
    """Return the value of the variable `dialer`, by which the events of a gateway's calls are chosen."""
    return f"gateway-{gateway_id}"


def subscriptions(mark: str) -> list[str]:
    """Return the commands that choose events: those of our channels, and of the switch itself. Filters add up."""
    filters = (f"variable_dialer {mark}", "Event-Name BACKGROUND_JOB", "Event-Name HEARTBEAT")
    return [f"event json {EVENTS}", *(f"filter {event_filter}" for event_filter in filters)]


def originate(parameters: FreeSwitchParameters, leg: Dialling, mark: str) -> str:
    """Return the command that places a call and parks it once it is answered.

    The switch itself ends it at its limits. Early media is no answer: without `ignore_early_media`, it would end the
    limit of ringing. `park_timeout` is not used: it counts from the start of the parking, not of an idle time.

    Raises:
        UnfitError: the number, the caller ID or the key is none.
    """
    _fit(_NUMBER, leg.number)
    _fit(_CALLERID, leg.callerid)
    ring_s, talk_s = -(-leg.ring_limit_ms // 1_000), -(-leg.talk_limit_ms // 1_000)
    variables = {
        **parameters.variables,
        "origination_uuid": _fit(_KEY, leg.key),
        "originate_timeout": str(max(1, ring_s)),
        "ignore_early_media": "true",
        "playback_terminators": "none",
        "hangup_after_bridge": "false",
        "park_after_bridge": "true",
        "dialer": mark,
        "execute_on_answer": f"'sched_hangup +{max(1, talk_s)} allotted_timeout'",
    }
    if leg.callerid:
        variables |= {"origination_caller_id_number": leg.callerid, "origination_caller_id_name": leg.callerid}
    listed = ",".join(f"{name}={value}" for name, value in variables.items())
    where = parameters.dial_string.replace(NUMBER, leg.number)
    return f"bgapi originate {{{listed}}}{where} &park()\nJob-UUID: {leg.key}"


def answers(arriving: Arriving) -> list[str]:
    """Return the commands that answer a parked call: its limit of ringing gives way to that of talking."""
    key, talk_s = arriving.key, max(1, -(-arriving.talk_limit_ms // 1_000))
    return [f"api sched_del {key}", f"api sched_hangup +{talk_s} {key} allotted_timeout", f"api uuid_answer {key}"]


def set_variable(key: str, name: str, value: str = "") -> str:
    """Return the command that sets a variable of a channel, or removes it."""
    return f"api uuid_setvar {key} {name} {value}".rstrip()


def note_the_end(key: str) -> str:
    """Return the command that makes the switch write down the end of a call, for a line that does not hear of it."""
    noted = "${hangup_cause_q850}_${answer_uepoch}_${end_uepoch}_${hangup_cause}"
    return set_variable(key, "api_reporting_hook", f"db insert/dialer/{key}/{noted}")


def execution(key: str, turn: int, application: str, argument: str) -> str:
    """Return the command that makes a channel execute an application. Its end names the turn."""
    return (
        f"sendmsg {key}\ncall-command: execute\nexecute-app-name: {application}\n"
        f"execute-app-arg: {argument}\nevent-uuid: {key}:{turn}"
    )


def application_of(order: Order, parameters: FreeSwitchParameters, path: SoundPath) -> tuple[str, str] | None:
    """Return the application that performs an order, and its argument; None if the order needs no application.

    Raises:
        UnfitError: the name of a file is none.
    """
    application: tuple[str, str] | None = None
    match order:
        case Detect(sensitivity=sensitivity) if parameters.amd == "silence":
            application = "wait_for_silence", DETECTIONS[sensitivity]
        case AwaitBeep():
            application = "wait_for_silence", GREETING_END
        case Play(speeches=speeches):
            application = "playback", _sounds(speeches, path)
        case Ask():
            application = "play_and_get_digits", _asking(order, path)
        case Record(name=name):
            where = path(_fit(_FILE, name))
            application = "record", f"{where} {RECORDING_S_MAX} {LOUDNESS} {RECORDING_SILENCE_S}"
        case Confer(room=room):
            # Rooms are named by users, with any characters.
            application = "conference", f"dialer-{blake2b(room.encode(), digest_size=12).hexdigest()}@default"
        case Hold(file=file):
            application = "endless_playback", path(_fit(_FILE, file)) if file else parameters.hold_music
        case Detect() | Bridge() | Converse() | Supervise() | Clear() | Tape():
            pass
    return application


def keys_variable(turn: int) -> str:
    """Return the variable with the keys of an `Ask`: one a turn, because the last one's value stays."""
    return f"keys_{turn}"


def is_fit_key(key: str) -> bool:
    """Return whether a key can be put into a command."""
    return _KEY.fullmatch(key) is not None


def _asking(ask: Ask, path: SoundPath) -> str:
    most = min(max(1, ask.digits_max), DIGITS_MAX)
    timeout_ms = max(1, ask.timeout_ms)
    sounds = _sounds(ask.speeches, path)
    return f"0 {most} 1 {timeout_ms} # {sounds} {NOTHING} {keys_variable(ask.turn)} .* {timeout_ms}"


def _sounds(speeches: tuple[Speech, ...], path: SoundPath) -> str:
    """Return the files of a prompt. Texts that were not spoken are left out."""
    files = [path(_fit(_FILE, speech.file)) for speech in speeches if speech.file]
    if len(files) > 1:
        return "file_string://" + "!".join(files)
    return files[0] if files else NOTHING


def _fit(allowed: re.Pattern[str], text: str) -> str:
    if allowed.fullmatch(text) is None:
        raise UnfitError(f"{text[:40]!r} cannot be put into a command")
    return text
