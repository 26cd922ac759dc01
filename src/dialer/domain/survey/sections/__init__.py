"""The types of section: a module for each, and the table that lists them."""
