"""Simulator: a carrier with simulated callees, driven by a virtual clock and a seed."""
