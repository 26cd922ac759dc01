"""The console: pages for people, served by the process that serves the API."""
