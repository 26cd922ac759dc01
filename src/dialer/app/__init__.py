"""The use cases of the service: each function is one action of a user in one unit of work."""
