"""The clients of the service in Python and TypeScript, and their making: `python -m clients`."""
