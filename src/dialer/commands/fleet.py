"""`dialer fleet`: the workers that share a service, and the parts of gateways that each may use."""

from typing import Any

from rich.console import Group
from sqlalchemy import Connection

from dialer.commands.open_service import database_ms, open_existing_database, settings_from_environment
from dialer.commands.output import print_json
from dialer.commands.tables import add_row, draw, stacked, table
from dialer.domain.calls.plans import GatewayKey
from dialer.store.fleet.leases import all_leases
from dialer.store.fleet.shards import owners
from dialer.store.fleet.slices import all_slices
from dialer.store.fleet.worker_positions import all_positions

_SECOND_MS = 1_000


def fleet(*, as_json: bool) -> None:
    """Show the workers, their leases, shards and slices of gateways."""
    with open_existing_database(settings_from_environment()) as database:
        workers = database.read_now(_workers)
    if as_json:
        print_json({"workers": workers})
    else:
        draw(_tables(workers))


def _workers(connection: Connection) -> list[dict[str, Any]]:
    now_ms, owned = database_ms(connection), list(owners(connection).values())
    seats = {position.worker_id: position for position in all_positions(connection)}
    slices = [slice_row for rows in all_slices(connection).values() for slice_row in rows]
    return [
        {
            "id": lease.id,
            "name": lease.name,
            "lease_seconds": max(0, lease.lease_until_ms - now_ms) // _SECOND_MS,
            "shards": owned.count(lease.id),
            "behind_ms": max(0, now_ms - seats[lease.id].now_ms) if lease.id in seats else None,
            "gateways": [
                {
                    "medium": part.medium,
                    "gateway_id": part.gateway_id,
                    "channels": part.channels,
                    "in_use": part.channels_in_use,
                    "cps": part.cps,
                    "waiting": part.waiting,
                }
                for part in slices
                if part.worker_id == lease.id
            ],
        }
        for lease in all_leases(connection)
    ]


def _tables(workers: list[dict[str, Any]]) -> Group:
    shown = table("Workers", "worker", "number", "lease s", "shards", "behind ms")
    parts = table("Gateways", "worker", "gateway", "channels", "in use", "calls a second", "campaigns waiting")
    for worker in workers:
        add_row(shown, worker["name"], worker["id"], worker["lease_seconds"], worker["shards"], worker["behind_ms"])
        for part in worker["gateways"]:
            medium, gateway_id, *figures = part.values()
            add_row(parts, worker["name"], str(GatewayKey(medium, gateway_id)), *figures)
    return stacked(f"{len(workers)} workers share this service.", [shown, parts] if workers else [])
