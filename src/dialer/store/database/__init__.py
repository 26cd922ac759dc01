"""The database: its connections, transactions and migrations, and what all who write use."""
