"""Workers that share a service: their turns, their notifications, and the watch over their places."""
