"""`dialer users`: the only place where accounts are created."""

import sys

import msgspec
import rich_click as click
from rich.console import Console
from rich.table import Table

from dialer.app.accounts.second_factor import remove_second_factor
from dialer.app.accounts.users import NewUser, change_password, change_user, create_user, known_user
from dialer.app.work.unit import UnitOfWork
from dialer.commands.open_service import (
    check_is_there,
    open_existing_database,
    open_or_create_database,
    settings_from_environment,
)
from dialer.commands.output import print_json, say
from dialer.commands.units import in_unit, in_unit_of_service
from dialer.domain.billing.money import format_money
from dialer.domain.words.roles import Role
from dialer.passwords import PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, PasswordError, check_password, hash_password
from dialer.store.queries.accounts import AccountSummary, list_accounts


def create(
    username: str, *, may_create: bool, password_stdin: bool, as_json: bool, is_admin: bool, **details: str | int
) -> None:
    """Create a user."""
    settings = settings_from_environment()
    check_is_there(settings, may_create=may_create)
    password_hash = hash_password(_password(password_stdin=password_stdin))
    fields = {
        "username": username,
        "password_hash": password_hash,
        **details,
        **({"role": Role.ADMIN} if is_admin else {}),
    }
    account = msgspec.convert(fields, NewUser)
    with open_or_create_database(settings) as database:
        user_id = in_unit(settings, database, lambda unit: create_user(unit, account))
    say(f"Created the user {username}.")
    if as_json:
        print_json({"id": user_id, "username": username})


def passwd(username: str, *, keep_keys: bool, password_stdin: bool, as_json: bool) -> None:
    """Change a user's password, and revoke the user's API keys."""
    password_hash = hash_password(_password(password_stdin=password_stdin))
    shown_name = in_unit_of_service(
        lambda unit: change_password(unit, username, password_hash, revokes_keys=not keep_keys)
    )
    say(f"Changed the password of {shown_name}.")
    if as_json:
        print_json({"username": shown_name})


def change(username: str, *, role: str | None, enabled: bool | None, manager: str | None, as_json: bool) -> None:
    """Change a user's role, disable or enable a user, or say for whom the user works."""

    def work(unit: UnitOfWork) -> str:
        user = known_user(unit.connection, username)
        manager_id = None if manager is None else known_user(unit.connection, manager).id
        if manager_id == user.id:
            raise click.UsageError("A user cannot be their own manager. Name another user.")
        fields = {"role": role, "enabled": enabled, "manager_id": manager_id}
        change_user(unit, user.id, {name: value for name, value in fields.items() if value is not None})
        return user.username

    if role is None and enabled is None and manager is None:
        raise click.UsageError("Give --role, --enable, --disable or --manager.")
    shown_name = in_unit_of_service(work)
    say(f"Changed the user {shown_name}.")
    if as_json:
        print_json({"username": shown_name})


def reset_second_factor(username: str, *, as_json: bool) -> None:
    """Turn off the second factor of a user who has lost the telephone and the recovery codes."""

    def work(unit: UnitOfWork) -> str:
        user = known_user(unit.connection, username)
        remove_second_factor(unit, user.id)
        return user.username

    shown_name = in_unit_of_service(work)
    say(f"Turned off the second factor of {shown_name}.")
    if as_json:
        print_json({"username": shown_name})


def list_users(*, as_json: bool) -> None:
    """List all users with their rates and balances."""
    settings = settings_from_environment()
    with open_existing_database(settings) as database:
        found = database.read_now(list_accounts)
    accounts = [msgspec.structs.replace(one, currency=one.currency or settings.currency) for one in found]
    if as_json:
        print_json([_shown(account) for account in accounts])
    else:
        Console().print(_table(accounts))


def _shown(account: AccountSummary) -> dict[str, object]:
    amounts = {name: format_money(getattr(account, name)) for name in ("call_rate", "sms_rate", "balance")}
    return {**msgspec.structs.asdict(account), "is_admin": account.role == Role.ADMIN, **amounts}


def _table(accounts: list[AccountSummary]) -> Table:
    table = Table(box=None)
    for name in AccountSummary.__struct_fields__:
        table.add_column(name)
    for account in accounts:
        shown = _shown(account)
        table.add_row(*(str(shown[name]) for name in AccountSummary.__struct_fields__))
    return table


def _password(*, password_stdin: bool) -> str:
    """Return the password from the prompt or standard input; raise UsageError if it is not valid."""
    if password_stdin:
        # One character more than allowed, to notice a password that is too long, and two for the end of the line.
        password = sys.stdin.readline(PASSWORD_LENGTH_MAX + 3).rstrip("\r\n")
    else:
        hint = f"Password (at least {PASSWORD_LENGTH_MIN} characters)"
        password = click.prompt(hint, hide_input=True, confirmation_prompt=True, err=True)
    try:
        check_password(password)
    except PasswordError as error:
        raise click.UsageError(f"{error}.") from None
    return password
