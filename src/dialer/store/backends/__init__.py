"""Database backends: one module for each kind of database."""
