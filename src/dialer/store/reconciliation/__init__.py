"""The audit: it computes every balance, hold, charge and counter again from the rows behind it."""
