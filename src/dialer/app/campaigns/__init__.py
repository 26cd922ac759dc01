"""Use cases of campaigns, of their subscribers, and of trial calls."""
