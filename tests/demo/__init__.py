"""The tests of the demonstration."""
