"""`dialer gateway`: one call or text message over a gateway, to see what its carrier says."""

from pathlib import Path
from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs

SECONDS_MAX: Final = 600


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
@runs("dialer.commands.gateway")
def test() -> None:
    """Place one call over a gateway with the protocol `sip` or `freeswitch`, and print each message.

    ID is the gateway's id. Refused are emergency numbers, numbers without a country, numbers on do-not-call lists that
    hold for every campaign, and calls outside of the calling hours. Nothing is stored and nothing is charged by the
    service; the carrier may charge for the call. The callee hears a short tone or the file, and the keys that they
    press are printed. The exit code is 1 if nobody answers.

    With --text, ID is that of a gateway for text messages, with the protocol `http`, `kannel` or `smpp`. Over SMPP, the
    command waits for receipts for as long as --seconds says. The exit code is 1 if the message does not leave.
    """
