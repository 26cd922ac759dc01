"""The commands of `dialer`, one module each."""
