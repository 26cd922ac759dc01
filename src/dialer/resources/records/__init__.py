"""The resources, a module for each subject: their fields and their special rules."""
