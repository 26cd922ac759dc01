"""`dialer gateway`: one call or text message over a gateway, to see what its carrier says."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import anyio
import rich_click as click
from sqlalchemy import select

from dialer.carriers.freeswitch.parameters import FreeSwitchParametersError, read_freeswitch_parameters
from dialer.carriers.freeswitch.trial import place_switch_call
from dialer.carriers.sip.parameters import SipParametersError, read_sip_parameters
from dialer.carriers.voice.sound_files import SoundFileError
from dialer.carriers.voice.trial import Trial, TrialOrder, place_trial_call
from dialer.commands.gateway_texts import try_text
from dialer.commands.opening import open_existing_database, settings_from_environment
from dialer.commands.output import examples, json_option, print_json, printable, say
from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.numbers.prefixes import dialled_number
from dialer.domain.plans import FREESWITCH, SIP
from dialer.store.tables import Gateway
from dialer.store.timeline.reading import cause_in_words

SECONDS_MAX = 600
NUMBER_LENGTH_MAX = 40
_gateways = Gateway.__table__

PlaceCall: TypeAlias = Callable[[TrialOrder, Trial], Awaitable[None]]
"""Places a trial call over a gateway, and follows it to its end."""


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

    ID is the gateway's id. Nothing is stored and nothing is charged by the service; the carrier may charge for the
    call. The callee hears a short tone or the file, and the keys that they press are printed. The exit code is 1 if
    nobody answers.

    With --text, ID is that of a gateway for text messages, with the protocol `http`, `kannel` or `smpp`. Over SMPP, the
    command waits for receipts for as long as --seconds says. The exit code is 1 if the message does not leave.
    """
    _check_number(number)
    if text is not None:
        try_text(gateway_id, (number, callerid, text), seconds, as_json=as_json)
        return
    place_call, dialled = _gateway(gateway_id, number, records=record is not None)
    order = TrialOrder(dialled, callerid, ring * 1_000, seconds * 1_000, play, record)
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


def _print(line: str) -> None:
    click.echo(printable(line))


def _check_number(number: str) -> None:
    if spells_emergency(number):
        raise click.UsageError(f"{number!r} is an emergency number, which is never dialled.")
    if len(number) > NUMBER_LENGTH_MAX or not number.strip("+*#0123456789") == "" or not number.strip("+*#"):
        raise click.UsageError(f"{number[:NUMBER_LENGTH_MAX]!r} is not a number. Use digits, with a + before them.")


def _gateway(gateway_id: int, number: str, *, records: bool) -> tuple[PlaceCall, str]:
    """Return a function that places a call over a gateway, and a number as the gateway dials it."""
    with open_existing_database(settings_from_environment()) as database:
        row = database.read_now(
            lambda connection: (
                connection.execute(select(_gateways).where(_gateways.c.id == gateway_id)).mappings().first()
            )
        )
    if row is None:
        raise click.ClickException(f"there is no gateway {gateway_id}")
    dialled = dialled_number(number, addprefix=row["addprefix"], removeprefix=row["removeprefix"])
    return _caller(gateway_id, row["protocol"], row["parameters"], records=records), dialled


def _caller(gateway_id: int, protocol: str, parameters: str, *, records: bool) -> PlaceCall:
    """Return a function that places a call over a carrier."""
    try:
        if protocol == SIP:
            sip = read_sip_parameters(parameters)
            return lambda order, trial: place_trial_call(sip, order, trial)
        if protocol == FREESWITCH:
            read_freeswitch_parameters(parameters)
            if records:
                raise click.UsageError("--record is for SIP gateways: FreeSWITCH keeps recordings on its own machine.")
            return lambda order, trial: place_switch_call(parameters, order, trial)
    except (FreeSwitchParametersError, SipParametersError) as error:
        raise click.ClickException(f"gateway {gateway_id}: {error}") from None
    wanted = f"{SIP} and {FREESWITCH} can be tried"
    raise click.ClickException(f"gateway {gateway_id} has the protocol {protocol}; {wanted}")
