"""Names and secrets of users, gateways and programs."""
