"""The audit: every balance, hold, charge and counter worked out anew from the rows that it follows from."""
