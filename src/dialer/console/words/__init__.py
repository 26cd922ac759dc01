"""Words of the console: its languages, and the names of fields, states and countries."""
