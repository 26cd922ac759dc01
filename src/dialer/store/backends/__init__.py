"""Databases that hold the service's rows: what differs from one to another, a module each."""
