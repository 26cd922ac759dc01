"""Forecasts: a campaign as it stands, run to its end under many seeds, on a copy that nobody else sees."""
