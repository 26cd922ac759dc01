"""`dialer gateway`: one call or text message over a gateway, to see what its carrier says."""

import asyncio
from pathlib import Path

import anyio
import rich_click as click

from dialer.app.campaigns.trial_calls import TrialCall, TrialRules, find_trial_call
from dialer.app.errors import InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.carriers.parameters import ParametersError
from dialer.carriers.voice.sound_files import SoundFileError
from dialer.carriers.voice.trial_call import Trial, TrialOrder
from dialer.commands.gateway_texts import try_text
from dialer.commands.open_service import open_existing_database, service_settings, settings_from_environment
from dialer.commands.output import examples, json_option, print_json, printable, say
from dialer.commands.trial_calls import PlaceCall, caller_of
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.plans import FREESWITCH
from dialer.runtime.clock import RealClock
from dialer.store.timeline.reading import cause_in_words

SECONDS_MAX = 600
NUMBER_LENGTH_MAX = 40


@click.group()
def gateway() -> None:
    """Try gateways."""


@gateway.command()
@click.argument("gateway_id", metavar="ID", type=int)
@click.argument("number", metavar="NUMBER")
@click.option("--callerid", default="", help="The number that the callee sees.")
@click.option("--play", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A sound file to play.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="A WAV file for what the callee says.")
@click.option(
    "--seconds", type=click.IntRange(1, SECONDS_MAX), default=10, show_default=True, help="Hang up after so long."
)
@click.option(
    "--ring", type=click.IntRange(1, SECONDS_MAX), default=30, show_default=True, help="Give up after so long."
)
@click.option("--text", help="Send this text over a gateway for text messages, instead of a call.")
@click.option("--full", is_flag=True, help="Print whole messages.")
@json_option("the outcome")
@examples(
    "dialer gateway test 3 +12025550123",
    "dialer gateway test 3 +12025550123 --play hello.wav --full",
    "dialer gateway test 1 +12025550123 --callerid Shop --text 'Hello'",
)
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
    """Place one call over a gateway with the protocol `sip` or `freeswitch`, and print each message.

    ID is the gateway's id. Refused are emergency numbers, numbers without a country, numbers on do-not-call lists that
    hold for every campaign, and calls outside of the calling hours. Nothing is stored and nothing is charged by the
    service; the carrier may charge for the call. The callee hears a short tone or the file, and the keys that they
    press are printed. The exit code is 1 if nobody answers.

    With --text, ID is that of a gateway for text messages, with the protocol `http`, `kannel` or `smpp`. Over SMPP, the
    command waits for receipts for as long as --seconds says. The exit code is 1 if the message does not leave.
    """
    if text is not None:
        _check_number(number)
        try_text(gateway_id, (number, callerid, text), seconds, as_json=as_json)
        return
    call = _trial_call((gateway_id, number, callerid))
    if record is not None and call.protocol == FREESWITCH:
        raise click.UsageError("--record is for SIP gateways: FreeSWITCH keeps recordings on its own machine.")
    place_call = _caller(call)
    order = TrialOrder(call.number, callerid, ring * 1_000, seconds * 1_000, play, record)
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
    if spells_emergency(number):
        raise click.UsageError(f"{number!r} is an emergency number, which is never dialled.")
    if len(number) > NUMBER_LENGTH_MAX or not number.strip("+*#0123456789") == "" or not number.strip("+*#"):
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
