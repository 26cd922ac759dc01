"""Queues and agents: who takes which waiting call, and how long a call waits."""
