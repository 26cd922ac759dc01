"""The simulator: a carrier like any other, under a virtual clock and a seed."""
