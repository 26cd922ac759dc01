"""Lines while they are in use: the legs of calls, the reports of carriers, and texts that come in."""
