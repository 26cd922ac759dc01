"""Billing: amounts of money, rates and charges."""
