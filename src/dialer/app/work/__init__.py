"""The unit of work of a use case: its transaction, its events, its errors, and the records that it touches."""
