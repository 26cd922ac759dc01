"""The benchmarks of dialer: each a ratio, measured against a reference in the same run."""
