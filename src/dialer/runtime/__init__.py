"""Live loop: one clock, one engine, and one carrier for all gateways."""
