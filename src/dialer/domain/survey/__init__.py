"""Surveys: what a campaign plays, how a call goes through it, and how it is checked."""
