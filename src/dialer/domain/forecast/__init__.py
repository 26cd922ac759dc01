"""Forecasts of campaigns as values."""
