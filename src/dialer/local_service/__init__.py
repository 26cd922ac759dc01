"""A service of its own on this machine, for the demonstration, `dialer dev`, and the tests of programs."""
