"""Text messages: their templates, their parts, and those that are sent during calls."""
