"""`dialer openapi`: the OpenAPI document of the API."""

from typing import Any

from dialer.api.app import create_app
from dialer.api.openapi.document import served_document
from dialer.commands.output import print_json
from dialer.runtime.steps.clock import RealClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database


def openapi() -> None:
    """Print the OpenAPI document of the API, in JSON."""
    print_json(described_api())


def described_api() -> dict[str, Any]:
    """Return the OpenAPI document of the API, as a service answers it."""
    settings = Settings()
    # Nothing connects to this database: the document depends on the code alone.
    database = Database(settings.database_url)
    worker = Worker(
        database, RealClock(), seed=settings.seed, service_zone=settings.timezone, new_carrier=SimulatedCarrier
    )
    app = create_app(settings, database=database, worker=worker)
    return served_document(app)
