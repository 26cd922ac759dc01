"""Carriers: the interface that every carrier implements."""
