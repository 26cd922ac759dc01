"""Text messages: templates, parts, and messages that are sent during calls."""
