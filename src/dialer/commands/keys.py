"""`dialer keys`: API keys on the command line."""

from typing import Any, Final

import rich_click as click
from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, Row, select

from dialer.app.accounts.api_keys import CreatedApiKey, NewApiKey, create_api_key, revoke_api_key
from dialer.app.accounts.users import known_user
from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.unit import UnitOfWork
from dialer.commands.open_service import open_existing_database, settings_from_environment
from dialer.commands.output import print_json, say
from dialer.commands.units import in_unit_of_service
from dialer.domain.words.roles import Scope
from dialer.resources.crud.moments import show_timestamp
from dialer.store.tables import ApiKey, User

NAME_MAX: Final = 255
_DAY_MS: Final = 86_400_000
_COLUMNS: Final = ("id", "username", "name", "prefix", "scopes", "enabled", "expirationdate", "last_used_date")


def create(username: str, *, name: str, scopes: tuple[str, ...], days: int | None, as_json: bool) -> None:
    """Create an API key for the user NAME, and print its secret."""
    if not name.strip() or len(name) > NAME_MAX or not name.isprintable():
        raise click.UsageError(f"Enter a --name of 1 to {NAME_MAX} printable characters.")

    def work(unit: UnitOfWork) -> CreatedApiKey:
        user = known_user(unit.connection, username)
        expires_ms = None if days is None else unit.now_ms + days * _DAY_MS
        chosen = [scope for scope in Scope if scope in scopes]
        return create_api_key(unit, NewApiKey(user_id=user.id, name=name, scopes=chosen, expires_ms=expires_ms))

    row, secret = in_unit_of_service(work)
    say(f"Created the API key {row.prefix} for {username}. Keep the secret now: it is not shown again.")
    if as_json:
        print_json({"id": row.id, "prefix": row.prefix, "scopes": row.scopes.split(), "key": secret})
    else:
        click.echo(secret)


def list_keys(username: str | None, *, as_json: bool) -> None:
    """List the API keys of the user NAME, or of all users. Their secrets are not stored."""
    with open_existing_database(settings_from_environment()) as database:
        api_keys = database.read_now(lambda connection: _list(connection, username))
    if as_json:
        print_json(api_keys)
        return
    table = Table(box=None)
    for column in _COLUMNS:
        table.add_column(column)
    for key in api_keys:
        table.add_row(*("" if key[column] is None else str(key[column]) for column in _COLUMNS))
    Console().print(table)


def revoke(prefix: str, *, as_json: bool) -> None:
    """Revoke the API key that begins with PREFIX. The next request with it is refused."""

    def work(unit: UnitOfWork) -> int:
        key_ids = unit.connection.execute(select(ApiKey.id).where(ApiKey.prefix == prefix)).scalars().all()
        if len(key_ids) != 1:
            raise UnknownRecordError(f"{len(key_ids)} API keys begin with {prefix}; dialer keys list shows all")
        revoke_api_key(unit, key_ids[0])
        return int(key_ids[0])

    key_id = in_unit_of_service(work)
    say(f"Revoked the API key {prefix}.")
    if as_json:
        print_json({"id": key_id, "prefix": prefix})


def _list(connection: Connection, username: str | None) -> list[dict[str, Any]]:
    columns = [User.username if name == "username" else ApiKey.__table__.c[name] for name in _COLUMNS]
    query = select(*columns).join(User, User.id == ApiKey.user_id).order_by(ApiKey.id)
    if username is not None:
        query = query.where(ApiKey.user_id == known_user(connection, username).id)
    return [_shown(row) for row in connection.execute(query)]


def _shown(row: Row[Any]) -> dict[str, Any]:
    shown: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    moments = {
        name: None if shown[name] is None else show_timestamp(shown[name])
        for name in ("expirationdate", "last_used_date")
    }
    return {**shown, "scopes": shown["scopes"].split(), **moments}
