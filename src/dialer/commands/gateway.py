"""`dialer gateway`: one call or text message over a gateway, to see what its carrier says."""

import asyncio
from pathlib import Path

import anyio
import rich_click as click

from dialer.app.campaigns.trial_calls import TrialCall, TrialRules, find_trial_call
from dialer.app.work.errors import InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.carriers.parameters import ParametersError
from dialer.carriers.voice.sound_files import SoundFileError
from dialer.carriers.voice.trial_call import Trial, TrialOrder
from dialer.commands.gateway_texts import try_text
from dialer.commands.open_service import open_existing_database, service_settings, settings_from_environment
from dialer.commands.output import print_json, printable, say
from dialer.commands.trial_calls import PlaceCall, caller_of
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.plans import FREESWITCH
from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.numbers.normal_form import is_number
from dialer.runtime.steps.clock import RealClock
from dialer.store.timeline.reading import cause_in_words

NUMBER_LENGTH_MAX = 40


def test(  # noqa: PLR0913 - the options of a command
    gateway_id: int,
    number: str,
    *,
    callerid: str,
    play: Path | None,
    record: Path | None,
    seconds: int,
    ring: int,
    text: str | None,
    full: bool,
    as_json: bool,
) -> None:
    """Place one call over a gateway with the protocol `sip` or `freeswitch`, and print each message."""
    if text is not None:
        _check_number(number)
        try_text(gateway_id, (number, callerid, text), seconds, as_json=as_json)
        return
    call = _trial_call((gateway_id, number, callerid))
    if record is not None and call.protocol == FREESWITCH:
        raise click.UsageError("--record is for SIP gateways: FreeSWITCH keeps recordings on its own machine.")
    place_call = _caller(call)
    order = TrialOrder(call.number, call.callerid, ring * 1_000, seconds * 1_000, play, record)
    trial = Trial(None if as_json else _print, is_full=full)
    try:
        anyio.run(place_call, order, trial)
    except (OSError, SoundFileError) as error:
        raise click.ClickException(f"the call could not be placed: {error}") from None
    except asyncio.CancelledError:
        raise click.Abort from None
    outcome = trial.outcome()
    if as_json:
        print_json(outcome)
    else:
        say(f"cause {outcome.cause}, {cause_in_words(outcome.cause)}: {outcome.because}")
    if outcome.answered_ms is None:
        raise SystemExit(1)


def _check_number(number: str) -> None:
    if spells_emergency(number, None):
        raise click.UsageError(f"{number!r} is an emergency number, which is never dialled.")
    is_dialled = number.strip("+*#0123456789") == "" and number.strip("+*#") != ""
    if len(number) > NUMBER_LENGTH_MAX or not (is_dialled or is_number(number)):
        raise click.UsageError(f"{number[:NUMBER_LENGTH_MAX]!r} is not a number. Use digits, with a + before them.")


def _print(line: str) -> None:
    click.echo(printable(line))


def _trial_call(call: tuple[int, str, str]) -> TrialCall:
    """Return a trial call that may be placed now, by the rules of the service and the real clock."""
    environment = settings_from_environment()
    with open_existing_database(environment) as database:
        settings = service_settings(environment, database)
        rules = TrialRules(settings.default_region, settings.timezone, read_calling_hours(settings.calling_hours))
        try:
            return database.read_now(lambda connection: find_trial_call(connection, call, rules, RealClock().now_ms()))
        except InvalidFieldsError as error:
            raise click.UsageError(
                " ".join(message for messages in error.errors.values() for message in messages)
            ) from None
        except (RefusedError, UnknownRecordError) as error:
            raise click.ClickException(str(error)) from None


def _caller(call: TrialCall) -> PlaceCall:
    """Return a function that places a call over its carrier."""
    try:
        return caller_of(call.protocol, call.parameters)
    except ParametersError as error:
        raise click.ClickException(f"gateway {call.gateway_id}: {error}") from None
