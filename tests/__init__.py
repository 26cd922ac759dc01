"""The tests of dialer, in the shape of its source tree."""
