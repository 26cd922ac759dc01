"""What Alembic runs migrations in: the connection and transaction that `dialer.store.migrate` has opened."""

from alembic import context

from dialer.store.tables import Row

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Row.metadata,
    # SQLite changes most of a table only by copying it.
    render_as_batch=True,
)
context.run_migrations()
