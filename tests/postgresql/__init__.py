"""Tests of what only PostgreSQL has. They run with `--database postgresql`."""
