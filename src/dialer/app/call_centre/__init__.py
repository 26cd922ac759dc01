"""Use cases of agents and their supervisors, and what they see."""
