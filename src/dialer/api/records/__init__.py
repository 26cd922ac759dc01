"""The resources, one module for each subject: their fields and their special rules."""
