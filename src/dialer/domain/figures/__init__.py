"""Figures of a run: shares, averages, and the digest that tells whether two runs are equal."""
