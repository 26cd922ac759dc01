"""The usage of every command: its arguments, options and help. The work is in `dialer.commands`."""
