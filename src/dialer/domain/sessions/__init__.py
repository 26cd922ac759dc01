"""Sessions: one leg of a call or one message, played order by order over its line."""
