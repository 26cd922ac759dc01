"""`dialer openapi`: the OpenAPI document of the API."""

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
    settings = Settings()
    # Nothing connects to this database: the document depends on the code alone.
    database = Database(settings.database_url)
    worker = Worker(
        database, RealClock(), seed=settings.seed, service_zone=settings.timezone, new_carrier=SimulatedCarrier
    )
    app = create_app(settings, database=database, worker=worker)
    print_json(served_document(app))
