"""Queues and agents: the agent for each waiting call, and the limits of a wait."""
