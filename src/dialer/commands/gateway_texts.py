"""The part of `dialer gateway test` that sends a text message."""

import anyio
import rich_click as click

from dialer.carriers.parameters import ParametersError
from dialer.carriers.texts.line_factories import TEXT_LINES
from dialer.carriers.texts.trial_message import send_trial_text
from dialer.commands.open_service import open_existing_database, service_settings, settings_from_environment
from dialer.commands.output import print_json, printable, say
from dialer.domain.calls.plans import SMS, GatewayKey
from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise
from dialer.domain.numbers.prefixes import dialled_number
from dialer.domain.words.enums import MessageStatus
from dialer.store.queries.calls_in_progress import gateway_row


def try_text(gateway_id: int, order: tuple[str, str, str], wait_s: float, *, as_json: bool) -> None:
    """Send a message, `order` being number, sender and text, over a gateway for text messages, and print each step."""
    environment = settings_from_environment()
    with open_existing_database(environment) as database:
        region = service_settings(environment, database).default_region
        row = database.read_now(lambda connection: gateway_row(connection, GatewayKey(SMS, gateway_id)))
    if row is None:
        raise click.ClickException(f"there is no gateway {gateway_id} for text messages")
    protocol = row["protocol"]
    if protocol not in TEXT_LINES:
        wanted = ", ".join(TEXT_LINES)
        raise click.ClickException(f"gateway {gateway_id} has the protocol {protocol}; {wanted} can be tried")
    number = dialled_number(
        _in_normal_form(order[0], region), addprefix=row["addprefix"], removeprefix=row["removeprefix"]
    )
    dialled = (number, *order[1:])

    def show(line: str) -> None:
        if not as_json:
            click.echo(printable(line))

    try:
        outcome = anyio.run(send_trial_text, protocol, row["parameters"], gateway_id, dialled, wait_s, show)
    except ParametersError as error:
        raise click.ClickException(f"gateway {gateway_id}: {error}") from None
    if as_json:
        print_json(outcome)
    else:
        say(f"{outcome.status}, {outcome.parts} parts: {outcome.because}")
    if outcome.status not in {MessageStatus.SENT, MessageStatus.DELIVERED}:
        raise SystemExit(1)


def _in_normal_form(number: str, region: str | None) -> str:
    """Return a number in normal form; one that its country cannot have as it is given, as the carrier may know it."""
    try:
        found = normalise(number, region)
    except NumberError:
        return number
    return found if is_possible(found) else number
