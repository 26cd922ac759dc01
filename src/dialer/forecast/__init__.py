"""Forecasts: a copy of a campaign in its present state, run to its end under many seeds."""
