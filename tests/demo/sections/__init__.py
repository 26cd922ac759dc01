"""The tests of the parts of the demonstration's report."""
