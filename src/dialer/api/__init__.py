"""The HTTP interface: resources, controllers, errors and authentication."""
