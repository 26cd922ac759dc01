"""A Model Context Protocol server over the REST API of a service, for assistants."""
