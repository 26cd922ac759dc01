"""The benchmarks of dialer."""
