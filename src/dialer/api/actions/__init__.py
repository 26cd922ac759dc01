"""Actions that are no plain reads and writes of records: forecasts, imports, uploads, trial calls."""
