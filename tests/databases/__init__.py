"""The databases of tests: files of SQLite, or with `--database postgresql` databases of a cluster of the run's own."""
