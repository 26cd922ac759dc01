"""Electronic mail: its content, and the server that takes it."""
