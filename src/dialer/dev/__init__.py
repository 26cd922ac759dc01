"""The service on the machine of somebody who builds on it: example data, a clock that a hand moves, and a sign-in."""
