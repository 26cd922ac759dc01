"""A storm over real processes. `python -m tests.fleet.storm --help` says how to run it."""
