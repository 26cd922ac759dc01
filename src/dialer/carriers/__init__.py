"""Carriers: the port that every carrier implements."""
