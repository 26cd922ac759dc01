"""`dialer users`: the only place where accounts are created."""

from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.domain.billing.money import MoneyError, parse_money
from dialer.domain.words.roles import Role
from dialer.settings_values import USERNAME_MAX, is_username
from dialer.usage.running import runs

TEXT_MAX: Final = 255


class RateParam(click.ParamType[int]):
    """An amount of money that is not negative, as an integer of 1e-5."""

    name = "amount"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the amount; fail with a message if the text is not one."""
        if isinstance(value, int):
            return value
        try:
            rate = parse_money(value)
        except MoneyError as error:
            self.fail(str(error), param, ctx)
        if rate < 0:
            self.fail(f"{value!r} is negative. Enter 0 or more.", param, ctx)
        return rate


class UserName(click.ParamType[str]):
    """A name that HTTP Basic authentication can carry."""

    name = "name"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fail with a message if it is not valid."""
        if not is_username(value):
            self.fail(f"Enter 1 to {USERNAME_MAX} characters, without blanks and colons.", param, ctx)
        return value


class TextParam(click.ParamType[str]):
    """A text that fits its column."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text; fail with a message if it is too long or not printable."""
        if len(value) > TEXT_MAX or not value.isprintable():
            self.fail(f"Enter at most {TEXT_MAX} characters, all of them printable.", param, ctx)
        return value


_NAME = click.argument("username", metavar="NAME", type=UserName())
_PASSWORD_STDIN = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input instead of asking for it."
)
_JSON = json_option("the user")


@click.group()
@examples(
    "dialer users create anna --admin",
    "dialer users create ben --call-rate 0.02 --sms-rate 0.05",
    "dialer users list --json",
)
def users() -> None:
    """Create users, change passwords and list users."""


@users.command()
@_NAME
@click.option("--admin", "is_admin", is_flag=True, help="Allow the user to see and do everything: --role admin.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.MANAGER.value,
    show_default=True,
    help="Kind of work.",
)
@click.option("--call-rate", type=RateParam(), default="0", show_default=True, help="Price of a minute.")
@click.option("--sms-rate", type=RateParam(), default="0", show_default=True, help="Price of a message part.")
@click.option("--first-name", type=TextParam(), default="")
@click.option("--last-name", type=TextParam(), default="")
@click.option("--email", type=TextParam(), default="")
@click.option("--create", "may_create", is_flag=True, help="Create the database if it does not exist.")
@_PASSWORD_STDIN
@_JSON
@examples(
    "dialer users create anna --admin",
    "dialer users create ben --call-rate 0.02 --sms-rate 0.05",
    "pwgen 24 1 | dialer users create ben --password-stdin",
)
@runs("dialer.commands.users")
def create() -> None:
    """Create a user.

    The command asks for the password, or reads it from standard input. A password is never an argument.
    """


@users.command()
@_NAME
@click.option("--keep-keys", is_flag=True, help="Keep the user's API keys, which are revoked otherwise.")
@_PASSWORD_STDIN
@_JSON
@examples("dialer users passwd anna", "pwgen 24 1 | dialer users passwd anna --password-stdin")
@runs("dialer.commands.users")
def passwd() -> None:
    """Change a user's password, and revoke the user's API keys."""


@users.command()
@_NAME
@click.option("--role", type=click.Choice([role.value for role in Role]), help="Kind of work.")
@click.option(
    "--enable/--disable", "enabled", default=None, help="Allow or forbid the user, and their keys, to log in."
)
@click.option("--manager", type=UserName(), help="The user for whom this one works.")
@_JSON
@examples(
    "dialer users change anna --disable",
    "dialer users change vera --role viewer --manager anna",
)
@runs("dialer.commands.users")
def change() -> None:
    """Change a user's role, disable or enable a user, or say for whom the user works."""


@users.command("reset-second-factor")
@_NAME
@_JSON
@examples("dialer users reset-second-factor anna")
@runs("dialer.commands.users")
def reset_second_factor() -> None:
    """Turn off the second factor of a user who has lost the telephone and the recovery codes."""


@users.command("list")
@json_option("the users")
@examples("dialer users list", "dialer users list --json")
@runs("dialer.commands.users")
def list_users() -> None:
    """List all users with their rates and balances."""
