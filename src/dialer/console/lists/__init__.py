"""Lists of people on their way in: how a file is read, and what the user chooses."""
