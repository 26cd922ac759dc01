"""The sections of the report: each module computes its figures, checks them and prints them."""
