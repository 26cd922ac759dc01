"""Benchmarks of dialer. Each one measures ratios to a reference in one run."""
