"""Surveys: the sections that a campaign plays, the way a call takes through them, and the checks before a start."""
