"""Media files: uploaded audio, recordings of callees, and orphans that no record refers to."""
