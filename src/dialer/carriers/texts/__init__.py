"""Text messages over real carriers: HTTP, Kannel and SMPP."""
