"""Alembic's environment: migrations run in the connection that `dialer.store.database.migrate` opens."""

from alembic import context

from dialer.store.tables import Row

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Row.metadata,
    # SQLite can make most changes of a table only by copying it.
    render_as_batch=True,
)
context.run_migrations()
